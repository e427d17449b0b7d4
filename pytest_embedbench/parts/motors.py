"""What moves, switches loads or makes a noise, and the drivers for it."""

from __future__ import annotations

from pytest_embedbench.parts.shorthand import (
    BOUNCE,
    POWERED,
    number,
    pairs,
    pins,
    text,
    word,
)
from pytest_embedbench.wiring.part_type import PartType, PinRole


def _servo(name: str, title: str) -> PartType:
    return PartType(
        name=name,
        title=title,
        pins=(
            *pins(PinRole.INPUT, "PWM"),
            *pins(PinRole.POWER, "V+"),
            *pins(PinRole.RETURN, "GND"),
        ),
        attrs={
            "horn": word("single", "double", "cross"),
            "hornColor": text("#ccc"),
        },
        observables={"angle_deg": "degrees, 0 to 180", "pulse_us": "us"},
    )


MOTORS = (
    _servo("wokwi-servo", "Servo SG90"),
    _servo("embedbench-hs-311", "Servo HITEC HS-311"),
    PartType(
        name="wokwi-buzzer",
        title="Buzzer",
        pins=pins(PinRole.PASSIVE, "1 2"),
        attrs={
            "mode": word("smooth", "accurate"),
            "volume": number("1.0", 0.01, 1),
        },
        observables={"tone_hz": "Hz, 0 while it is silent"},
    ),
    PartType(
        name="wokwi-relay-module",
        title="Relay module",
        pins=(
            *POWERED,
            *pins(PinRole.INPUT, "IN"),
            *pins(PinRole.PASSIVE, "NC COM NO"),
        ),
        switches=pairs([("COM", "NO"), ("COM", "NC")]),
        attrs={"transistor": word("npn", "pnp")},
        observables={"is_on": "whether COM is at NO"},
    ),
    PartType(
        name="wokwi-ks2e-m-dc5",
        title="Relay KS2E-M-DC5, two poles",
        pins=pins(PinRole.PASSIVE, "COIL1 COIL2 P1 NO1 NC1 P2 NO2 NC2"),
        switches=pairs([("P1", "NO1"), ("P1", "NC1"), ("P2", "NO2"), ("P2", "NC2")]),
        attrs={"bounce": BOUNCE},
        observables={"is_on": "whether the poles are at NO1 and NO2"},
    ),
    PartType(
        name="wokwi-stepper-motor",
        title="Stepper motor, bipolar, 200 steps",
        pins=pins(PinRole.PASSIVE, "A+ A- B+ B-"),
        attrs={
            "gearRatio": text("1:1"),
            "display": word("steps", "angle", "none"),
            "arrow": text(),
            "size": word("23", "8", "11", "14", "17", "34"),
        },
        observables={
            "steps": "half steps count 0.5",
            "angle_deg": "degrees of the shaft, over turns too",
        },
    ),
    PartType(
        name="wokwi-a4988",
        title="Stepper driver A4988",
        pins=(
            *pins(PinRole.PULLED, "ENABLE MS1 MS2 MS3 SLEEP"),
            *pins(PinRole.INPUT, "RESET STEP DIR"),
            *pins(PinRole.OUTPUT, "1A 1B 2A 2B"),
            *pins(PinRole.POWER, "VDD"),
            *pins(PinRole.RETURN, "GND"),
            *pins(PinRole.PASSIVE, "VMOT"),
        ),
        aliases={"GND.1": "GND", "GND.2": "GND"},
    ),
    PartType(
        name="embedbench-uln2003",
        title="Stepper driver ULN2003",
        pins=(
            *POWERED,
            *pins(PinRole.INPUT, "IN1 IN2 IN3 IN4"),
            *pins(PinRole.OUTPUT, "OUT1 OUT2 OUT3 OUT4"),
        ),
    ),
    PartType(
        name="embedbench-28byj-48",
        title="Stepper motor 28BYJ-48, unipolar, geared",
        pins=pins(PinRole.PASSIVE, "RED BLUE PINK YELLOW ORANGE"),
        observables={
            "steps": "full steps of the rotor",
            "angle_deg": "degrees of the shaft, over turns too",
        },
    ),
)
