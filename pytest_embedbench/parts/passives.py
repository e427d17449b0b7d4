"""Resistors, symbols for ground and supply, and what only looks on."""

from __future__ import annotations

from pytest_embedbench.parts.shorthand import number, pairs, pins, text, word
from pytest_embedbench.wiring.diagram import SERIAL_MONITOR
from pytest_embedbench.wiring.part_type import PartPin, PartType, PinRole

PASSIVES = (
    PartType(
        name="wokwi-resistor",
        title="Resistor",
        pins=pins(PinRole.PASSIVE, "1 2"),
        resistors=pairs([("1", "2")]),
        attrs={"value": number("1000", lowest=0)},
    ),
    PartType(name="wokwi-gnd", title="Ground symbol", pins=pins(PinRole.GROUND, "GND")),
    PartType(
        name="wokwi-vcc",
        title="Supply symbol",
        pins=(PartPin("VCC", PinRole.SUPPLY, supply_mv=5000, supply_attr="voltage"),),
        attrs={"voltage": number("5", lowest=0)},
    ),
    PartType(
        name="wokwi-logic-analyzer",
        title="Logic analyzer",
        pins=(
            *pins(PinRole.PASSIVE, "D0 D1 D2 D3 D4 D5 D6 D7"),
            *pins(PinRole.UNUSED, "GND"),
        ),
        attrs={
            "bufferSize": number("1000000", lowest=1),
            "filename": text("wokwi-logic"),
            "channelNames": text(),
            "triggerMode": word("off", "edge", "level"),
            "triggerPin": text("D7"),
            "triggerLevel": text("high"),
        },
    ),
    PartType(
        name="wokwi-text",
        title="Text",
        attrs={
            "text": text(),
            "fontSize": number("16", lowest=1),
            "fontFamily": text(),
            "color": text(),
        },
    ),
    PartType(
        name=SERIAL_MONITOR,
        title="Serial monitor",
        pins=(*pins(PinRole.PULLED, "RX"), *pins(PinRole.OUTPUT, "TX")),
    ),
)
