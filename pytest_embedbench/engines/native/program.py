"""A running program: how it is started, forked, and ended."""

from __future__ import annotations

import errno
import os
import secrets
import socket
import tempfile
from contextlib import ExitStack
from dataclasses import dataclass, replace
from typing import IO, TYPE_CHECKING

from pytest_embedbench.engines.native import protocol
from pytest_embedbench.engines.native.control import Control
from pytest_embedbench.engines.native.lives import LEAVE_GRACE_S, Forked, Spawned
from pytest_embedbench.errors import (
    BoardLost,
    ConfigError,
    FirmwareCrash,
    FirmwareFault,
    FirmwareSpin,
)
from pytest_embedbench.model import Isolation
from pytest_embedbench.processes import is_kept, pid_outside, signal_name
from pytest_embedbench.processes.channel import Channel, start_child
from pytest_embedbench.processes.channel_errors import Disconnected, NoAnswer
from pytest_embedbench.processes.machine_trouble import (
    MEMORY_ADVICE,
    is_sent,
    oom_kill_count,
)
from pytest_embedbench.support.symbols import load_symbols

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_embedbench.engines.native.lives import ProgramProcess
    from pytest_embedbench.errors import EmbedbenchError
    from pytest_embedbench.processes.time_budget import TimeBudget

_LIBRARYS = "bench_receive"
"""A function of the library's: a program that has it was built with it."""
_CONSOLE_SHOWN_BYTES = 2048  # of its beginning, and of its end


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
    isolation: Isolation = Isolation.NONE
    load_bias: int = 0
    named: int = 0
    """Its process id, as it sees it itself."""

    def console_text(self) -> str:
        """Return what it wrote to stdout and stderr, shortened in the middle."""
        if self.console.closed:
            return ""
        file = self.console.fileno()
        shown = _CONSOLE_SHOWN_BYTES
        hidden = os.fstat(file).st_size - 2 * shown
        text = os.pread(file, 2 * shown, 0)
        if hidden > 0:
            cut = b"\n[... %d bytes ...]\n" % hidden
            text = text[:shown] + cut + os.pread(file, shown, shown + hidden)
        return text.decode("utf-8", "replace").strip()

    def can_be_copied(self) -> bool:
        """Say whether it lives, and its copies are as alone as the first one was."""
        process = self.process
        return isinstance(process, Spawned) and process.is_fit()

    def close(self) -> int:
        """End it, let go of everything, and return a code like Popen's; once."""
        if self.console.closed:
            return self.process.end(0)
        self.control.close()
        with self.console:
            return self.process.discard()


def start_program(
    executable: Path, limits: ProgramLimits, isolation: Isolation = Isolation.NONE
) -> NativeProgram:
    """Start ``executable``; it has run no firmware yet.

    One that somebody unknown has ended meanwhile is started once more, to see whether
    it ends so by itself.

    Raises:
        ConfigError: it is a program, but not one built with ``embedbench_port``.
        FirmwareFault: it cannot be run, or ends by itself.
        BoardLost: this machine has ended it, or does not start it.
    """
    oom_kills = oom_kill_count()
    try:
        return _start_once(executable, limits, isolation)
    except _KilledEarly as first:
        ended = first
    if oom_kill_count() > oom_kills:
        raise BoardLost(f"{ended}\n{MEMORY_ADVICE}")
    try:
        _start_once(executable, limits, isolation).close()
    except _KilledEarly as again:
        if again.code == ended.code:
            raise FirmwareCrash(f"{again}: in a constructor, twice") from None
    raise BoardLost(f"{ended}, from outside: a second try ends otherwise")


class _KilledEarly(BoardLost):
    """It was ended before it could say who it is, and it is not known by whom."""

    def __init__(self, what: str, code: int) -> None:
        self.what, self.code = what, code
        super().__init__(what)


def _start_once(
    executable: Path, limits: ProgramLimits, isolation: Isolation
) -> NativeProgram:
    with ExitStack() as kept:
        ours, theirs, console = _open_channel(kept)
        try:
            with theirs:
                popen = start_child(
                    executable,
                    theirs,
                    console,
                    memory_bytes=limits.memory_bytes,
                    isolation=isolation,
                )
        except OSError as error:
            if error.errno in (errno.ENOEXEC, errno.EACCES):
                raise FirmwareFault(f"{executable}: cannot be run: {error}") from error
            raise BoardLost(
                f"{executable}: this machine does not start it: {error}; look for room "
                "on its disks, its limits (ulimit -a), and whether the cache is there"
            ) from error
        program = _shake_hands(
            NativeProgram(
                control=_control(ours, popen.pid, limits),
                process=(process := Spawned(popen, popen.pid)),
                console=console,
                executable=executable,
                limits=limits,
                isolation=isolation,
            )
        )
        if is_kept(popen):
            process.pid = pid_outside(popen, program.named)
            program.control.channel.working_pid = process.pid
        kept.pop_all()
        return program


def fork_program(original: NativeProgram) -> NativeProgram:
    """Return a copy of ``original``, which has run no firmware and never will.

    Raises:
        BoardLost: ``original`` is gone.
    """
    source = original.process
    assert isinstance(source, Spawned), "copies are not copied"
    with ExitStack() as kept:
        ours, theirs, console = _open_channel(kept)
        control = original.control
        with theirs:
            control.send_files(protocol.FORK, (theirs.fileno(), console.fileno()))
        try:
            named = control.receive_answer(protocol.FORKED)
        except (Disconnected, NoAnswer):
            named = 0
        if named == 0:
            raise BoardLost(f"{original.executable}: cannot be copied any more")
        pid = pid_outside(source.popen, named)
        source.copies.add(pid)
        program = _shake_hands(
            replace(
                original,
                control=_control(ours, pid, original.limits),
                process=Forked(pid, named, source, control),
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
        code = program.process.end(LEAVE_GRACE_S if gone else 0)
        said = program.console_text()
        program.close()
        raise _handshake_failure(
            program.executable, code if gone else None, said
        ) from None
    if answer.kind != protocol.HELLO_ANSWER or answer.value != nonce:
        program.close()
        raise ConfigError(f"{program.executable} does not speak the bench's protocol")
    version, named, load_bias = protocol.HELLO_BODY.unpack(answer.payload)
    if version != protocol.VERSION:
        program.close()
        raise ConfigError(
            f"{program.executable} is built with another embedbench_port (protocol "
            f"{version}, ours is {protocol.VERSION}): build it again"
        )
    return replace(program, load_bias=load_bias, named=named)


def speaks_to_the_bench(executable: Path) -> bool:
    """Say whether a program is built with ``embedbench_port``, as far as it shows."""
    return any(it.name == _LIBRARYS for it in load_symbols(executable).functions)


def _handshake_failure(
    executable: Path, code: int | None, said: str
) -> EmbedbenchError:
    """Return the error for a program that was no partner even before its firmware ran.

    ``code`` is how it ended by itself, as Popen has it; ``None`` if it did not.
    """
    if not speaks_to_the_bench(executable):
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
    if is_sent(code):
        raise _KilledEarly(f"the firmware {how} before firmware_main(){evidence}", code)
    what = f"the firmware {how} before firmware_main(): in a constructor"
    return FirmwareCrash(what + evidence)
