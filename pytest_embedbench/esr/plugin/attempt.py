"""One run of a check: on what it is, and what has come of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pytest_embedbench.contracts import HasPinUse
from pytest_embedbench.errors import BuildError, EmbedbenchError
from pytest_embedbench.esr.model import TrialEnd, TrialResult
from pytest_embedbench.esr.plugin.headers import missing_library

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from pytest_embedbench.contracts import Board
    from pytest_embedbench.model import FirmwareSource
    from pytest_embedbench.pins import PinUse

_ENDS = {
    "firmware": TrialEnd.FAILED,
    "build": TrialEnd.NOT_BUILT,
    "submission": TrialEnd.NOT_BUILT,
}


@dataclass(slots=True, kw_only=True)
class CheckAttempt:
    """What a run of a check has instead of the suite's own, and how it went.

    Args:
        source: What is built; the suite's own if there is none.
        diagram: The file of the circuit; the suite's own if there is none.
        observe: Whether the firmware is watched.
    """

    source: FirmwareSource | None = None
    diagram: Path | None = None
    observe: bool = False
    was_asked: bool = False
    """Whether anybody wanted to know what is built."""
    built: FirmwareSource | None = None
    image: Path | None = None
    skipped: str = ""
    end: TrialEnd = TrialEnd.PASSED
    why: str = ""
    shown: str = ""
    """The failure as pytest shows it."""
    notes: tuple[str, ...] = ()
    folder: Path | None = None
    _board: object = None
    _pin_use: PinUse | None = field(default=None)

    def note_board(self, board: Board, image: Path) -> None:
        """Take the first board that runs, and watch it."""
        if self._board is not None:
            return
        self._board, self.image = board, image
        if self.observe and isinstance(board, HasPinUse):
            board.watch_pins()

    def look(self) -> None:
        """Take what was seen of pins, while the board is still there."""
        if self.observe and isinstance(self._board, HasPinUse):
            try:
                self._pin_use = self._board.pin_use()
            except EmbedbenchError:
                return

    def fail(
        self, blame: str, why: str, shown: str, causes: Iterable[BaseException]
    ) -> None:
        """Remember the first failure: later ones may come of it."""
        if self.end is not TrialEnd.PASSED:
            return
        self.end, self.why, self.shown = (
            _ENDS.get(blame, TrialEnd.BENCH_FAULT),
            why,
            shown,
        )
        for cause in causes:
            self.notes += tuple(getattr(cause, "__notes__", ()))
            if isinstance(cause, BuildError):
                self._forgive(cause)

    def _forgive(self, error: BuildError) -> None:
        """Blame us for a library that is not here."""
        if self.built is None:
            return
        if library := missing_library(error.diagnostics, self.built):
            self.end = TrialEnd.BENCH_FAULT
            self.why = f"the library with {library} is not here: {self.why}"

    def result(self, seconds: float) -> TrialResult:
        """Return what came of it."""
        return TrialResult(
            end=self.end,
            why=self.why,
            pin_use=self._pin_use,
            image=self.image,
            notes=self.notes,
            seconds=seconds,
        )
