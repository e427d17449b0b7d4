"""From how a guest stopped being of use to whose fault that was."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pytest_embedbench.engines.qemu.launch import lost
from pytest_embedbench.engines.qemu.lockstep import Restarted, Trapped
from pytest_embedbench.engines.qemu.packets import Garbled
from pytest_embedbench.engines.qemu.rsp import HungUp
from pytest_embedbench.engines.qemu.time_budget import Silent
from pytest_embedbench.errors import (
    BoardLost,
    FirmwareCrash,
    FirmwareReset,
    FirmwareSpin,
)
from pytest_embedbench.support.symbols import load_symbols

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_embedbench.engines.qemu.launch import Emulator
    from pytest_embedbench.engines.qemu.machines import QemuMachine
    from pytest_embedbench.errors import EmbedbenchError

    Cause = HungUp | Garbled | Silent | Restarted | Trapped

ROM_BANNER = re.compile(rb"\brst:0x[0-9a-f]+ \(([A-Z0-9_]+)\),boot:")
"""What an ESP chip's ROM says first after each reset, and why it was reset."""
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


def explain(cause: Cause, scene: GuestContext) -> EmbedbenchError:
    """Return the error that says what happened; the emulator is ended."""
    match cause:
        case Restarted():
            error: EmbedbenchError = FirmwareReset(_restarted(scene))
        case Trapped():
            error = FirmwareCrash(
                f"the firmware stopped{_where(scene)}: a breakpoint of its own, or an "
                "exception that its debugger is told of"
            )
        case Silent():
            error = _silent(cause, scene)
        case HungUp() if _LOCKUP in scene.emulator.words():
            error = FirmwareCrash("the firmware crashed in its own fault handler")
        case _:
            error = lost(scene.emulator, cause, _when(scene))
    scene.emulator.end()
    if isinstance(error, BoardLost) and scene.at_us is None:
        return BoardLost(f"{error}{_evidence(scene.said)}")
    return error


def _restarted(scene: GuestContext) -> str:
    reasons = ROM_BANNER.findall(scene.said)
    reason = f", {reasons[-1].decode()}" if reasons else ""
    return f"the firmware restarted by itself{reason} ({_when(scene)})"


def _silent(cause: Silent, scene: GuestContext) -> EmbedbenchError:
    stub = scene.emulator.stub
    wall_s = min(stub.patience.wall_s, _INTERRUPT_WALL_S)
    stub.patience = replace(stub.patience, wall_s=wall_s, watch=None)
    try:
        stub.interrupt()
    except (HungUp, Garbled, Silent):
        return lost(scene.emulator, cause, _when(scene))
    where = _where(scene)
    used = "" if cause.cpu_s is None else f"{cause.cpu_s:.1f} s of CPU time, "
    took = f"{used}{cause.wall_s:.1f} s of host time"
    if scene.at_us is None:
        return BoardLost(
            f"the firmware did not come to its first tick in {took}{where}"
        )
    return FirmwareSpin(
        f"the firmware's tick has stopped: it runs on{where} with the tick's interrupt "
        f"masked, {took} so far ({_when(scene)})"
    )


def _where(scene: GuestContext) -> str:
    """Return `` in f+0x4`` of a guest that stands still, if it can be told."""
    try:
        counter = scene.emulator.stub.read_register(scene.machine.pc_register)
    except (HungUp, Garbled, Silent):
        return ""
    return f" in {load_symbols(scene.elf_path).describe(counter)}"


def _when(scene: GuestContext) -> str:
    return "at boot" if scene.at_us is None else f"at {scene.at_us / 1e6:.3f} s"


def _evidence(said: bytes) -> str:
    """Return the end of what no transcript has, for there is no board yet."""
    if not said:
        return "\nit said nothing on its UART"
    lines = said.decode(errors="backslashreplace").splitlines()[-_TAIL_LINES:]
    return "\nlast words on its UART:\n" + "\n".join(lines)
