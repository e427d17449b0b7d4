"""The boards: Arduino Uno R3, Nano and Mega 2560, with the names that Wokwi prints.

Pin names by the Arduino pinouts (docs.arduino.cc/hardware/uno-rev3 and its like).
A second header of a pin is ``A4.2`` for ``A4``.
"""

from __future__ import annotations

from pytest_embedbench.parts.shorthand import pins, text
from pytest_embedbench.wiring.part_type import PartType, PinRole

_SUPPLIES = (
    *pins(PinRole.SUPPLY, "5V VIN", supply_mv=5000),
    *pins(PinRole.SUPPLY, "3.3V", supply_mv=3300),
    *pins(PinRole.GROUND, "GND"),
    *pins(PinRole.PULLED, "RESET"),
    *pins(PinRole.PASSIVE, "AREF"),
)
_ATTRS = {"frequency": text("16m")}


def _numbered(prefix: str, count: int) -> str:
    return " ".join(f"{prefix}{index}" for index in range(count))


def _same(pin: str, *names: str) -> dict[str, str]:
    return dict.fromkeys(names, pin)


_UNO = PartType(
    name="wokwi-arduino-uno",
    title="Arduino Uno R3",
    board="uno",
    pins=(
        *pins(PinRole.BOTH, f"{_numbered('', 14)} {_numbered('A', 6)}"),
        *_SUPPLIES,
    ),
    attrs=_ATTRS,
    aliases={
        **_same("GND", "GND.1", "GND.2", "GND.3"),
        **_same("5V", "IOREF"),
        **_same("A4", "A4.2"),
        **_same("A5", "A5.2"),
    },
)
_NANO = PartType(
    name="wokwi-arduino-nano",
    title="Arduino Nano",
    board="nano",
    pins=(
        *pins(PinRole.BOTH, f"{_numbered('', 14)} {_numbered('A', 6)}"),
        *pins(PinRole.INPUT, "A6 A7"),
        *_SUPPLIES,
    ),
    attrs=_ATTRS,
    aliases={
        **_same("GND", "GND.1", "GND.2", "GND.3"),
        **_same("5V", "5V.2"),
        **_same("RESET", "RESET.2", "RESET.3"),
        **_same("11", "11.2"),
        **_same("12", "12.2"),
        **_same("13", "13.2"),
    },
)
_MEGA = PartType(
    name="wokwi-arduino-mega",
    title="Arduino Mega 2560",
    board="mega",
    pins=(
        *pins(PinRole.BOTH, f"{_numbered('', 54)} {_numbered('A', 16)}"),
        *_SUPPLIES,
    ),
    attrs=_ATTRS,
    aliases={
        **_same("GND", "GND.1", "GND.2", "GND.3", "GND.4", "GND.5"),
        **_same("5V", "5V.1", "5V.2", "IOREF"),
        **_same("20", "SDA"),
        **_same("21", "SCL"),
    },
)
BOARDS = (_UNO, _NANO, _MEGA)
BOARDS_ELSEWHERE = frozenset(
    {
        "wokwi-attiny85",
        "wokwi-esp32-devkit-v1",
        "wokwi-franzininho",
        "wokwi-nano-rp2040-connect",
        "wokwi-pi-pico",
        "wokwi-tinypico",
        "board-esp32-c3-devkitm-1",
        "board-esp32-c6-devkitc-1",
        "board-esp32-devkit-c-v4",
        "board-esp32-devkit-v1",
        "board-esp32-h2-devkitm-1",
        "board-esp32-s2-devkitm-1",
        "board-esp32-s3-devkitc-1",
        "board-franzininho-wifi",
        "board-pi-pico",
        "board-pi-pico-2",
        "board-pi-pico-w",
        "board-st-nucleo-c031c6",
        "board-st-nucleo-l031k6",
        "board-st-nucleo-l432kc",
        "board-stm32-blackpill",
        "board-stm32-bluepill",
        "board-xiao-esp32-c3",
        "board-xiao-esp32-c6",
        "board-xiao-esp32-s3",
    }
)
