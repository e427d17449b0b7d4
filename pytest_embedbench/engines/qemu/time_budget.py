"""How long to wait for an emulator: by its own CPU time, and by the clock."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_embedbench.clock import Deadline
from pytest_embedbench.processes import cpu_used_s

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(slots=True)
class Silent(Exception):
    """The emulator used up its time to answer.

    ``cpu_s`` is the CPU time that it used meanwhile, where that can be known.
    """

    cpu_s: float | None
    wall_s: float


@dataclass(slots=True)
class Wait:
    """One wait that is under way."""

    patience: Patience
    _deadline: Deadline | None = None
    _before_s: float | None = None

    def check(self) -> None:
        """Raise ``Silent`` if it has lasted too long."""
        patience = self.patience
        if patience.watch is not None:
            patience.watch()
        if self._deadline is None:
            self._deadline = Deadline(patience.wall_s)
            self._before_s = cpu_used_s(patience.pid)
            return
        after_s = cpu_used_s(patience.pid)
        used_s = None
        if after_s is not None and self._before_s is not None:
            used_s = after_s - self._before_s
        if self._deadline.passed() or (used_s or 0) >= patience.cpu_s:
            waited_s = patience.wall_s - self._deadline.remaining_s()
            raise Silent(used_s, waited_s)


@dataclass(frozen=True, slots=True)
class Patience:
    """What process ``pid`` may use up before it answers.

    CPU time is what a guest that never waits uses, however loaded this computer is;
    ``wall_s`` is for an emulator that does nothing at all. ``watch`` is called now
    and then meanwhile, and may raise.
    """

    pid: int
    cpu_s: float
    wall_s: float
    watch: Callable[[], None] | None = None

    def begin(self) -> Wait:
        """Start a wait; the clock starts at its first check."""
        return Wait(self)
