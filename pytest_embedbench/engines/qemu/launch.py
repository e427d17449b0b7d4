"""Starting a QEMU of ours: nothing to connect to, nothing to find, nothing left."""

from __future__ import annotations

import contextlib
import socket
import subprocess
import tempfile
import uuid
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING

from pytest_embedbench.engines.qemu.rsp import Stub
from pytest_embedbench.engines.qemu.uart_pipes import QemuUart
from pytest_embedbench.errors import BoardLost
from pytest_embedbench.processes import spawn, stop, tail
from pytest_embedbench.processes.channel import Channel
from pytest_embedbench.processes.channel_errors import (
    ChannelError,
    Disconnected,
    NoAnswer,
)
from pytest_embedbench.processes.time_budget import TimeBudget

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_TAIL_BYTES = 2_000
_TIME_WARP_TIMER = "lockvirtual-timer"
_EXIT_WITHIN_S = 0.2
# What the timer of ours is made of says this at every start.
_OUR_WARNINGS = ("hub port lockstep has no peer", "netdev lockstep has no peer")


@dataclass(frozen=True, slots=True, kw_only=True)
class QemuCommand:
    """What to start: a QEMU, its machine and what goes into it.

    ``files`` are open files that ``arguments`` speak of by number; ``image_entry`` is
    where the machine's ROM, if it has one, jumps to.
    """

    program: Path
    arguments: Sequence[str]
    files: Sequence[int] = ()
    image_entry: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Timing:
    """How a guest's time passes, and how long we wait for it.

    One instruction takes 2 to the power of ``icount_shift`` ns. In ``lockstep``
    nothing else counts, and ``time_warp_us`` bounds how far time goes where the guest
    is stopped; ``rom_time_warp_us`` does so at first. Otherwise a guest that idles
    waits for this computer's time.
    """

    icount_shift: int
    time_warp_us: int
    rom_time_warp_us: int
    cpu_limit_s: float
    wall_limit_s: float
    grace_s: float
    lockstep: bool = True


@dataclass(slots=True)
class Emulator:
    """A running QEMU; its guest stands at the reset vector at first."""

    stub: Stub
    ports: Mapping[str, QemuUart]
    program: Path
    popen: subprocess.Popen[bytes]
    timing: Timing
    _log: IO[bytes]
    notes: Sequence[str] = ()
    """What there is to know of its start."""

    def log_tail(self) -> str:
        """Return the last of what QEMU itself has printed."""
        lines = tail(self._log, _TAIL_BYTES).strip().splitlines()
        return "\n".join(
            line for line in lines if not any(ours in line for ours in _OUR_WARNINGS)
        )

    def end(self) -> int:
        """End the process; return its exit code, negative for a signal.

        A guest that stands still ends at once, and in order, when its debugger says
        so; otherwise it gets its grace.
        """
        self.stub.kill()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.popen.wait(_EXIT_WITHIN_S)
        stop(self.popen, self.timing.grace_s)
        return self.popen.returncode

    def close(self) -> None:
        """End the process and let go of what it has said."""
        self.end()
        for port in self.ports.values():
            port.close()
        self._log.close()


def launch(command: QemuCommand, uarts: Mapping[str, int], timing: Timing) -> Emulator:
    """Start QEMU with its guest standing at the reset vector.

    ``uarts`` maps names to QEMU's numbers for serial ports. One that fails is tried
    once more: its guest has not run, so nothing of the firmware's is lost.

    Raises:
        BoardLost: it did not start, or it is not ours that answers.
    """
    try:
        return _launched(command, uarts, timing)
    except BoardLost as first:
        emulator = _launched(command, uarts, timing)
        emulator.notes = (f"the emulator was started twice: {first}",)
        return emulator


def limit_time_warp(stub: Stub, time_warp_us: int) -> None:
    """Bound by ``time_warp_us`` how far time goes at stops after the next one.

    QEMU takes a guest that its debugger has stopped for an idle one, and with
    ``sleep=off`` it warps time to the next event of the machine: by default the next
    tick, so that a guest that is stopped in every tick would never get to do anything.
    A timer of ours that fires often and does nothing bounds that. QEMU has one in its
    network code.
    """
    stub.monitor(f"qom-set /objects/{_TIME_WARP_TIMER} interval {time_warp_us}")


def _launched(
    command: QemuCommand, uarts: Mapping[str, int], timing: Timing
) -> Emulator:
    nonce = str(uuid.uuid4())
    with ExitStack() as opened:
        log = opened.enter_context(tempfile.TemporaryFile(buffering=0))
        ours, theirs = socket.socketpair()
        opened.enter_context(ours)
        # Once QEMU has opened them, its pipes need no names any more.
        folder = tempfile.TemporaryDirectory(prefix="embedbench-qemu-")
        with theirs, folder as root:
            ports: dict[str, QemuUart] = {}
            for name in uarts:
                ports[name] = QemuUart(Path(root) / name)
                opened.callback(ports[name].close)
            words = (
                *command.arguments,
                *machine_words(timing, nonce),
                *_serial_words(uarts, ports),
                *_stub_words(theirs.fileno()),
            )
            popen = _spawned(command, words, theirs.fileno(), log)
            theirs.close()
            budget = TimeBudget(cpu_s=timing.cpu_limit_s, wall_s=timing.wall_limit_s)
            stub = Stub(Channel(ours, popen.pid, budget))
            emulator = Emulator(stub, ports, command.program, popen, timing, log)
            opened.callback(emulator.end)
            _shake_hands(emulator, nonce)
        opened.pop_all()
    return emulator


def _spawned(
    command: QemuCommand, words: Sequence[str], end: int, log: IO[bytes]
) -> subprocess.Popen[bytes]:
    try:
        return spawn(
            [command.program, *words],
            stdout=log.fileno(),
            stderr=log.fileno(),
            pass_fds=(end, *command.files),
        )
    except OSError as error:
        raise BoardLost(f"{command.program} cannot be started: {error}") from error


def machine_words(timing: Timing, nonce: str) -> list[str]:
    """Return how a machine's time passes, and that it is to show us ``nonce``."""
    # Also in real time: two cores in threads of their own crash QEMU now and then.
    sleep = "off" if timing.lockstep else "on"
    words = f"-uuid {nonce} -display none -monitor none"
    words += f" -icount shift={timing.icount_shift},sleep={sleep}"
    if timing.lockstep:
        words += (
            # A timer on virtual time that does nothing but fire.
            " -netdev hubport,id=lockstep,hubid=0"
            f" -object filter-buffer,id={_TIME_WARP_TIMER},netdev=lockstep,queue=rx"
            f",interval={timing.rom_time_warp_us}"
        )
    return words.split()


def _serial_words(uarts: Mapping[str, int], ports: Mapping[str, QemuUart]) -> list[str]:
    words: list[str] = []
    names = {number: name for name, number in uarts.items()}
    for number in range(max(names) + 1):
        if number not in names:
            words += ["-serial", "null"]
            continue
        device = f"uart-{number}"
        path = str(ports[names[number]].path).replace(",", ",,")
        words += ["-chardev", f"pipe,id={device},path={path}"]
        words += ["-serial", f"chardev:{device}"]
    return words


def _stub_words(end: int) -> list[str]:
    return ["-chardev", f"socket,id=gdb,fd={end}", "-gdb", "chardev:gdb", "-S"]


def _shake_hands(emulator: Emulator, nonce: str) -> None:
    """Make sure that the process at the other end is the one that we started."""
    try:
        answer = emulator.stub.monitor("info uuid")
    except ChannelError as cause:
        raise board_lost(emulator, cause, "when it was started") from None
    if answer != nonce:
        emulator.end()
        raise BoardLost("it is not the QEMU that we started that answers")


def board_lost(emulator: Emulator, cause: ChannelError, when: str) -> BoardLost:
    """End ``emulator``, which has failed us; return what can be said of it."""
    code = emulator.end()
    match cause:
        case Disconnected():
            how = f"was killed by signal {-code}" if code < 0 else f"ended with {code}"
        case NoAnswer():
            how = f"did nothing for {cause.wall_s:.1f} s"
        case _:
            how = f"is not what we need: {cause}"
    log = emulator.log_tail()
    said = f"; it said:\n{log}" if log else "; it said nothing"
    return BoardLost(f"{emulator.program} {how} {when}{said}")
