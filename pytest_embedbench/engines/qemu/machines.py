"""What QEMU's machines are like: one row for each microcontroller we know."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_embedbench.engines.qemu.tick_rate import CycleTick, PeriodicAlarm
from pytest_embedbench.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_embedbench.engines.qemu.tick_rate import TickTimer
    from pytest_embedbench.model import BoardSpec


@dataclass(frozen=True, slots=True, kw_only=True)
class Fifo:
    """A UART that takes several bytes before the firmware reads one.

    ``status`` is a register whose bits ``count_mask`` hold how many are waiting;
    reading it changes nothing.
    """

    serial: int
    status: int
    count_mask: int
    capacity_bytes: int = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class OneByte:
    """A UART that holds one byte until the firmware reads ``data``.

    ``status`` has ``ready_mask`` set as long as it does.
    """

    serial: int
    status: int
    data: int
    ready_mask: int


@dataclass(frozen=True, slots=True, kw_only=True)
class QemuMachine:
    """A QEMU machine for one microcontroller.

    ``uarts`` maps the names of a datasheet to UARTs; their ``serial`` is QEMU's
    number for them. ``pc_register`` is what gdb calls the program counter there.
    """

    name: str
    program: str
    uarts: Mapping[str, Fifo | OneByte]
    pc_register: int
    timer_group: str = ""
    """The QEMU device whose watchdogs can be switched off, if any."""
    efuse: str = ""
    """The QEMU device that takes an efuse image, if any."""
    bootloader_offset: int = 0
    usual_psram_mb: int = 0
    """The external RAM of boards that have some; 0 if QEMU models none."""
    usual_revision: int = 0
    """The chip revision that an unmarked board has; 300 is v3.0."""
    tick_timer: TickTimer | None = None
    """What an operating system's ticks come from, if that can be read."""
    rom_waits_at: int | None = None
    """An instruction of the ROM that polls, for long, for what only time brings."""
    fault_vector: int = 0
    """Where the address of the handler for faults lies at reset, if it is a word."""


_XTENSA = "qemu-system-xtensa"
_RISCV = "qemu-system-riscv32"
_SYSTIMER = PeriodicAlarm(setting=0x60023034, counts_hz=16_000_000)

MACHINES: Mapping[str, QemuMachine] = {
    "esp32": QemuMachine(
        name="esp32",
        program=_XTENSA,
        uarts={
            "uart0": Fifo(serial=0, status=0x3FF4001C, count_mask=0xFF),
            "uart1": Fifo(serial=1, status=0x3FF5001C, count_mask=0xFF),
            "uart2": Fifo(serial=2, status=0x3FF6E01C, count_mask=0xFF),
        },
        pc_register=0,
        timer_group="timer.esp32.timg",
        efuse="nvram.esp32.efuse",
        bootloader_offset=0x1000,
        usual_psram_mb=4,
        usual_revision=300,
        tick_timer=CycleTick(mhz_at=0x3FFE01E0),
        rom_waits_at=0x4000FCA9,  # three times 0.1 s, until the efuses are read
    ),
    "esp32c3": QemuMachine(
        name="esp32c3",
        program=_RISCV,
        uarts={
            "uart0": Fifo(serial=0, status=0x6000001C, count_mask=0x3FF),
            "uart1": Fifo(serial=1, status=0x6001001C, count_mask=0x3FF),
        },
        pc_register=32,
        timer_group="timer.esp32c3.timg",
        efuse="nvram.esp32c3.efuse",
        usual_revision=4,
        tick_timer=_SYSTIMER,
    ),
    "esp32s3": QemuMachine(
        name="esp32s3",
        program=_XTENSA,
        uarts={
            "uart0": Fifo(serial=0, status=0x6000001C, count_mask=0x3FF),
            "uart1": Fifo(serial=1, status=0x6001001C, count_mask=0x3FF),
        },
        pc_register=0,
        timer_group="timer.esp32s3.timg",
        efuse="nvram.esp32s3.efuse",
        usual_psram_mb=8,
        usual_revision=2,
        tick_timer=_SYSTIMER,
    ),
    "stm32f405": QemuMachine(
        name="netduinoplus2",
        program="qemu-system-arm",
        uarts={
            "usart1": OneByte(
                serial=0, status=0x40011000, data=0x40011004, ready_mask=1 << 5
            ),
            "usart2": OneByte(
                serial=1, status=0x40004400, data=0x40004404, ready_mask=1 << 5
            ),
        },
        pc_register=15,
        fault_vector=0x0800000C,
    ),
}


def machine_for(spec: BoardSpec) -> QemuMachine:
    """Return the machine of a board.

    Raises:
        ConfigError: QEMU does not model its microcontroller, or one of its UARTs.
    """
    machine = MACHINES.get(spec.mcu)
    if machine is None:
        known = ", ".join(sorted(MACHINES))
        raise ConfigError(f"board {spec.name!r}: mcu: no {spec.mcu!r}; known: {known}")
    for uart in spec.uarts:
        if uart.name not in machine.uarts:
            known = ", ".join(machine.uarts)
            raise ConfigError(
                f"board {spec.name!r}: uarts: no {uart.name!r}; known: {known}"
            )
    return machine
