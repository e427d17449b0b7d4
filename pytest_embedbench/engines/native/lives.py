"""The processes of programs: how each is ended, and what it leaves behind."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from pytest_embedbench import processes
from pytest_embedbench.engines.native import protocol
from pytest_embedbench.errors import FirmwareCrash
from pytest_embedbench.processes.channel_errors import Disconnected, NoAnswer

if TYPE_CHECKING:
    from pytest_embedbench.engines.native.control import Control

LEAVE_GRACE_S = 2.0


class ProgramProcess(Protocol):
    """A process that is ours to end."""

    @property
    def pid(self) -> int:
        """The process."""
        ...

    def end(self, grace_s: float) -> int:
        """Wait for its end, force it after ``grace_s``; return a code like Popen's."""
        ...

    def discard(self) -> int:
        """End it in the way that is proper once nobody cares how it ends."""
        ...


@dataclass(slots=True)
class Spawned:
    """A child of ours, or of what keeps it, and the copies of it that are alive.

    ``pid`` is the keeper's until it has said who it is. ``spoiled`` says that processes
    are beside it which nobody answers for: no more copies are made of it.
    """

    popen: subprocess.Popen[bytes]
    pid: int
    copies: set[int] = field(default_factory=set[int])
    spoiled: bool = False
    _stopped: bool = False

    def is_fit(self) -> bool:
        """Say whether it can be copied."""
        return not self.spoiled and self.popen.poll() is None

    def end(self, grace_s: float) -> int:
        """Wait for its end, force it after ``grace_s``; return a code like Popen's."""
        if self.popen.returncode is None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.popen.wait(grace_s)
        # One that we have found gone may have left more than itself.
        if not self._stopped:
            self._stopped = True
            processes.stop(self.popen, grace_s=0)
        return self.popen.wait()

    def discard(self) -> int:
        """Let it leave by itself: we have hung up, and it writes its coverage data."""
        return self.end(0 if processes.is_kept(self.popen) else LEAVE_GRACE_S)


@dataclass(slots=True)
class Forked:
    """A child of a program of ours, which has to reap it for us.

    ``named`` is the number under which that one knows it.
    """

    pid: int
    named: int
    original: Spawned
    control: Control
    """Of the original."""
    returncode: int | None = None

    def end(self, grace_s: float) -> int:
        """Wait for its end, force it after ``grace_s``; return a code like Popen's."""
        if self.returncode is None:
            processes.end_unreaped(self.pid, grace_s)
            self.returncode = self._reap()
            self.original.copies.discard(self.pid)
        return self.returncode

    def discard(self) -> int:
        """End it at once: copies are made by the thousand.

        Raises:
            FirmwareCrash: it has left processes running, and they were found here.
        """
        code = self.end(0)
        original = self.original
        count = processes.left_running(original.popen, known=original.copies)
        if count and not original.spoiled:
            original.spoiled = True
            raise FirmwareCrash(f"the firmware has left {count} processes running")
        return code

    def _reap(self) -> int:
        self.control.send(protocol.REAP, self.named)
        try:
            status = self.control.receive_answer(protocol.REAPED)
            return os.waitstatus_to_exitcode(status)
        except (Disconnected, NoAnswer, ValueError):  # no status of one that has ended
            return -signal.SIGKILL  # as the original's end has it
