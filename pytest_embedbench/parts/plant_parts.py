"""What a plant senses and acts with, and Wokwi has nothing for."""

from __future__ import annotations

from pytest_embedbench.parts.shorthand import POWERED, number, pins
from pytest_embedbench.wiring.part_type import (
    NamedBy,
    PartControl,
    PartType,
    PinRole,
)

PLANT_PARTS = (
    PartType(
        name="embedbench-mosfet",
        title="N-channel MOSFET with its load",
        pins=(*pins(PinRole.INPUT, "G"), *pins(PinRole.RETURN, "S")),
        attrs={"window": number("100", 1, 10_000)},
        observables={
            "is_on": "whether it conducts now",
            "on_share": "share of the last `window` ms that it has conducted, 0 to 1",
        },
    ),
    PartType(
        name="embedbench-flow-sensor",
        title="Flow sensor YF-S201",
        pins=(*POWERED, *pins(PinRole.OUTPUT, "OUT")),
        attrs={"flow": number("0", 0, 30), "pulsesPerLitre": number("450", 1, 10_000)},
        controls={"flow": PartControl(0, 30, "l/min", NamedBy.US)},
        observables={"pulses": "how many it has given"},
    ),
)
