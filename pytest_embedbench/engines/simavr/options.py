"""What a board's options can say to this engine."""

from __future__ import annotations

from dataclasses import dataclass

from pytest_embedbench.support.options import option


@dataclass(frozen=True, slots=True, kw_only=True)
class SimavrOptions:
    """The options of engine ``simavr``."""

    allow_resets: bool = option(
        default=False,
        help="neither a watchdog reset, a jump to address 0 nor exit() is a fault, and "
        "`expect_restart` knows a restart by its boot line alone; "
        "without it the first word of flash and the last one of exit() are traps, and "
        "a firmware that reads its own program sees that",
    )
    bootloader: bool = option(
        default=False,
        help="the program is started as by Optiboot: MCUSR is 0, what it was is in r2, "
        "and a watchdog that has bitten is off; without it, all is as the chip leaves "
        "it",
    )
    diagram: str = option(
        "",
        "a `diagram.json` with the circuit that the board stands in, from the folder "
        "where pytest was started; fixture `circuit` finds it by itself",
        default_text="no circuit",
    )
    skip_delays: bool = option(
        default=True,
        help="rounds of Arduino's `delay()` in which nothing happens, and waits for "
        "a byte of SPI or I2C, are leapt over: the same bytes and edges at the same "
        "times, in a third of the time or less",
    )
    vcc_mv: int = option(
        5_000, "the supply, which the ADC measures against by default", lowest=0
    )
