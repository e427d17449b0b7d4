"""Displays with a chip of their own."""

from __future__ import annotations

from pytest_embedbench.parts.attribute_values import address, address_or_nothing
from pytest_embedbench.parts.shorthand import (
    POWERED,
    number,
    parsed,
    pins,
    text,
    word,
)
from pytest_embedbench.wiring.part_type import OnlyIf, PartType, PinRole

_FULL = OnlyIf("pins", ("full",))
_I2C = OnlyIf("pins", ("i2c",))
_PIXELS = {"pixels": "rows of on and off"}


def _lcd(name: str, title: str) -> PartType:
    return PartType(
        name=name,
        title=title,
        pins=(
            *pins(PinRole.RETURN, "VSS", only_if=_FULL),
            *pins(PinRole.POWER, "VDD", only_if=_FULL),
            *pins(PinRole.INPUT, "E", only_if=_FULL),
            # The HD44780 pulls them up inside.
            *pins(PinRole.PULLED, "RS RW D0 D1 D2 D3 D4 D5 D6 D7", only_if=_FULL),
            *pins(PinRole.PASSIVE, "V0 A K", only_if=_FULL),
            *pins(PinRole.RETURN, "GND", only_if=_I2C),
            *pins(PinRole.POWER, "VCC", only_if=_I2C),
            *pins(PinRole.BOTH, "SDA SCL", only_if=_I2C),
        ),
        attrs={
            "pins": word("full", "i2c"),
            "i2cAddress": parsed("0x27", address),
            "i2c-address": parsed("", address_or_nothing),
            "variant": text(),
            "color": text("black"),
            "background": text("green"),
        },
        observables={
            "text": "rows of characters",
            "cursor": "row and column, or nothing",
            "glyphs": "the eight drawn characters, rows of on and off",
            "backlight": "on or off",
        },
    )


DISPLAYS = (
    _lcd("wokwi-lcd1602", "LCD with 2 rows of 16, HD44780"),
    _lcd("wokwi-lcd2004", "LCD with 4 rows of 20, HD44780"),
    PartType(
        name="board-ssd1306",
        title="OLED 128 x 64, SSD1306, I2C",
        pins=(*POWERED, *pins(PinRole.BOTH, "SDA SCL")),
        attrs={"i2cAddress": parsed("0x3c", address)},
        observables=_PIXELS,
    ),
    PartType(
        name="wokwi-ssd1306",
        title="OLED 128 x 64, SSD1306, I2C, older type",
        pins=(
            *pins(PinRole.BOTH, "DATA CLK"),
            *pins(PinRole.UNUSED, "DC RST CS 3V3"),
            *pins(PinRole.POWER, "VIN"),
            *pins(PinRole.RETURN, "GND"),
        ),
        attrs={
            "i2cAddress": parsed("0x3c", address),
            "i2c-address": parsed("", address_or_nothing),
        },
        observables=_PIXELS,
    ),
    PartType(
        name="wokwi-ili9341",
        title="Colour display 240 x 320, ILI9341, SPI",
        pins=(
            *pins(PinRole.POWER, "VCC"),
            *pins(PinRole.RETURN, "GND"),
            *pins(PinRole.INPUT, "CS RST D/C MOSI SCK LED"),
            *pins(PinRole.UNUSED, "MISO"),
        ),
        attrs={"width": text(), "height": text()},
        observables={"pixels": "rows of red, green and blue, 0 to 255"},
    ),
    PartType(
        name="wokwi-tm1637-7segment",
        title="Four digits with TM1637",
        pins=(
            *POWERED,
            *pins(PinRole.PULLED, "CLK"),
            *pins(PinRole.BOTH, "DIO"),
        ),
        attrs={"color": text("red")},
        observables={
            "text": "what the digits read, with the colon if it is lit",
            "segments": "A to G and colon of each digit, on or off",
            "brightness": "0 to 1, 0 while it is off",
        },
    ),
    PartType(
        name="wokwi-max7219-matrix",
        title="LED matrices 8 x 8 with MAX7219",
        pins=(
            *pins(PinRole.INPUT, "DIN CS CLK"),
            *pins(PinRole.OUTPUT, "DOUT"),
            *pins(PinRole.POWER, "V+"),
            *pins(PinRole.RETURN, "GND"),
        ),
        aliases={
            "VCC": "V+",
            "V+.2": "V+",
            "GND.2": "GND",
            "CS.2": "CS",
            "CLK.2": "CLK",
        },
        attrs={
            "chain": number("1", 1, 64),
            "layout": word("parola", "fc16"),
            "color": text("red"),
        },
        observables={**_PIXELS, "intensity": "0 to 15 of each matrix, from the left"},
    ),
)
