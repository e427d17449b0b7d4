"""The program that keeps a submission's controllers: one copy of it at a time.

An answer bears its request's token, which the driver does not read before the answer is
there: what a submission writes into the socket by itself has none.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import secrets
import socket
import subprocess
import tempfile
from contextlib import ExitStack
from dataclasses import dataclass, replace
from typing import IO, TYPE_CHECKING

from pytest_embedbench.errors import BenchFault
from pytest_embedbench.grading.host.builder import KEEPER, RUNS_EARLY
from pytest_embedbench.grading.host.diagnosis import MEMORY_LIMIT_BYTES, CopyEnd
from pytest_embedbench.grading.host.messages import (
    ANSWER,
    ENDED,
    NUMBER,
    REQUEST,
    TOKEN,
    Kind,
)
from pytest_embedbench.processes import (
    pid_outside,
    signal_name,
    stop,
    tail,
    wait_gone,
)
from pytest_embedbench.processes.channel import Channel, start_child
from pytest_embedbench.processes.channel_errors import (
    ChannelError,
    Disconnected,
    NoAnswer,
    ProtocolError,
)
from pytest_embedbench.processes.machine_trouble import memory_used_bytes, our_disk
from pytest_embedbench.processes.time_budget import TimeBudget

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_embedbench.model import FirmwareImage

_LIBRARY_VARIABLE = "EMBEDBENCH_LIBRARY"
"""The number of the library's open file, which no deleting of its name takes away."""
_EARLY_VARIABLE = "EMBEDBENCH_RUNS_EARLY"
_END_LIMIT_S = 2.0
_END_GRACE_MS = 2000
_NONCE_BYTES = 16
_REPORT_BYTES = 8192
_KEEPER_LIMIT = TimeBudget(wall_s=60.0)
_OPTIONS = {
    # Handlers of a submission's must not swallow what the sanitizer looks for.
    "ASAN_OPTIONS": "detect_leaks=0:color=never:allow_user_segv_handler=0:"
    "handle_segv=2:handle_sigbus=2:handle_sigfpe=2:handle_sigill=2:"
    "allocator_may_return_null=1",
    "UBSAN_OPTIONS": "print_stacktrace=1:color=never",
}


class CopyEnded(Exception):
    """The copy gives no answer any more."""

    def __init__(self, end: CopyEnd) -> None:
        super().__init__()
        self.end = end


@dataclass(slots=True)
class Keeper:
    """The running program, and its copy, if it has one."""

    popen: subprocess.Popen[bytes]
    control: Channel
    console: IO[bytes]
    """Stdout and stderr, of the current copy."""
    copy_limits: TimeBudget
    copy: Channel | None = None

    def greet(self) -> None:
        """See that it works here, and is the program that was started.

        Raises:
            BenchFault: it does not, or is not.
        """
        nonce = secrets.token_bytes(_NONCE_BYTES)
        try:
            answer = _exchanged(self.control, Kind.HELLO, nonce)
        except ChannelError as error:
            raise _not_started(self._without_keeper(error)) from error
        if answer != nonce:
            raise BenchFault("what answers is not the host driver that was started")

    def open_copy(self) -> None:
        """Make a copy, and have it load the submission.

        Raises:
            CopyEnded: it did not come so far.
        """
        self.console.truncate(0)
        ours, theirs = socket.socketpair()
        token, of_copy = _new_token(), _new_token()
        with theirs:
            request = REQUEST.pack(0, Kind.OPEN) + TOKEN.pack(token)
            with contextlib.suppress(OSError):  # noticed at the answer
                socket.send_fds(self.control.end, [request], [theirs.fileno()])
            ours.send(TOKEN.pack(of_copy))  # it need not wait for us
            try:
                answer = _received(self.control, Kind.OPEN, token)
            except ChannelError as error:
                ours.close()
                raise CopyEnded(self._without_keeper(error)) from error
        self.adopt(ours, *NUMBER.unpack(answer))
        self._answered(lambda channel: _received(channel, Kind.OPEN, of_copy))

    def adopt(self, end: socket.socket, pid: int) -> Channel:
        """Look after a copy, which calls itself ``pid``."""
        outside = pid_outside(self.popen, pid)
        self.copy = Channel(end, outside, self.copy_limits, ANSWER, self._look)
        return self.copy

    def ask(self, kind: Kind, payload: bytes) -> bytes:
        """Return what the copy answers; raises ``CopyEnded`` if it does not."""
        return self._answered(lambda channel: _exchanged(channel, kind, payload))

    def end_copy(self, grace_ms: int = 0) -> CopyEnd:
        """End the copy with all that it has started, and say how it had ended.

        It has ``grace_ms`` to end by itself.
        """
        if self.copy is None:
            return CopyEnd()
        self.copy.close()
        self.copy = None
        try:
            answer = _exchanged(self.control, Kind.END, NUMBER.pack(grace_ms))
        except ChannelError as error:
            return self._without_keeper(error)
        status, steps_begun, memory_kib, left_running, by_us = ENDED.unpack(answer)
        return CopyEnd(
            code=None if by_us else os.waitstatus_to_exitcode(status),
            steps_begun=steps_begun,
            memory_bytes=memory_kib * 1024,
            left_running=left_running,
            report=self._report(),
        )

    def stop(self) -> None:
        """End the program and its copy."""
        if self.copy is not None:
            self.copy.close()
        self.control.close()
        stop(self.popen, grace_s=0)
        if self.copy is not None:
            wait_gone(self.copy.pid, _END_LIMIT_S)
        self.console.close()

    def _answered(self, talk: Callable[[Channel], bytes]) -> bytes:
        """Return what a talk with the copy comes to."""
        assert self.copy is not None
        try:
            return talk(self.copy)
        except NoAnswer as wait:
            raise CopyEnded(replace(self.end_copy(), wait=wait)) from None
        except Disconnected:
            raise CopyEnded(self.end_copy(_END_GRACE_MS)) from None
        except ProtocolError:
            raise CopyEnded(replace(self.end_copy(), spoke=True)) from None
        except Refusal as refusal:
            raise CopyEnded(refusal.end(self.end_copy())) from None

    def _look(self) -> None:
        """End a copy that uses up memory, should it have switched off who looks."""
        if self.copy is not None:
            used_bytes = memory_used_bytes(self.copy.pid)
            if used_bytes > 2 * MEMORY_LIMIT_BYTES:
                raise Refusal(Kind.REFUSED, "it uses more and more memory")

    def _without_keeper(self, error: ChannelError) -> CopyEnd:
        """Return how it ended that has none of a submission in it."""
        if isinstance(error, NoAnswer):
            return CopyEnd(keeper_lost=True, wait=error)
        try:
            code = self.popen.wait(_END_LIMIT_S)
        except subprocess.TimeoutExpired:
            return CopyEnd(keeper_lost=True, spoke=True, report=self._report())
        return CopyEnd(keeper_lost=True, keeper_code=code, report=self._report())

    def _report(self) -> str:
        """Return what the copy wrote to stdout and stderr, the end of it."""
        report = tail(self.console, _REPORT_BYTES)
        if os.fstat(self.console.fileno()).st_size > _REPORT_BYTES:
            report = report.partition("\n")[2]  # no half line
        return report.strip()


class Refusal(Exception):
    """The copy is refused an answer, or what it uses."""

    def __init__(self, kind: Kind, why: str) -> None:
        super().__init__(why)
        self.kind, self.why = kind, why

    def end(self, end: CopyEnd) -> CopyEnd:
        """Return the end of the copy that was refused, with the reason."""
        if self.kind is Kind.UNLOADABLE:
            return replace(end, unloadable=self.why)
        return replace(end, refused=self.why)


def _new_token() -> int:
    return secrets.randbits(64)


def _exchanged(channel: Channel, kind: Kind, payload: bytes) -> bytes:
    """Send a request with its token, and return the answer to it."""
    token = _new_token()
    channel.write(REQUEST.pack(len(payload), kind) + payload + TOKEN.pack(token))
    return _received(channel, kind, token)


def _received(channel: Channel, kind: Kind, token: int) -> bytes:
    """Return what is answered to a request of a kind that went with a token."""
    kinds = (kind, Kind.REFUSED, Kind.UNLOADABLE)
    (_, answered, returned), answer = channel.receive(kinds)
    if returned != token:
        raise ProtocolError("an answer without its token")
    if answered != kind:
        raise Refusal(Kind(answered), answer.decode(errors="replace"))
    return answer


def start_keeper(image: FirmwareImage, copy_limits: TimeBudget) -> Keeper:
    """Start the program that was built for a submission, and see that it works.

    Nothing of the submission runs yet: whatever goes wrong is this machine's.

    Raises:
        BenchFault: it is not what was built, or does not start.
    """
    with our_disk("the host driver"), ExitStack() as kept:
        library = kept.enter_context(image.elf_path.open("rb"))
        if hashlib.sha256(library.read()).hexdigest() != image.sha256:
            raise BenchFault(f"{image.elf_path}: not the host driver that was built")
        console = kept.enter_context(tempfile.TemporaryFile("a+b", buffering=0))
        # Not every Python does so by the mode: what is truncated would have a hole.
        fcntl.fcntl(console, fcntl.F_SETFL, os.O_APPEND)
        ours, theirs = socket.socketpair()
        kept.enter_context(ours)
        environment = {**_OPTIONS, _LIBRARY_VARIABLE: str(library.fileno())}
        if image.metadata.get(RUNS_EARLY) != str(False):
            environment[_EARLY_VARIABLE] = "1"
        with theirs:
            popen = start_child(
                image.artifacts[KEEPER],
                theirs,
                console,
                environment=environment,
                isolation=image.isolation,
                files=(library.fileno(),),
            )
        kept.callback(stop, popen, grace_s=0)
        control = Channel(ours, popen.pid, _KEEPER_LIMIT, ANSWER)
        started = Keeper(popen, control, console, copy_limits)
        started.greet()
        library.close()
        kept.pop_all()
        return started


def _not_started(end: CopyEnd) -> BenchFault:
    code = end.keeper_code
    how = "does not answer"
    if code is not None:
        how = (
            f"ended with exit code {code}" if code >= 0 else f"by {signal_name(-code)}"
        )
    said = f"; it says:\n{end.report}" if end.report else ""
    return BenchFault(
        "the host driver cannot start on this machine, with nothing of the submission "
        f"in it: {how}. AddressSanitizer takes terabytes of address space: look at "
        f"`ulimit -v`, and for free memory{said}"
    )
