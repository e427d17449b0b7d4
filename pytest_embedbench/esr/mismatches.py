"""Maps that only a corrected firmware can tell about: its pins differ in what they can.

A pin without PWM makes a threshold of ``analogWrite``; a circuit that is wired
otherwise shows what that pin does, and not what the right one would.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pytest_embedbench.pins import PinJob

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pytest_embedbench.esr.board_pins import BoardPins
    from pytest_embedbench.esr.model import PinMove
    from pytest_embedbench.esr.uses import PinDoing, Uses

_TIMER_LIBRARY = re.compile(rb"\b(Servo|tone|IRremote|IrReceiver|TimerOne)\b")


def has_timer_library(files: Mapping[str, bytes]) -> bool:
    """Say whether something takes PWM away from some pins."""
    return any(_TIMER_LIBRARY.search(source) for source in files.values())


def needs_confirmation(
    moves: Iterable[PinMove],
    doing: Mapping[str, PinDoing],
    uses: Uses,
    pins: BoardPins,
) -> bool:
    """Say whether a rewired circuit would not be the same as corrected constants."""
    on_bus = {
        pin
        for pin, jobs in uses.jobs.items()
        if jobs & {PinJob.UART, PinJob.I2C, PinJob.SPI}
    }
    for used, wired in moves:
        does = doing[used]
        if {used, wired} & on_bus:
            return True
        if does.needs_pwm and (
            pins.has_pwm(used) != pins.has_pwm(wired) or uses.has_timer_library
        ):
            return True
        if does.needs_interrupt and not (
            pins.has_interrupt(used) and pins.has_interrupt(wired)
        ):
            return True
    return False
