"""A running program: how it is started, forked, and ended."""

from __future__ import annotations

import contextlib
import os
import secrets
import signal
import socket
import subprocess
import tempfile
from contextlib import ExitStack
from dataclasses import dataclass, replace
from typing import IO, TYPE_CHECKING, Protocol

from pytest_embedbench import processes
from pytest_embedbench.engines.native import protocol
from pytest_embedbench.engines.native.control import Control
from pytest_embedbench.errors import (
    BoardLost,
    ConfigError,
    FirmwareCrash,
    FirmwareFault,
    FirmwareSpin,
)
from pytest_embedbench.processes import signal_name
from pytest_embedbench.processes.channel import Channel, start_child
from pytest_embedbench.processes.channel_errors import Disconnected, NoAnswer
from pytest_embedbench.support.symbols import load_symbols

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_embedbench.errors import EmbedbenchError
    from pytest_embedbench.processes.time_budget import TimeBudget

_LIBRARYS = "bench_receive"
"""A function of the library's: a program that has it was built with it."""
_CONSOLE_SHOWN_BYTES = 2048  # of its beginning, and of its end
_LEAVE_GRACE_S = 2.0


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


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgramLimits:
    """What a program may use: time for each answer, memory in all."""

    answer: TimeBudget
    memory_bytes: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class NativeProgram:
    """A program that has proved to be the one we started, and has our protocol."""

    control: Control
    process: ProgramProcess
    console: IO[bytes]
    executable: Path
    limits: ProgramLimits
    load_bias: int = 0

    def console_text(self) -> str:
        """Return what it wrote to stdout and stderr, shortened in the middle."""
        file = self.console.fileno()
        shown = _CONSOLE_SHOWN_BYTES
        hidden = os.fstat(file).st_size - 2 * shown
        text = os.pread(file, 2 * shown, 0)
        if hidden > 0:
            cut = b"\n[... %d bytes ...]\n" % hidden
            text = text[:shown] + cut + os.pread(file, shown, shown + hidden)
        return text.decode("utf-8", "replace").strip()

    def close(self) -> int:
        """End it, let go of everything, and return a code like Popen's."""
        self.control.close()
        code = self.process.discard()
        self.console.close()
        return code


@dataclass(slots=True)
class _Spawned:
    """A child of ours."""

    popen: subprocess.Popen[bytes]

    @property
    def pid(self) -> int:
        return self.popen.pid

    def end(self, grace_s: float) -> int:
        if self.popen.returncode is None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.popen.wait(grace_s)
            processes.stop(self.popen, grace_s=0)
        return self.popen.wait()

    def discard(self) -> int:
        # It leaves by itself when we hang up, and writes its coverage data first.
        return self.end(_LEAVE_GRACE_S)


@dataclass(slots=True)
class _Forked:
    """A child of a program of ours, which has to reap it for us."""

    pid: int
    original: NativeProgram
    returncode: int | None = None

    def end(self, grace_s: float) -> int:
        if self.returncode is None:
            if grace_s > 0:
                processes.wait_gone(self.pid, grace_s)
            # Not reaped yet, so the number is still this process's.
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGKILL)
            self.returncode = self._reap()
        return self.returncode

    def discard(self) -> int:
        return self.end(0)  # copies are made by the thousand: no time for a clean exit

    def _reap(self) -> int:
        control = self.original.control
        control.send(protocol.REAP, self.pid)
        try:
            status = control.receive_answer(protocol.REAPED)
            return os.waitstatus_to_exitcode(status)
        except (Disconnected, NoAnswer):
            return -signal.SIGKILL  # as the original's end has it


def start_program(executable: Path, limits: ProgramLimits) -> NativeProgram:
    """Start ``executable``; it has run no firmware yet.

    Raises:
        ConfigError: it is a program, but not one built with ``embedbench_port``.
        FirmwareFault: it cannot be run.
    """
    with ExitStack() as kept:
        ours, theirs, console = _open_channel(kept)
        try:
            with theirs:
                popen = start_child(
                    executable, theirs, console, memory_bytes=limits.memory_bytes
                )
        except OSError as error:
            raise FirmwareFault(f"{executable}: cannot be run: {error}") from error
        program = _shake_hands(
            NativeProgram(
                control=_control(ours, popen.pid, limits),
                process=_Spawned(popen),
                console=console,
                executable=executable,
                limits=limits,
            )
        )
        kept.pop_all()
        return program


def fork_program(original: NativeProgram) -> NativeProgram:
    """Return a copy of ``original``, which has run no firmware and never will.

    Raises:
        BoardLost: ``original`` is gone.
    """
    with ExitStack() as kept:
        ours, theirs, console = _open_channel(kept)
        control = original.control
        with theirs:
            control.send_files(protocol.FORK, (theirs.fileno(), console.fileno()))
        try:
            pid = control.receive_answer(protocol.FORKED)
        except (Disconnected, NoAnswer):
            pid = 0
        if pid == 0:
            raise BoardLost(f"{original.executable}: cannot be copied any more")
        program = _shake_hands(
            replace(
                original,
                control=_control(ours, pid, original.limits),
                process=_Forked(pid, original),
                console=console,
            )
        )
        kept.pop_all()
        return program


def _open_channel(kept: ExitStack) -> tuple[socket.socket, socket.socket, IO[bytes]]:
    """Return our end, the program's end, and a file for its stdout and stderr."""
    ours, theirs = socket.socketpair()
    kept.enter_context(ours)
    console = kept.enter_context(tempfile.TemporaryFile(buffering=0))  # noqa: SIM115  # it is one
    return ours, theirs, console


def _control(end: socket.socket, pid: int, limits: ProgramLimits) -> Control:
    return Control(Channel(end, pid, limits.answer, protocol.HEADER))


def _shake_hands(program: NativeProgram) -> NativeProgram:
    """Make sure that the other end is ours, and speaks as we do."""
    nonce = secrets.randbits(64)
    program.control.send(protocol.HELLO, nonce)
    try:
        answer = program.control.receive()
    except (Disconnected, NoAnswer) as cause:
        gone = isinstance(cause, Disconnected)
        code = program.process.end(_LEAVE_GRACE_S if gone else 0)
        said = program.console_text()
        program.close()
        raise _handshake_failure(
            program.executable, code if gone else None, said
        ) from None
    if answer.kind != protocol.HELLO_ANSWER or answer.value != nonce:
        program.close()
        raise ConfigError(f"{program.executable} does not speak the bench's protocol")
    version, _, load_bias = protocol.HELLO_BODY.unpack(answer.payload)
    if version != protocol.VERSION:
        program.close()
        raise ConfigError(
            f"{program.executable} is built with another embedbench_port (protocol "
            f"{version}, ours is {protocol.VERSION}): build it again"
        )
    return replace(program, load_bias=load_bias)


def _handshake_failure(
    executable: Path, code: int | None, said: str
) -> EmbedbenchError:
    """Return the error for a program that was no partner even before its firmware ran.

    ``code`` is how it ended by itself, as Popen has it; ``None`` if it did not.
    """
    if not any(it.name == _LIBRARYS for it in load_symbols(executable).functions):
        how = "was silent" if code is None else f"ended with {code}"
        return ConfigError(
            f"{executable} {how} when the bench greeted it, so it is not built "
            "with the embedbench_port library: include embedbench_port.h and define "
            "firmware_main() in place of main()"
        )
    evidence = f"\nit wrote to stdout and stderr:\n{said}" if said else ""
    if code is None:
        what = "the firmware never got to firmware_main(): a constructor never returns"
        return FirmwareSpin(what + evidence)
    how = f"was killed by {signal_name(-code)}" if code < 0 else f"exited with {code}"
    what = f"the firmware {how} before firmware_main(): in a constructor"
    return FirmwareCrash(what + evidence)
