"""What a hand turns, pushes or slides."""

from __future__ import annotations

import json
from itertools import product
from typing import cast

from pytest_embedbench.parts.shorthand import (
    BOUNCE,
    POWERED,
    number,
    pairs,
    parsed,
    pins,
    text,
    word,
)
from pytest_embedbench.wiring.part_type import (
    NamedBy,
    OnlyIf,
    PartControl,
    PartType,
    PinRole,
)

_MOST_KEYS = 16


def _labels(keys: str) -> list[str]:
    """Return what is printed on a keypad; ``ValueError`` if that is no list of it."""
    try:
        given: object = json.loads(keys or "[]")
    except ValueError:
        given = None
    labels = cast("list[object]", given) if isinstance(given, list) else [None]
    if len(labels) > _MOST_KEYS or not all(isinstance(it, str) for it in labels):
        raise ValueError(f"must be a list of up to {_MOST_KEYS} labels")
    return [str(label) for label in labels]


_PRESSED = {"pressed": PartControl(0, 1)}
_POSITION = {"position": PartControl(0, 1)}
_POT_PINS = (*pins(PinRole.PASSIVE, "GND VCC"), *pins(PinRole.OUTPUT, "SIG"))
_ROWS = ("R1", "R2", "R3", "R4")
_COLUMNS = ("C1", "C2", "C3", "C4")


def _pushbutton(name: str, title: str) -> PartType:
    return PartType(
        name=name,
        title=title,
        pins=pins(PinRole.PASSIVE, "1.l 2.l"),
        aliases={"1.r": "1.l", "2.r": "2.l"},
        switches=pairs([("1.l", "2.l")]),
        attrs={
            "color": text("red"),
            "label": text(),
            "key": text(),
            "xray": text(),
            "bounce": BOUNCE,
        },
        controls=_PRESSED,
    )


SWITCHES = (
    _pushbutton("wokwi-pushbutton", "Pushbutton"),
    _pushbutton("wokwi-pushbutton-6mm", "Pushbutton, 6 mm"),
    PartType(
        name="wokwi-slide-switch",
        title="Slide switch",
        pins=pins(PinRole.PASSIVE, "1 2 3"),
        switches=pairs([("1", "2"), ("3", "2")]),
        attrs={"value": text(), "bounce": BOUNCE},
        controls={"value": PartControl(0, 1, named_by=NamedBy.US)},
    ),
    PartType(
        name="wokwi-dip-switch-8",
        title="DIP switch, 8 positions",
        pins=pins(
            PinRole.PASSIVE,
            " ".join(f"{index}{side}" for index, side in product(range(1, 9), "ab")),
        ),
        switches=pairs([(f"{index}a", f"{index}b") for index in range(1, 9)]),
        attrs={"values": text()},
        controls={
            f"switch{index}": PartControl(0, 1, named_by=NamedBy.US)
            for index in range(1, 9)
        },
    ),
    PartType(
        name="wokwi-membrane-keypad",
        title="Membrane keypad",
        pins=(
            *pins(PinRole.PASSIVE, "R1 R2 R3 R4 C1 C2 C3"),
            *pins(PinRole.PASSIVE, "C4", only_if=OnlyIf("columns", ("4",))),
        ),
        switches=pairs(product(_ROWS, _COLUMNS)),
        attrs={"columns": word("4", "3"), "keys": parsed("", _labels)},
        controls={
            f"row{row}column{column}": PartControl(0, 1, named_by=NamedBy.US)
            for row, column in product(range(1, 5), range(1, 5))
        },
    ),
    PartType(
        name="wokwi-ky-040",
        title="Rotary encoder KY-040",
        pins=(
            *POWERED,
            *pins(PinRole.OUTPUT, "CLK DT"),
            *pins(PinRole.PASSIVE, "SW"),
        ),
        switches=pairs([("SW", "GND")]),
        controls={
            "turn": PartControl(-1000, 1000, "detents", NamedBy.US),
            "pressed": PartControl(0, 1, named_by=NamedBy.US),
        },
    ),
    PartType(
        name="wokwi-potentiometer",
        title="Potentiometer",
        pins=_POT_PINS,
        attrs={"value": number("0", 0, 1023)},
        controls=_POSITION,
    ),
    PartType(
        name="wokwi-slide-potentiometer",
        title="Slide potentiometer",
        pins=_POT_PINS,
        attrs={"value": number("0", 0, 1023), "travelLength": number("30", lowest=1)},
        controls=_POSITION,
    ),
    PartType(
        name="wokwi-analog-joystick",
        title="Analog joystick",
        pins=(
            *POWERED,
            *pins(PinRole.OUTPUT, "VERT HORZ"),
            *pins(PinRole.PASSIVE, "SEL"),
        ),
        switches=pairs([("SEL", "GND")]),
        attrs={"bounce": BOUNCE},
        controls={"x": PartControl(-1, 1), "y": PartControl(-1, 1), **_PRESSED},
    ),
)
