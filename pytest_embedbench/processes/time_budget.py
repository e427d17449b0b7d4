"""How long to wait for a child process: by its own CPU time, and by the clock.

CPU time is what a child that spins uses, however loaded this computer is; host time is
for a child that does nothing.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pytest_embedbench.clock import host_now_s
from pytest_embedbench.processes import cpu_used_s, is_asleep
from pytest_embedbench.processes.channel_errors import NoAnswer

if TYPE_CHECKING:
    from collections.abc import Callable

_LOOK_EVERY_S = 0.05
"""A look at a process costs more than a round trip to it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeBudget:
    """What a child may use up before it answers.

    Attributes:
        cpu_s: CPU time of its own and of what it has started.
        wall_s: Host time in all.
        idle_s: Host time for which it may be asleep or stopped, using no CPU.

    One that has used up ``wall_s``, and was mostly found asleep, is asleep too.
    """

    cpu_s: float = math.inf
    wall_s: float = math.inf
    idle_s: float = math.inf


@dataclass(slots=True)
class Wait:
    """One wait for process ``pid`` that is under way, since ``waited_s`` already.

    ``watch`` is called at each check, and may raise.
    """

    pid: int
    budget: TimeBudget
    waited_s: float = 0.0
    watch: Callable[[], object] | None = None
    _started_s: float = field(init=False)
    _looked_s: float = field(init=False)
    _active_s: float = field(init=False)
    _cpu_before_s: float | None = field(init=False)
    _cpu_s: float | None = field(init=False)
    _looks: int = field(init=False, default=0)
    _looks_asleep: int = field(init=False, default=0)

    def __post_init__(self) -> None:
        self._active_s = self._looked_s = host_now_s()
        self._started_s = self._active_s - self.waited_s
        self._cpu_s = self._cpu_before_s = cpu_used_s(self.pid)

    def check(self) -> None:
        """Raise ``NoAnswer`` if it has lasted too long."""
        if self.watch is not None:
            self.watch()
        now_s = host_now_s()
        if now_s - self._looked_s >= _LOOK_EVERY_S:
            self._look(now_s)
        used_s = None
        if self._cpu_s is not None and self._cpu_before_s is not None:
            used_s = self._cpu_s - self._cpu_before_s
        self.waited_s = now_s - self._started_s
        budget = self.budget
        asleep = now_s - self._active_s >= budget.idle_s
        out = (used_s or 0) >= budget.cpu_s
        if asleep or out or self.waited_s >= budget.wall_s:
            # Sleep in slices is sleep: on a busy machine it would be ready to run.
            asleep = asleep or (not out and self._looks_asleep * 2 > self._looks)
            raise NoAnswer(used_s, self.waited_s, asleep=asleep, out_of_cpu=out)

    def _look(self, now_s: float) -> None:
        cpu_s, sleeps = cpu_used_s(self.pid), is_asleep(self.pid)
        self._looks, self._looks_asleep = self._looks + 1, self._looks_asleep + sleeps
        if cpu_s != self._cpu_s or not sleeps:
            self._active_s = now_s
        self._cpu_s, self._looked_s = cpu_s, now_s
