"""Boards that no circuit runs on here: how their pins are called, and what each can.

A diagram beside a test says how one of these is wired; its firmware is corrected in
the source and flashed again.

Sources: Espressif's ESP32 datasheet and the variant ``esp32`` of its Arduino core
(``pins_arduino.h``); ST's UM1724 (Nucleo-64) and STM32duino's variant of it; the
pinout of the Raspberry Pi's 40-pin header (raspberrypi.com).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pytest_embedbench.parts.shorthand import pins
from pytest_embedbench.wiring.part_type import PartType, PinRole

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True, kw_only=True)
class DeskBoard:
    """A kind of board: its pins in order, by what a source calls them.

    Args:
        mcus: The chips of boards of this kind, as datasheets here name them.
        numbers: Pins by name, with the number that a source may say for each; -1 if
            there is none.
        names: What else a source may call a pin: name to pin.
        parts: The types of parts that a diagram may have for it.
        adc: The pins with an ADC.
        i2c: SDA and SCL.
        spellings: Names by their common beginning, which a correction keeps to:
            ``GPIO_NUM_``.
    """

    mcus: tuple[str, ...]
    numbers: Mapping[str, int]
    names: Mapping[str, str]
    parts: tuple[PartType, ...]
    i2c: tuple[str, str]
    adc: frozenset[str] = frozenset()
    spellings: Mapping[str, Mapping[str, str]] = field(
        default_factory=dict[str, "Mapping[str, str]"]
    )


def _row(names: str) -> tuple[str, ...]:
    return tuple(names.split())


_GROUNDS = {f"GND.{number}": "GND" for number in range(1, 9)}
_SUPPLIES = (
    *pins(PinRole.SUPPLY, "3V3", supply_mv=3300),
    *pins(PinRole.SUPPLY, "5V", supply_mv=5000),
    *pins(PinRole.GROUND, "GND"),
    *pins(PinRole.PULLED, "EN"),
)

# ---------------------------------------------------------------------------- ESP32
_INPUT_ONLY = frozenset({"34", "35", "36", "39"})
_ESP32 = {
    str(number): number
    for number in (
        *range(6),
        *range(12, 20),
        *(21, 22, 23, 25, 26, 27),
        *range(32, 37),
        39,
    )
}
"""Those that flash does not have (6 to 11)."""
_ESP32_ANALOG = {
    "A0": 36,
    "A3": 39,
    "A4": 32,
    "A5": 33,
    "A6": 34,
    "A7": 35,
    "A10": 4,
    "A11": 0,
    "A12": 2,
    "A13": 15,
    "A14": 13,
    "A15": 12,
    "A16": 14,
    "A17": 27,
    "A18": 25,
    "A19": 26,
}
_ESP32_NAMES = {"SDA": 21, "SCL": 22, "SS": 5, "MOSI": 23, "MISO": 19, "SCK": 18}
_GPIO_NUM = {f"GPIO_NUM_{number}": pin for pin, number in _ESP32.items()}


def _esp32_part(name: str, title: str, before: str) -> PartType:
    """Return a part; its pins have a number alone, or one behind a letter."""
    printed = {f"{before}{pin}": pin for pin in _ESP32} if before else {}
    driving = " ".join(pin for pin in _ESP32 if pin not in _INPUT_ONLY)
    return PartType(
        name=name,
        title=title,
        board=name,
        pins=(
            *pins(PinRole.BOTH, driving),
            *pins(PinRole.INPUT, " ".join(sorted(_INPUT_ONLY))),
            *_SUPPLIES,
        ),
        aliases={
            "VP": "36",
            "VN": "39",
            "TX": "1",
            "RX": "3",
            "TX0": "1",
            "RX0": "3",
            "TX2": "17",
            "RX2": "16",
            "VIN": "5V",
            **_GROUNDS,
            **printed,
        },
    )


ESP32 = DeskBoard(
    mcus=("esp32",),
    numbers=_ESP32,
    names={
        **_GPIO_NUM,
        **{name: str(number) for name, number in _ESP32_ANALOG.items()},
        **{name: str(number) for name, number in _ESP32_NAMES.items()},
    },
    parts=(
        _esp32_part("board-esp32-devkit-c-v4", "ESP32-DevKitC V4", ""),
        _esp32_part("wokwi-esp32-devkit-v1", "ESP32 DevKit V1", "D"),
        _esp32_part("board-esp32-devkit-v1", "ESP32 DevKit V1", "D"),
    ),
    adc=frozenset(map(str, _ESP32_ANALOG.values())),
    i2c=("21", "22"),
    spellings={"GPIO_NUM_": {pin: name for name, pin in _GPIO_NUM.items()}},
)

# -------------------------------------------------------------------- Nucleo-F401RE
_HEADER = _row("PA3 PA2 PA10 PB3 PB5 PB4 PB10 PA8 PA9 PC7 PB6 PA7 PA6 PA5 PB9 PB8")
_ANALOG = _row("PA0 PA1 PA4 PB0 PC1 PC0")
_MORPHO = _row(
    "PA11 PA12 PA15 PB1 PB2 PB7 PB12 PB13 PB14 PB15 PC2 PC3 PC4 PC5 PC6 PC8 "
    "PC9 PC10 PC11 PC12 PC13 PD2"
)
_PRINTED = {
    **{f"D{number}": pin for number, pin in enumerate(_HEADER)},
    **{f"A{number}": pin for number, pin in enumerate(_ANALOG)},
}
_ALL = (*_HEADER, *_ANALOG, *_MORPHO)
NUCLEO_F401RE = DeskBoard(
    mcus=("stm32f401re",),
    numbers={pin: n if n < len(_HEADER) else -1 for n, pin in enumerate(_ALL)},
    names={
        **{pin: pin for pin in _ALL},
        **{f"{pin[:2]}_{pin[2:]}": pin for pin in _ALL},
        **_PRINTED,
        "LED_BUILTIN": "PA5",
        "USER_BTN": "PC13",
        "SDA": "PB9",
        "SCL": "PB8",
        "SS": "PB6",
        "MOSI": "PA7",
        "MISO": "PA6",
        "SCK": "PA5",
    },
    parts=(
        PartType(
            name="board-st-nucleo-f401re",
            title="ST Nucleo-F401RE",
            board="board-st-nucleo-f401re",
            pins=(*pins(PinRole.BOTH, " ".join(_ALL)), *_SUPPLIES),
            aliases={**_PRINTED, **_GROUNDS},
        ),
    ),
    adc=frozenset(
        {
            *_ANALOG,
            *_row("PA2 PA3 PA5 PA6 PA7 PB1 PC2 PC3 PC4 PC5"),
        }
    ),
    i2c=("PB9", "PB8"),
    spellings={
        "D": {pin: name for name, pin in _PRINTED.items() if name[0] == "D"},
        "A": {pin: name for name, pin in _PRINTED.items() if name[0] == "A"},
    },
)

# --------------------------------------------------------------------- Raspberry Pi
_BOARD_BCM = {
    3: 2,
    5: 3,
    7: 4,
    8: 14,
    10: 15,
    11: 17,
    12: 18,
    13: 27,
    15: 22,
    16: 23,
    18: 24,
    19: 10,
    21: 9,
    22: 25,
    23: 11,
    24: 8,
    26: 7,
    27: 0,
    28: 1,
    29: 5,
    31: 6,
    32: 12,
    33: 13,
    35: 19,
    36: 16,
    37: 26,
    38: 20,
    40: 21,
}
"""Pins of the header by their place, with the number that Broadcom gave each."""
_GPIO = {f"GPIO{number}": number for number in range(28)}
_ON_HEADER = {f"BOARD{place}": f"GPIO{bcm}" for place, bcm in _BOARD_BCM.items()}
RASPBERRY_PI = DeskBoard(
    mcus=("linux",),
    numbers=_GPIO,
    names={
        **{pin: pin for pin in _GPIO},
        **{f"BCM{number}": pin for pin, number in _GPIO.items()},
        **_ON_HEADER,
        **{name.replace("BOARD", "J8:"): pin for name, pin in _ON_HEADER.items()},
    },
    parts=(
        PartType(
            name="embedbench-raspberry-pi",
            title="Raspberry Pi, 40-pin header",
            board="embedbench-raspberry-pi",
            pins=(*pins(PinRole.BOTH, " ".join(_GPIO)), *_SUPPLIES),
            aliases={
                **{str(number): pin for pin, number in _GPIO.items()},
                **_ON_HEADER,
                **_GROUNDS,
            },
        ),
    ),
    i2c=("GPIO2", "GPIO3"),
    spellings={
        "BCM": {pin: f"BCM{number}" for pin, number in _GPIO.items()},
        "BOARD": {pin: name for name, pin in _ON_HEADER.items()},
        "J8:": {p: name.replace("BOARD", "J8:") for name, p in _ON_HEADER.items()},
    },
)

DESK_BOARDS = (ESP32, NUCLEO_F401RE, RASPBERRY_PI)
