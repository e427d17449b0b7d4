"""STM32 on the QEMU of any distribution."""

from __future__ import annotations

import os
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_embedbench.engines.qemu.arm_program import arm_program, check_fits
from pytest_embedbench.engines.qemu.board import QemuBoard, board_on
from pytest_embedbench.engines.qemu.discovery import (
    broken_qemus,
    find_qemu,
    posix_missing,
)
from pytest_embedbench.engines.qemu.guest_setup import set_up
from pytest_embedbench.engines.qemu.launch import QemuCommand
from pytest_embedbench.engines.qemu.machines import MACHINES, machine_for
from pytest_embedbench.engines.qemu.options import QemuOptions, capabilities
from pytest_embedbench.errors import ToolMissing
from pytest_embedbench.support.image_kinds import ImageKind
from pytest_embedbench.support.options import read_options

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_embedbench.model import BoardSpec, Capability, FirmwareImage

_MACHINE = MACHINES["stm32f405"]


@dataclass(frozen=True, slots=True)
class QemuArm:
    """Boots ELF files on STM32 machines of mainline QEMU; see ``QemuOptions``."""

    def image_kinds(self, spec: BoardSpec) -> tuple[str, ...]:
        """Return what QEMU, or we, can put into such a machine."""
        del spec
        return tuple(k.value for k in (ImageKind.ELF, ImageKind.HEX, ImageKind.BIN))

    def check_image(self, spec: BoardSpec, file: Path) -> None:
        """Raise ``FirmwareFault`` for what is not made for the chip's flash."""
        del spec
        check_fits(file)

    def boot(self, spec: BoardSpec, image: FirmwareImage) -> QemuBoard:
        """Start ``image``; the board stands at the firmware's first tick."""
        machine = machine_for(spec)
        options = read_options(spec, QemuOptions)
        found = find_qemu(machine.program, machine.name, options.qemu)
        if found is None:
            raise _missing()
        opened = ExitStack()
        try:
            program = opened.enter_context(arm_program(image))
            command = QemuCommand(
                program=found.path,
                arguments=("-machine", machine.name, "-kernel", program.kernel),
                files=program.files,
            )
            return board_on(
                set_up(spec, machine, program.image, options, command, opened.close)
            )
        except BaseException:
            opened.close()
            raise

    def capabilities(self, spec: BoardSpec) -> frozenset[Capability]:
        """Return what a board can: a reset, and in lockstep exact time; no pins."""
        return capabilities(read_options(spec, QemuOptions))

    def missing(self) -> ToolMissing | None:
        """Say whether there is a QEMU that knows our machine."""
        if os.name != "posix":
            return posix_missing("qemu-arm")
        if find_qemu(_MACHINE.program, _MACHINE.name):
            return None
        return _missing()

    def version(self) -> str:
        """Name the QEMU that would be used."""
        found = find_qemu(_MACHINE.program, _MACHINE.name)
        return f"{found.path}, QEMU {found.version}" if found else "no QEMU found"


def _missing() -> ToolMissing:
    install = f"apt-get install qemu-system-arm{broken_qemus(_MACHINE.program)}"
    return ToolMissing("qemu-arm", _MACHINE.program, install)
