"""A processor core for an emulator and whoever talks with it.

They take turns, thousands of times a second: on one core a turn costs half of what it
costs across two. Each board gets a core that no other board of this user has, as long
as there are enough; the rest are left to the scheduler.
"""

from __future__ import annotations

import contextlib
import os
import socket
import sys
import threading
from dataclasses import dataclass, field


@dataclass(slots=True)
class PinnedCore:
    """A core that is ours, or none in particular; also until ``release``."""

    number: int | None = None
    _claim: socket.socket | None = None

    def release(self) -> None:
        """Let another board have it."""
        self.number = None
        if self._claim is not None:
            self._claim.close()


def claim_core() -> PinnedCore:
    """Return a core that no other board has; none in particular if there is none."""
    if sys.platform != "linux":
        return PinnedCore()
    # The first core is where interrupts mostly go.
    for number in sorted(os.sched_getaffinity(0), reverse=True):
        claim = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        try:
            # A name without a file: it is free again when its holder is gone.
            claim.bind(f"\0embedbench-core-{os.getuid()}-{number}")
        except OSError:
            claim.close()
        else:
            return PinnedCore(number, claim)
    return PinnedCore()


@dataclass(slots=True)
class CorePinning:
    """One core for a thread and all the programs that it takes turns with.

    Moving there and back for every turn costs more than the turn where turns are
    short, so the thread stays for as long as any of them is pinned.
    """

    _core: PinnedCore = field(default_factory=PinnedCore)
    _thread_id: int = 0
    _before: set[int] = field(default_factory=set[int])
    _pinned_count: int = 0

    def pin(self, pid: int = 0) -> None:
        """Pin a program to the core; with the first, the caller too.

        So does whatever the caller starts from then on: ``pid`` is not needed for it.
        """
        if self._pinned_count == 0:
            self._core = claim_core()
            if self._core.number is not None:
                self._thread_id = threading.get_native_id()
                self._before = os.sched_getaffinity(0)
                os.sched_setaffinity(0, {self._core.number})
        self._pinned_count += 1
        self.repin(pid)

    def repin(self, pid: int) -> None:
        """Let a program take the place of one that was pinned."""
        if self._core.number is not None:
            with contextlib.suppress(OSError):  # it is gone
                os.sched_setaffinity(pid, {self._core.number})

    def unpin(self) -> None:
        """Let one program go; with the last, the thread that came along is free again.

        That may be another thread than the caller, and it may be gone.
        """
        self._pinned_count -= 1
        if self._pinned_count == 0 and self._core.number is not None:
            with contextlib.suppress(OSError):
                os.sched_setaffinity(self._thread_id, self._before)
            self._core.release()


SHARED_CORE = CorePinning()
"""This process's: the affinity that it stands for is the thread's own."""
