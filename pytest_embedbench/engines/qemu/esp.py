"""ESP32, ESP32-C3 and ESP32-S3 on Espressif's QEMU."""

from __future__ import annotations

import os
from contextlib import ExitStack
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pytest_embedbench.engines.qemu.board import QemuBoard, board_on
from pytest_embedbench.engines.qemu.discovery import (
    all_qemus,
    broken_qemus,
    find_qemu,
    posix_missing,
)
from pytest_embedbench.engines.qemu.espchip import (
    efuse_file,
    entry_point,
    flash_file,
    psram_mb,
)
from pytest_embedbench.engines.qemu.guest_setup import set_up
from pytest_embedbench.engines.qemu.launch import QemuCommand
from pytest_embedbench.engines.qemu.machines import MACHINES, machine_for
from pytest_embedbench.engines.qemu.options import EspOptions, capabilities
from pytest_embedbench.errors import ToolMissing
from pytest_embedbench.flashing.esp_config import console_is_usb, read_sdkconfig
from pytest_embedbench.support.image_kinds import ImageKind
from pytest_embedbench.support.options import read_options

if TYPE_CHECKING:
    from typing import IO

    from pytest_embedbench.engines.qemu.elf import SymbolAddresses
    from pytest_embedbench.engines.qemu.machines import QemuMachine
    from pytest_embedbench.model import BoardSpec, Capability, FirmwareImage


_USB = (
    "its console is the chip's own USB, which QEMU does not have: what it says there "
    "is not heard; {} puts it on uart0"
)


@dataclass(frozen=True, slots=True)
class QemuEsp:
    """Boots what PlatformIO builds for an ESP chip; options as in ``EspOptions``."""

    name: str
    mcu: str

    def image_kinds(self, spec: BoardSpec) -> tuple[str, ...]:
        """Return what fills a flash: all of it, or what belongs where."""
        del spec
        return (ImageKind.FLASHER_ARGS.value, ImageKind.BIN.value)

    def boot(self, spec: BoardSpec, image: FirmwareImage) -> QemuBoard:
        """Start ``image``; the board stands at the first tick of its scheduler."""
        machine = machine_for(spec)
        options = read_options(spec, EspOptions)
        found = find_qemu(machine.program, machine.name, options.qemu)
        if found is None:
            raise self._missing()
        opened = ExitStack()
        try:
            flash = opened.enter_context(flash_file(image, machine, options))
            efuses = opened.enter_context(efuse_file(machine, options))
            command = QemuCommand(
                program=found.path,
                arguments=[
                    *_arguments(machine, options, flash, efuses),
                    *_psram_words(psram_mb(image, machine, options)),
                ],
                files=(flash.fileno(), efuses.fileno()),
                image_entry=entry_point(flash, machine),
            )
            setup = set_up(spec, machine, image, options, command, opened.close)
            return board_on(replace(setup, notes=remarks(image, setup.names)))
        except BaseException:
            opened.close()
            raise

    def capabilities(self, spec: BoardSpec) -> frozenset[Capability]:
        """Return what a board can: a reset, and in lockstep exact time; no pins."""
        return capabilities(read_options(spec, EspOptions))

    def missing(self) -> ToolMissing | None:
        """Say whether there is a QEMU of Espressif's for our chips."""
        machine = MACHINES[self.mcu]
        if os.name != "posix":
            return posix_missing(self.name)
        if find_qemu(machine.program, machine.name):
            return None
        return self._missing()

    def version(self) -> str:
        """Name the QEMU that would be used."""
        machine = MACHINES[self.mcu]
        found = find_qemu(machine.program, machine.name)
        return f"{found.path}, QEMU {found.version}" if found else "no QEMU found"

    def _missing(self) -> ToolMissing:
        machine = MACHINES[self.mcu]
        package = machine.program.replace("-system", "")
        passed_over = "".join(
            f"; {qemu.path} ({qemu.version}) has no such machine"
            for qemu in all_qemus(machine.program)
        )
        return ToolMissing(
            self.name,
            f"Espressif's {machine.program} with machine {machine.name}",
            f"python $IDF_PATH/tools/idf_tools.py install {package}, or unpack a "
            f"{package}-softmmu archive of https://github.com/espressif/qemu/releases "
            f"and put its qemu/bin into ESPRESSIF_QEMU_PATH or PATH{passed_over}"
            f"{broken_qemus(machine.program)}",
        )


def esp32() -> QemuEsp:
    """Return the engine for the ESP32."""
    return QemuEsp("qemu-esp32", "esp32")


def esp32c3() -> QemuEsp:
    """Return the engine for the ESP32-C3."""
    return QemuEsp("qemu-esp32c3", "esp32c3")


def esp32s3() -> QemuEsp:
    """Return the engine for the ESP32-S3; it has not run yet."""
    return QemuEsp("qemu-esp32s3", "esp32s3")


def remarks(image: FirmwareImage, names: SymbolAddresses) -> tuple[str, ...]:
    """Return what there is to say of a firmware before it runs."""
    if console_is_usb(read_sdkconfig(image)):
        return (_USB.format("CONFIG_ESP_CONSOLE_UART_DEFAULT=y in its sdkconfig"),)
    if "HWCDCSerial" in names or {"Serial", "Serial0"} <= names.addresses.keys():
        return (_USB.format("-D ARDUINO_USB_CDC_ON_BOOT=0 in its build_flags"),)
    return ()


def _arguments(
    machine: QemuMachine, options: EspOptions, flash: IO[bytes], efuses: IO[bytes]
) -> list[str]:
    words = (
        f"-machine {machine.name}"
        f" -drive file=/dev/fd/{flash.fileno()},if=mtd,format=raw"
        f" -drive file=/dev/fd/{efuses.fileno()},if=none,format=raw,id=efuse"
        f" -global driver={machine.efuse},property=drive,value=efuse"
    )
    if not options.watchdogs:
        words += (
            f" -global driver={machine.timer_group},property=wdt_disable,value=true"
        )
    if options.strap_mode >= 0:
        words += (
            f" -global driver={machine.name}.gpio,property=strap_mode"
            f",value={options.strap_mode:#x}"
        )
    return words.split()


def _psram_words(size_mb: int) -> list[str]:
    return ["-m", f"{size_mb}M"] if size_mb else []
