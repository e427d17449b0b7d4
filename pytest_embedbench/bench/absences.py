"""What it means for a conversation that a board's plug was out for a while."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pytest_embedbench.contracts import IsPluggedIn
from pytest_embedbench.errors import BoardLost, FirmwareReset

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_embedbench.contracts import Board
    from pytest_embedbench.errors import BenchFault, FirmwareFault
    from pytest_embedbench.model import Absence


@dataclass(slots=True)
class AbsenceWatch:
    """Sees a board go away and come back; boards that cannot go never do."""

    board: Board
    _told_count: int = field(default=0, init=False)
    """How many departures and returns have been told, in all."""
    _forgiven: int = field(default=0, init=False)
    """How many absences are over and done with."""
    _plugged: IsPluggedIn | None = field(init=False)
    """The board, if it can go away: found out once, as it is asked in each tick."""

    def __post_init__(self) -> None:
        self._plugged = self.board if isinstance(self.board, IsPluggedIn) else None

    def news(self) -> Iterator[str]:
        """Yield what has happened since the last call, for the transcript."""
        if self._plugged is None:
            return
        events = [
            text
            for absence in self._plugged.absences
            for text in _events(self.board.spec.name, absence)
        ]
        fresh, self._told_count = events[self._told_count :], len(events)
        yield from fresh

    def forgive(self) -> None:
        """Have what came of the absences so far be known: a restart was expected."""
        if self._plugged is not None:
            self._forgiven = len(self._plugged.absences)

    def judged(self, fault: FirmwareFault) -> FirmwareFault | BenchFault:
        """Return a fault, or what it really is: a board without power starts anew."""
        if not isinstance(fault, FirmwareReset) or self._plugged is None:
            return fault
        absences = self._plugged.absences[self._forgiven :]
        if not absences:
            return fault
        loss = BoardLost(
            f"{self.board.spec.name} was {absences[-1]} and has started anew since: "
            "look at its plug, its hub and its supply; that is no restart of the "
            "firmware's own"
        )
        for note in getattr(fault, "__notes__", ()):
            loss.add_note(note)
        return loss


def _events(name: str, absence: Absence) -> Iterator[str]:
    gone = f"{name} is away from {absence.from_us / 1e6:.3f} s on"
    yield f"{gone}; what is sent waits until it is back"
    if absence.to_us is not None:
        yield f"{name} is back at {absence.to_us / 1e6:.3f} s"
