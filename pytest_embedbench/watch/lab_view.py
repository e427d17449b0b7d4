"""The boards of a lab as they stand: where each is, who has it, who waits for it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pytest_embedbench.clock import host_now_s
from pytest_embedbench.errors import EmbedbenchError
from pytest_embedbench.lab.inventory.status import board_statuses

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_embedbench.lab.inventory.lab import Lab
    from pytest_embedbench.lab.inventory.status import BoardStatus
    from pytest_embedbench.lab.leases.acquire import Leases

EVERY_S = 3.0
"""How often it is looked at: each look touches every lock for a moment."""


@dataclass(slots=True)
class LabView:
    """What a lab's boards do by now, for whoever asks more often than that changes."""

    lab: Lab
    leases: Leases
    now_s: Callable[[], float] = host_now_s
    _rows: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    _looked_s: float | None = field(default=None, init=False)

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each board, as the page takes them, in the file's order.

        ``state`` is ``free``, ``held``, ``kept`` (by hand), ``disabled`` or ``absent``,
        and ``words`` says by whom or why.
        """
        now_s = self.now_s()
        if self._looked_s is None or now_s - self._looked_s >= EVERY_S:
            self._looked_s = now_s
            try:
                self._rows = [
                    _row(each) for each in board_statuses(self.lab, self.leases)
                ]
            except EmbedbenchError as error:
                self._rows = [_untold(name, error) for name in self.lab.boards]
        return self._rows


def _row(status: BoardStatus) -> dict[str, Any]:
    board = status.board
    state, words = _standing(status)
    return {
        "board": board.name,
        "kind": board.datasheet,
        "labels": [*board.labels],
        "port": status.port,
        "state": state,
        "words": words,
        "waiters": [str(each) for each in status.waiters],
    }


def _standing(status: BoardStatus) -> tuple[str, str]:
    if status.board.disabled:
        return "disabled", status.board.disabled
    if status.hold is not None:
        return "kept", str(status.hold).removeprefix("is ")
    if status.holder is not None:
        return "held", f"by {status.holder}"
    if status.problem:
        return "absent", status.problem
    return "free", ""


def _untold(name: str, error: EmbedbenchError) -> dict[str, Any]:
    return {
        "board": name,
        "kind": "",
        "labels": [],
        "port": "",
        "state": "unknown",
        "words": str(error),
        "waiters": [],
    }
