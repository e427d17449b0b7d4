"""The processes that simavr lives in: how each is ended."""

from __future__ import annotations

import contextlib
import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_embedbench import processes

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(slots=True)
class SpawnedChild:
    """A child of ours."""

    popen: subprocess.Popen[bytes]

    @property
    def pid(self) -> int:
        """The process."""
        return self.popen.pid

    def is_alive(self) -> bool:
        """Say whether it runs."""
        return self.popen.poll() is None

    def end(self, grace_s: float) -> int:
        """Wait for its end, force it after ``grace_s``; return a code like Popen's."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.popen.wait(grace_s)
        processes.stop(self.popen, grace_s=0)
        return self.popen.wait()


@dataclass(slots=True)
class CopiedChild:
    """A child of a child of ours; that one has to ``reap`` it."""

    pid: int
    reap: Callable[[int], int]
    _code: int | None = None

    def end(self, grace_s: float) -> int:
        """Wait for its end, force it after ``grace_s``; return a code like Popen's."""
        if self._code is None:
            processes.end_unreaped(self.pid, grace_s)
            self._code = self.reap(self.pid)
        return self._code
