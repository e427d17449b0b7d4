"""From how a guest stopped being of use to whose fault that was."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pytest_embedbench.engines.qemu.boot_words import (
    ROM_BANNER,
    refusal,
)
from pytest_embedbench.engines.qemu.early_faults import Faulted
from pytest_embedbench.engines.qemu.launch import board_lost
from pytest_embedbench.engines.qemu.lockstep import Restarted, Trapped
from pytest_embedbench.engines.qemu.not_modelled import PERIPHERALS, unmodelled
from pytest_embedbench.errors import (
    BoardLost,
    FirmwareCrash,
    FirmwareReset,
    FirmwareSpin,
    NotSupported,
)
from pytest_embedbench.processes.channel_errors import (
    ChannelError,
    Disconnected,
    NoAnswer,
)
from pytest_embedbench.support.symbols import load_symbols

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_embedbench.engines.qemu.launch import Emulator
    from pytest_embedbench.engines.qemu.machines import QemuMachine
    from pytest_embedbench.errors import EmbedbenchError

    Cause = ChannelError | Restarted | Trapped | Faulted

_LOCKUP = "Lockup: can't escalate"
_INTERRUPT_WALL_S = 5.0
_TAIL_LINES = 15


@dataclass(frozen=True, slots=True, kw_only=True)
class GuestContext:
    """What was running, for the message.

    ``at_us`` is ``None`` while it boots; ``said`` is the last of the first UART.
    """

    emulator: Emulator
    machine: QemuMachine
    elf_path: Path
    at_us: int | None
    said: bytes


def explain(cause: Cause, context: GuestContext) -> EmbedbenchError:
    """Return the error that says what happened; the emulator is ended."""
    machine = context.machine.name
    if peripheral := unmodelled(context.said, PERIPHERALS.get(machine)):
        context.emulator.end()
        return NotSupported(
            f"the firmware uses {peripheral}, which this QEMU does not model "
            f"({_when(context)}): it panics here, and would not on the real chip"
        )
    match cause:
        case Restarted():
            error: EmbedbenchError = FirmwareReset(_restarted(context))
        case Trapped():
            error = FirmwareCrash(
                f"the firmware stopped{_where(context)}: a breakpoint of its own, or "
                "an exception that its debugger is told of"
            )
        case Faulted():
            error = FirmwareCrash(_faulted(cause, context))
        case NoAnswer():
            error = _unanswered(cause, context)
        case Disconnected() if _LOCKUP in context.emulator.log_tail():
            error = FirmwareCrash("the firmware crashed in its own fault handler")
        case _:
            error = board_lost(context.emulator, cause, _when(context))
    context.emulator.end()
    if isinstance(error, BoardLost) and context.at_us is None:
        return BoardLost(f"{error}{_evidence(context.said)}")
    return error


def _restarted(context: GuestContext) -> str:
    reasons = ROM_BANNER.findall(context.said)
    reason = f", {reasons[-1].decode()}" if reasons else ""
    if context.at_us is None and (words := refusal(context.said)):
        return f"the chip cannot boot what is in its flash, and says: {words}"
    return f"the firmware restarted by itself{reason} ({_when(context)})"


def _faulted(fault: Faulted, context: GuestContext) -> str:
    where = ""
    if fault.pc is not None:
        where = f" in {load_symbols(context.elf_path).describe(fault.pc)}"
    why = f": {fault.cause}" if fault.cause else ""
    return f"the firmware faulted before its first tick{where}{why}"


def _unanswered(cause: NoAnswer, context: GuestContext) -> EmbedbenchError:
    stub = context.emulator.stub
    budget = stub.channel.budget
    wall_s = min(budget.wall_s, _INTERRUPT_WALL_S)
    stub.channel.budget, stub.channel.watch = replace(budget, wall_s=wall_s), None
    try:
        stub.interrupt()
    except ChannelError:
        return board_lost(context.emulator, cause, _when(context))
    where = _where(context)
    used = "" if cause.cpu_s is None else f"{cause.cpu_s:.1f} s of CPU time, "
    took = f"{used}{cause.wall_s:.1f} s of host time"
    if context.at_us is None:
        return BoardLost(
            f"the firmware did not come to its first tick in {took}{where}"
        )
    return FirmwareSpin(
        f"the firmware's tick has stopped: it runs on{where} with the tick's interrupt "
        f"masked, {took} so far ({_when(context)})"
    )


def _where(context: GuestContext) -> str:
    """Return `` in f+0x4`` of a guest that stands still, if it can be told."""
    try:
        counter = context.emulator.stub.read_register(context.machine.pc_register)
    except ChannelError:
        return ""
    return f" in {load_symbols(context.elf_path).describe(counter)}"


def _when(context: GuestContext) -> str:
    return "at boot" if context.at_us is None else f"at {context.at_us / 1e6:.3f} s"


def _evidence(said: bytes) -> str:
    """Return the end of what no transcript has, for there is no board yet."""
    if not said:
        return "\nit said nothing on its UART"
    lines = said.decode(errors="backslashreplace").splitlines()[-_TAIL_LINES:]
    return "\nlast words on its UART:\n" + "\n".join(lines)
