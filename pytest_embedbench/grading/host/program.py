"""A driver program that runs: one process that stands ready, and a copy per test.

Messages are a header, then a payload; the numbers are known to ``driver.c`` too.
"""

from __future__ import annotations

import enum
import hashlib
import os
import secrets
import socket
import struct
import subprocess
import tempfile
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import IO, TYPE_CHECKING

from pytest_embedbench.errors import BenchFault
from pytest_embedbench.grading.host.diagnosis import crashed, never_came_back, spoke
from pytest_embedbench.processes import stop, tail
from pytest_embedbench.processes.channel import Channel, start_child
from pytest_embedbench.processes.channel_errors import (
    Disconnected,
    NoAnswer,
    ProtocolError,
)
from pytest_embedbench.processes.time_budget import TimeBudget

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_embedbench.errors import EmbedbenchError
    from pytest_embedbench.model import FirmwareImage

_HEADER = struct.Struct("=II")  # length of the payload, kind
_PID = struct.Struct("=i")
_ENDED = struct.Struct("=iI")
_WALL_LIMIT_S = 30.0
_ASLEEP_LIMIT_S = 10.0
_END_LIMIT_S = 2.0
_START = "before controller_init"
_NONCE_BYTES = 16
_REPORT_BYTES = 8192
_SANITIZERS = {
    "ASAN_OPTIONS": "detect_leaks=0:color=never",
    "UBSAN_OPTIONS": "print_stacktrace=1:color=never",
}


class Kind(enum.IntEnum):
    """What a message is; an answer bears the kind of its request."""

    HELLO = 1
    OPEN = 2
    INIT = 3
    STEPS = 4
    PARSE = 5
    SERIALISE = 6
    CLOSE = 7
    ENDED = 8


@dataclass(slots=True)
class HostProgram:
    """The file that was built, run by us, serving one controller at a time."""

    image: FirmwareImage
    wall_limit_s: float = _WALL_LIMIT_S
    _process: _Process | None = field(default=None, init=False)
    _opened: bool = field(default=False, init=False)

    def __repr__(self) -> str:
        return (
            f"<HostProgram {self.image.elf_path.name}: sha256 {self.image.sha256[:12]}>"
        )

    def open(self) -> None:
        """Start a copy that knows nothing of earlier ones, which it replaces.

        Raises:
            BenchFault: the program is not the one that was built, or does not start.
        """
        self.close()
        if self._process is None:
            self._process = _start(self.image, self.wall_limit_s)
        self._opened = True
        self.ask(Kind.OPEN, doing=lambda _: _START)

    def ask(
        self, kind: Kind, payload: bytes = b"", *, doing: Callable[[int], str]
    ) -> bytes:
        """Send a request to the copy and return its answer.

        ``doing`` returns what was going on, for the message of a fault, given how many
        steps of the request were begun.

        Raises:
            FirmwareCrash: the submission crashed, or did what C does not define.
            FirmwareSpin: it did not come back.
        """
        if self._process is None or not self._opened:
            raise BenchFault("the controller has ended: it takes no more steps")
        try:
            return self._process.ask(kind, payload, doing)
        except BaseException:
            # Out of step with it from here on, whatever happened.
            self.stop()
            raise

    def close(self) -> None:
        """End the copy; safe to call twice."""
        if self._process is None or not self._opened:
            return
        self._opened = False
        try:
            self._process.close_copy()
        except BaseException:
            self.stop()
            raise

    def stop(self) -> None:
        """End the program; safe to call twice."""
        process, self._process, self._opened = self._process, None, False
        if process is not None:
            process.stop()


@dataclass(slots=True)
class _Process:
    popen: subprocess.Popen[bytes]
    channel: Channel
    console: IO[bytes]
    """Its stdout and stderr, of the current copy."""

    def ask(self, kind: Kind, payload: bytes, doing: Callable[[int], str]) -> bytes:
        if kind is Kind.OPEN:
            self.console.truncate(0)
        answered, answer = self._exchange(kind, payload, doing(0))
        if answered == Kind.ENDED:
            wait_status, steps_begun = _ENDED.unpack(answer)
            code = os.waitstatus_to_exitcode(wait_status)
            raise crashed(doing(steps_begun), code, self._report())
        if kind is Kind.OPEN:
            (self.channel.working_pid,) = _PID.unpack(answer)
        return answer

    def close_copy(self) -> None:
        self._exchange(Kind.CLOSE, b"", "after the last step")

    def stop(self) -> None:
        self.channel.close()
        stop(self.popen, grace_s=0)
        self.console.close()

    def _exchange(self, kind: Kind, payload: bytes, doing: str) -> tuple[int, bytes]:
        """Return what is answered, and with what; ``ENDED`` answers anything."""
        try:
            self.channel.send(payload, kind)
            (_, answered), answer = self.channel.receive((kind, Kind.ENDED))
        except NoAnswer as wait:
            report = self._report()
            raise never_came_back(doing, wait.wall_s, report) from None
        except Disconnected as error:
            raise self._disconnected(doing) from error
        except ProtocolError as error:
            raise spoke(doing, self._report()) from error
        return answered, answer

    def _disconnected(self, doing: str) -> EmbedbenchError:
        """Without the submission in it this program does not end: that one did it."""
        try:
            code = self.popen.wait(_END_LIMIT_S)
        except subprocess.TimeoutExpired:
            return spoke(doing, self._report())
        return crashed(doing, code, self._report())

    def _report(self) -> str:
        """Return what the copy wrote to stdout and stderr, the end of it."""
        report = tail(self.console, _REPORT_BYTES)
        if os.fstat(self.console.fileno()).st_size > _REPORT_BYTES:
            report = report.partition("\n")[2]  # no half line
        return report.strip()


def _start(image: FirmwareImage, wall_limit_s: float) -> _Process:
    """Start the program, if it is still the file that was built, and greet it."""
    if hashlib.sha256(image.elf_path.read_bytes()).hexdigest() != image.sha256:
        raise BenchFault(f"{image.elf_path}: not the host driver that was built")
    with ExitStack() as kept:
        ours, theirs = socket.socketpair()
        kept.enter_context(ours)
        console = kept.enter_context(tempfile.TemporaryFile("a+b", buffering=0))
        with theirs:
            popen = start_child(
                image.elf_path, theirs, console, environment=_SANITIZERS
            )
        budget = TimeBudget(wall_s=wall_limit_s, idle_s=_ASLEEP_LIMIT_S)
        process = _Process(popen, Channel(ours, popen.pid, budget, _HEADER), console)
        kept.callback(stop, popen, grace_s=0)
        nonce = secrets.token_bytes(_NONCE_BYTES)
        if process.ask(Kind.HELLO, nonce, lambda _: _START) != nonce:
            raise BenchFault(f"{image.elf_path}: not the host driver we started")
        kept.pop_all()
        return process
