"""Records of circuits, by hand."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING

from pytest_embedbench.wiring.net_log import LEVEL_BITS, TICK_SHIFT
from pytest_embedbench.wiring.waves import CircuitRecord
from tests.support.diagrams import netlist

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_embedbench.wiring.net_log import BusByte, PwmChange
    from pytest_embedbench.wiring.netlist import Netlist

TICKS_PER_US = 16
PARTS = {
    "uno": "wokwi-arduino-uno",
    "led1": "wokwi-led",
    "oled": "board-ssd1306",
    "sr": "wokwi-74hc595",
    "btn": "wokwi-pushbutton",
    "r1": "wokwi-resistor",
}
WIRES = (
    *("uno:13 - sr:SHCP", "uno:11 - sr:DS", "uno:12 - sr:Q7S"),
    *("uno:A4 - oled:SDA", "uno:A5 - oled:SCL", "uno:A4 - r1:1"),
    *("uno:9 - led1:A", "led1:C - uno:GND.1", "uno:2 - btn:1.l"),
)


def nets() -> Netlist:
    """Return the nets that the records are about."""
    return netlist(PARTS, *WIRES)


def number(pin: str) -> int:
    """Return the number of a net."""
    found = nets()
    return next(index for index, net in enumerate(found.nets) if net.name == pin)


def record(  # by keyword
    changes: Sequence[tuple[int, str, int]] = (),
    *,
    ends_ticks: int,
    pwm: Sequence[PwmChange] = (),
    bus: Sequence[BusByte] = (),
    since_ticks: int = 0,
) -> CircuitRecord:
    """Return a record of changes: tick, net, level."""
    packed = array("Q")
    for at_ticks, net, level in changes:
        packed.append(at_ticks << TICK_SHIFT | number(net) << LEVEL_BITS | level)
    return CircuitRecord(
        netlist=nets(),
        ticks_per_us=TICKS_PER_US,
        packed=packed.tobytes(),
        since_ticks=since_ticks,
        ends_ticks=ends_ticks,
        pwm=pwm,
        bus=bus,
        i2c=(number("uno:A4"), number("uno:A5")),
        spi=(number("uno:13"), number("uno:11"), number("uno:12")),
    )
