"""A driver program that runs: one process that stands ready, and a copy per test."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from pytest_embedbench.errors import BenchFault
from pytest_embedbench.grading.host.diagnosis import (
    MEMORY_LIMIT_BYTES,
    cannot_load,
    explain,
    killed_from_outside,
    left_running,
    ran_out_of_memory,
)
from pytest_embedbench.grading.host.keeper import (
    CopyEnded,
    Keeper,
    start_keeper,
)
from pytest_embedbench.processes.machine_trouble import (
    can_be_mapped,
    oom_kill_count,
    our_disk,
)
from pytest_embedbench.processes.time_budget import TimeBudget

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_embedbench.errors import EmbedbenchError
    from pytest_embedbench.grading.host.diagnosis import CopyEnd
    from pytest_embedbench.grading.host.messages import Kind
    from pytest_embedbench.model import FirmwareImage

COPY_LIMITS = TimeBudget(cpu_s=5.0, wall_s=120.0, idle_s=10.0)
"""For one request, should limits.c not have ended it after a second."""
_START = "before controller_init"


@dataclass(slots=True)
class HostProgram:
    """The file that was built, run by us, serving one controller at a time."""

    image: FirmwareImage
    limits: TimeBudget = COPY_LIMITS
    _keeper: Keeper | None = field(default=None, init=False)
    _opened: bool = field(default=False, init=False)
    _lost: bool = field(default=False, init=False)
    """Whether the copy has ended by itself."""
    _asked: list[tuple[Kind, bytes]] = field(
        default_factory=list["tuple[Kind, bytes]"], init=False
    )
    """Of the current copy, to see whether the same ends it again."""
    _oom_kills: int = field(default=0, init=False)

    def __repr__(self) -> str:
        return (
            f"<HostProgram {self.image.elf_path.name}: sha256 {self.image.sha256[:12]}>"
        )

    def open(self) -> None:
        """Start a copy that knows nothing of earlier ones, which it replaces.

        Raises:
            BenchFault: the program is not the one that was built, or does not start.
            FirmwareFault: the submission ends it before its first function is called.
        """
        self.close()
        self._asked.clear()
        self._lost = True
        try:
            with our_disk(_START):
                self._started().open_copy()
        except CopyEnded as ended:
            raise self._blamed(ended.end, lambda _: _START) from None
        except BaseException:
            self.stop()
            raise
        self._opened, self._lost = True, False

    def ask(
        self, kind: Kind, payload: bytes = b"", *, doing: Callable[[int], str]
    ) -> bytes:
        """Send a request to the copy, made if there is none, and return its answer.

        ``doing`` returns what was going on, for the message of a fault, given how many
        steps of the request were begun.

        Raises:
            FirmwareCrash: the submission crashed, or did what C does not define.
            FirmwareSpin: it did not come back.
            BenchFault: this machine has ended it.
        """
        if self._lost:
            raise BenchFault("the controller has ended: it takes no more steps")
        if self._keeper is None or not self._opened:
            self.open()
        assert self._keeper is not None
        self._asked.append((kind, payload))
        try:
            return self._keeper.ask(kind, payload)
        except CopyEnded as ended:
            self._opened, self._lost = False, True
            raise self._blamed(ended.end, doing) from None
        except BaseException:
            self._lost = True
            # Out of step with it from here on, whatever happened.
            self.stop()
            raise

    def close(self) -> None:
        """End the copy; safe to call twice.

        Raises:
            FirmwareCrash: processes were left that it had started.
        """
        self._lost = False
        if self._keeper is None or not self._opened:
            return
        self._opened = False
        end = self._keeper.end_copy()
        if end.keeper_lost:
            self.stop()  # all answers were right: how it ends is nobody's fault
        if end.left_running:
            raise left_running(end.left_running)

    def stop(self) -> None:
        """End the program; safe to call twice."""
        keeper, self._keeper, self._opened = self._keeper, None, False
        if keeper is not None:
            keeper.stop()

    def _started(self) -> Keeper:
        if self._keeper is None:
            self._oom_kills = oom_kill_count()
            self._keeper = start_keeper(self.image, self.limits)
        return self._keeper

    def _blamed(self, end: CopyEnd, doing: Callable[[int], str]) -> EmbedbenchError:
        """Return what a copy's end means, by the evidence that there is."""
        if end.keeper_lost:
            self.stop()
        told = doing(end.steps_begun)
        sent = end.killed_by is not None or end.keeper_code is not None
        # Its own constructors may say so, too: whoever does gains nothing by it.
        loads = not end.unloadable or can_be_mapped(self.image.elf_path)
        if not sent or end.refused or end.wait or end.spoke:
            return explain(told, end) if loads else cannot_load(told, end)
        if end.memory_bytes > MEMORY_LIMIT_BYTES:
            return explain(told, end)
        if oom_kill_count() > self._oom_kills:
            return ran_out_of_memory(told, end)
        again = self._second_end()
        if again is None or not again.like(end):
            return killed_from_outside(told, end)
        return explain(told, replace(end, report=again.report or end.report))

    def _second_end(self) -> CopyEnd | None:
        """Return how the same requests end on a fresh process, if they do."""
        self.stop()
        try:
            keeper = self._started()
            keeper.open_copy()
            for kind, payload in self._asked:
                keeper.ask(kind, payload)
        except CopyEnded as ended:
            return ended.end
        finally:
            self.stop()
        return None
