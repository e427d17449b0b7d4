"""Run a command to its end under a guardian, reading its output as it comes."""

from __future__ import annotations

import enum
import os
import selectors
import subprocess
import sys
from dataclasses import dataclass, field
from typing import IO, TYPE_CHECKING

from pytest_embedbench.clock import Deadline
from pytest_embedbench.errors import BenchFault
from pytest_embedbench.processes import spawn
from pytest_embedbench.processes.confined import GUARDIAN
from pytest_embedbench.processes.sandbox import AT_HOME, refusal, words_for

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from pytest_embedbench.processes import Limits
    from pytest_embedbench.processes.sandbox import Policy

_KEPT_BYTES = 4 << 20


class GuardedExit(enum.Enum):
    """Why a run is over."""

    EXITED = "exited"
    STOPPED = "stopped by its watcher"
    TIMED_OUT = "timed out"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finished:
    """What a run left: of each stream at most the first 4 MiB."""

    ending: GuardedExit
    returncode: int
    stdout: str
    stderr: str


def run_guarded(  # noqa: PLR0913  # as spawn, and how it ends
    argv: Sequence[str | Path],
    *,
    timeout_s: float,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    limits: Limits | None = None,
    policy: Policy | None = None,
    stop_at: Callable[[str], bool] = lambda _line: False,
) -> Finished:
    """Run ``argv`` to its end; leave no process behind, however we ourselves end.

    ``stop_at`` sees each line of standard output as it comes, and what may stand behind
    the last one; the run is ended where
    it says true, or after ``timeout_s``. ``limits`` hold for each process of it;
    ``policy`` is that of a sandbox to run it in. A program that cannot be started
    exits 127.

    Raises:
        BenchFault: the sandbox cannot be made.
    """
    if policy is not None:
        argv = (*words_for(policy), *argv)
        env = {**(os.environ if env is None else env), **AT_HOME}
    guardian = spawn(
        [sys.executable, "-I", "-S", GUARDIAN, *argv],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=cwd,
        env=env,
        limits=limits,
    )
    assert guardian.stdin is not None
    assert guardian.stdout is not None
    assert guardian.stderr is not None
    stdout, stderr = _Stream(guardian.stdout), _Stream(guardian.stderr)
    try:
        ending = _follow(guardian.stdin, stdout, stderr, Deadline(timeout_s), stop_at)
    finally:
        guardian.stdin.close()
        guardian.wait()
        guardian.stdout.close()
        guardian.stderr.close()
    finished = Finished(
        ending=ending,
        returncode=guardian.returncode,
        stdout=stdout.text(),
        stderr=stderr.text(),
    )
    if policy is not None and not finished.stdout and refusal(finished.stderr):
        raise BenchFault(f"no sandbox could be made: {refusal(finished.stderr)}")
    return finished


def _follow(
    leash: IO[bytes],
    stdout: _Stream,
    stderr: _Stream,
    deadline: Deadline,
    stop_at: Callable[[str], bool],
) -> GuardedExit:
    """Read both streams to their end, which comes when the guardian is gone."""
    ending = GuardedExit.EXITED
    with selectors.DefaultSelector() as selector:
        selector.register(stdout.pipe, selectors.EVENT_READ, stdout)
        selector.register(stderr.pipe, selectors.EVENT_READ, stderr)
        while selector.get_map():
            budget_s = deadline.remaining_s() if ending is GuardedExit.EXITED else None
            for key, _ in selector.select(budget_s):
                stream: _Stream = key.data
                for line in stream.read():
                    if stream is stdout and stop_at(line):
                        ending = GuardedExit.STOPPED
                if stream.ended:
                    selector.unregister(stream.pipe)
            if ending is GuardedExit.EXITED and deadline.passed():
                ending = GuardedExit.TIMED_OUT
            if ending is not GuardedExit.EXITED:
                leash.close()
    return ending


@dataclass(slots=True)
class _Stream:
    pipe: IO[bytes]
    ended: bool = False
    _kept: bytearray = field(default_factory=bytearray)
    _line: bytearray = field(default_factory=bytearray)

    def read(self) -> Iterator[str]:
        """Take what is there; yield the lines that it completes."""
        data = os.read(self.pipe.fileno(), 1 << 16)
        self.ended = not data
        if self.ended and self._line:
            yield self._line.decode(errors="replace")
        room = _KEPT_BYTES - len(self._kept)
        self._kept += data[:room]
        *whole, rest = data.split(b"\n")
        for piece in whole:
            yield (self._line + piece).decode(errors="replace")
            self._line.clear()
        self._line += rest[: max(0, _KEPT_BYTES - len(self._line))]

    def text(self) -> str:
        return self._kept.decode(errors="replace")
