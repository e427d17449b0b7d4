"""LEDs, and what is made of them without a chip."""

from __future__ import annotations

from itertools import product

from pytest_embedbench.parts.shorthand import number, pairs, pins, text, word
from pytest_embedbench.wiring.part_type import OnlyIf, PartType, PinPair, PinRole

_ANODE = OnlyIf("common", ("anode",))
_CATHODE = OnlyIf("common", ("cathode",))
_ONE_DIGIT = OnlyIf("digits", ("1",))
_FOUR_DIGITS = OnlyIf("digits", ("4",))
_SEGMENTS = ("A", "B", "C", "D", "E", "F", "G", "DP")
_DIGITS = ("DIG1", "DIG2", "DIG3", "DIG4")


def _round_common(
    legs: list[tuple[str, str]], *, also_if: OnlyIf | None = None
) -> tuple[PinPair, ...]:
    """Return LEDs between a common pin and a leg each, by the side that is common."""
    reversed_legs = [(leg, common) for common, leg in legs]
    return (
        *pairs(legs, only_if=_ANODE, also_if=also_if),
        *pairs(reversed_legs, only_if=_CATHODE, also_if=also_if),
    )


LIGHTS = (
    PartType(
        name="wokwi-led",
        title="LED",
        pins=pins(PinRole.PASSIVE, "A C"),
        diodes=pairs([("A", "C")]),
        attrs={
            "color": text("red"),
            "lightColor": text(),
            "label": text(),
            "gamma": number("2.8", lowest=0),
            "fps": number("80", lowest=1),
            "flip": text(),
        },
        observables={"brightness": "0 to 1, averaged over 25 ms"},
    ),
    PartType(
        name="wokwi-rgb-led",
        title="RGB LED",
        pins=pins(PinRole.PASSIVE, "COM R G B"),
        diodes=_round_common([("COM", leg) for leg in "RGB"]),
        attrs={"common": word("anode", "cathode"), "fps": number("80", lowest=1)},
        observables={"rgb": "three brightnesses, 0 to 1"},
    ),
    PartType(
        name="wokwi-led-bar-graph",
        title="LED bar graph",
        pins=pins(
            PinRole.PASSIVE,
            " ".join(f"{leg}{index}" for leg, index in product("AC", range(1, 11))),
        ),
        diodes=pairs([(f"A{index}", f"C{index}") for index in range(1, 11)]),
        attrs={"color": text("red"), "fps": number("80", lowest=1)},
        observables={"brightnesses": "ten brightnesses, 0 to 1"},
    ),
    PartType(
        name="wokwi-7segment",
        title="7-segment display",
        pins=(
            *pins(PinRole.PASSIVE, " ".join(_SEGMENTS)),
            *pins(PinRole.PASSIVE, "COM", only_if=OnlyIf("digits", ("1", "4"))),
            *pins(
                PinRole.PASSIVE, "DIG1 DIG2", only_if=OnlyIf("digits", ("2", "3", "4"))
            ),
            *pins(PinRole.PASSIVE, "DIG3", only_if=OnlyIf("digits", ("3", "4"))),
            *pins(PinRole.PASSIVE, "DIG4", only_if=_FOUR_DIGITS),
            *pins(PinRole.PASSIVE, "CLN", only_if=_FOUR_DIGITS),
        ),
        aliases={"COM.1": "COM", "COM.2": "COM"},
        diodes=(
            *_round_common([("COM", leg) for leg in _SEGMENTS], also_if=_ONE_DIGIT),
            *_round_common(list(product(_DIGITS, _SEGMENTS))),
            # Of four digits COM is the other side of the colon alone.
            *_round_common([("COM", "CLN")]),
        ),
        attrs={
            "common": word("anode", "cathode"),
            "digits": word("1", "2", "3", "4"),
            "colon": text(),
            "color": text("red"),
        },
        observables={"text": "what the digits read", "segments": "brightness of each"},
    ),
)
