"""Chips and modules that talk: shift register, clock, card, infrared."""

from __future__ import annotations

from pytest_embedbench.parts.attribute_values import start
from pytest_embedbench.parts.shorthand import POWERED, parsed, pins, text
from pytest_embedbench.wiring.part_type import (
    NamedBy,
    PartControl,
    PartType,
    PinRole,
)

MODULES = (
    PartType(
        name="wokwi-74hc595",
        title="Shift register 74HC595",
        pins=(
            *POWERED,
            *pins(PinRole.INPUT, "DS SHCP STCP OE MR"),
            *pins(PinRole.OUTPUT, "Q0 Q1 Q2 Q3 Q4 Q5 Q6 Q7 Q7S"),
        ),
        observables={"outputs": "Q0 to Q7"},
    ),
    PartType(
        name="wokwi-ds1307",
        title="Clock DS1307, I2C",
        pins=(
            *pins(PinRole.POWER, "5V"),
            *pins(PinRole.RETURN, "GND"),
            *pins(PinRole.BOTH, "SDA SCL"),
            *pins(PinRole.OUTPUT, "SQW"),
        ),
        attrs={"initTime": parsed("now", start)},
        observables={"time": "date and time of day"},
    ),
    PartType(
        name="wokwi-microsd-card",
        title="microSD card, SPI",
        pins=(
            *POWERED,
            *pins(PinRole.INPUT, "DI SCK CS"),
            # It lets go of the line while it is not selected.
            *pins(PinRole.BOTH, "DO"),
            *pins(PinRole.PASSIVE, "CD"),
        ),
        observables={"files": "names and contents"},
    ),
    PartType(
        name="wokwi-ir-receiver",
        title="Infrared receiver",
        pins=(*POWERED, *pins(PinRole.OUTPUT, "DAT")),
    ),
    PartType(
        name="wokwi-ir-remote",
        title="Infrared remote control",
        attrs={"key": text()},
        controls={
            "command": PartControl(0, 255, named_by=NamedBy.US),
            "address": PartControl(0, 255, named_by=NamedBy.US),
            "repeats": PartControl(0, 100, named_by=NamedBy.US),
        },
    ),
    PartType(
        name="wokwi-clock-generator",
        title="Clock generator",
        pins=(*pins(PinRole.OUTPUT, "CLK"), *pins(PinRole.UNUSED, "GND")),
        attrs={"frequency": text("10k")},
    ),
)
