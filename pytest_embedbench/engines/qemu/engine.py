"""Boot images on QEMU: STM32 on that of any distribution."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_embedbench.engines.qemu.board import QemuBoard
from pytest_embedbench.engines.qemu.clocks import find_clock
from pytest_embedbench.engines.qemu.discovery import find_qemu
from pytest_embedbench.engines.qemu.elf import read_names
from pytest_embedbench.engines.qemu.launch import Command, Pace, launch
from pytest_embedbench.engines.qemu.machines import MACHINES, machine_for
from pytest_embedbench.engines.qemu.options import Options, read_options
from pytest_embedbench.errors import ToolMissing

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_embedbench.engines.qemu.clocks import GuestClock
    from pytest_embedbench.engines.qemu.launch import Emulator
    from pytest_embedbench.engines.qemu.machines import Machine
    from pytest_embedbench.model import BoardSpec, FirmwareImage

# A leap of a tenth of a tick at most; less than this only costs time.
_LEAPS_PER_TICK = 10


@dataclass(frozen=True, slots=True)
class QemuArm:
    """Boots ELF files on STM32 machines of mainline QEMU; options as in ``Options``."""

    def boot(self, spec: BoardSpec, image: FirmwareImage) -> QemuBoard:
        """Start ``image``; the board stands at the firmware's first tick."""
        machine = machine_for(spec)
        options = read_options(spec, Options)
        found = find_qemu(machine.program, machine.name, options.qemu)
        if found is None:
            raise self._missing(machine.program)
        command = Command(
            program=found.path,
            arguments=("-machine", machine.name, "-kernel", str(image.elf_path)),
            uarts={uart.name: machine.uarts[uart.name].serial for uart in spec.uarts},
        )
        return start_board(spec, image, machine, options, lambda: command)

    def missing(self) -> ToolMissing | None:
        """Say whether there is a QEMU that knows our machine."""
        machine = MACHINES["stm32f405"]
        if os.name == "posix" and find_qemu(machine.program, machine.name, ""):
            return None
        return self._missing(machine.program)

    def version(self) -> str:
        """Name the QEMU that would be used."""
        machine = MACHINES["stm32f405"]
        found = find_qemu(machine.program, machine.name, "")
        return f"QEMU {found.version}" if found else "QEMU is not installed"

    def _missing(self, program: str) -> ToolMissing:
        return ToolMissing("qemu-arm", program, "apt-get install qemu-system-arm")


def start_board(
    spec: BoardSpec,
    image: FirmwareImage,
    machine: Machine,
    options: Options,
    command: Callable[[], Command],
) -> QemuBoard:
    """Return a board that has run up to its first tick.

    ``command`` says what to start; it is asked again for each reset.
    """
    names = read_names(image.elf_path)

    def clock() -> GuestClock:
        return find_clock(names, options.sync_symbol, options.sync_period_us)

    pace = Pace(
        icount_shift=options.icount_shift,
        leap_us=max(1, clock().period_us // _LEAPS_PER_TICK),
        cpu_limit_s=options.boot_limit_ms / 1000,
        wall_limit_s=options.wall_limit_ms / 1000,
        grace_s=options.grace_ms / 1000,
    )

    def power_on() -> Emulator:
        return launch(command(), pace)

    return QemuBoard(
        spec=spec,
        machine=machine,
        elf_path=image.elf_path,
        power_on=power_on,
        find_clock=clock,
        run_cpu_s=options.cpu_limit_ms / 1000,
    )
