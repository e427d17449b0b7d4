"""WS2812 pixels: one alone, in a ring, in a strip, in a matrix."""

from __future__ import annotations

from pytest_embedbench.parts.shorthand import POWERED, number, pins, text
from pytest_embedbench.wiring.part_type import PartAttribute, PartType, PinRole

_DATA = (*pins(PinRole.INPUT, "DIN"), *pins(PinRole.OUTPUT, "DOUT"))
_CHIP = (*_DATA, *pins(PinRole.POWER, "VDD"), *pins(PinRole.RETURN, "VSS"))
_SEEN = {"pixels": "red, green and blue of each, 0 to 255"}
_SEEN_IN_ROWS = {"pixels": "rows of red, green and blue, 0 to 255"}
_SHAPE = {"pixelShape": text(), "pixelSize": text()}


def _matrix(prefix: str) -> dict[str, PartAttribute]:
    layout, brightness = (
        ("matrixLayout", "matrixBrightness") if prefix else ("layout", "brightness")
    )
    return {
        "rows": number("8", 1, 256),
        "cols": number("8", 1, 256),
        layout: text(),
        brightness: number("1", lowest=0),
    }


PIXELS = (
    PartType(
        name="wokwi-neopixel",
        title="Pixel WS2812",
        pins=_CHIP,
        observables=_SEEN,
    ),
    PartType(
        name="wokwi-led-ring",
        title="Ring of pixels WS2812",
        pins=(*_DATA, *POWERED),
        attrs={"pixels": number("16", 1, 1024)},
        observables=_SEEN,
    ),
    PartType(
        name="wokwi-led-strip",
        title="Strip of pixels WS2812",
        pins=_CHIP,
        aliases={"VDD.2": "VDD", "VSS.2": "VSS"},
        attrs={"pixels": number("8", 1, 1024), **_SHAPE},
        observables=_SEEN,
    ),
    PartType(
        name="wokwi-led-matrix",
        title="Matrix of pixels WS2812",
        pins=_CHIP,
        attrs={**_matrix(""), **_SHAPE},
        observables=_SEEN_IN_ROWS,
    ),
    PartType(
        name="wokwi-neopixel-matrix",
        title="Matrix of pixels WS2812, older type",
        pins=(*_DATA, *POWERED),
        attrs=_matrix("matrix"),
        observables=_SEEN_IN_ROWS,
    ),
    PartType(
        name="wokwi-neopixel-canvas",
        title="Canvas of pixels WS2812",
        pins=_CHIP,
        attrs=_matrix("matrix"),
        observables=_SEEN_IN_ROWS,
    ),
)
