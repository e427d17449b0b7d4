"""Which arguments are pins: of Arduino cores, ESP-IDF, and libraries in wide use.

Sources: the Arduino language reference, ESP-IDF's of GPIO, the libraries' headers.
What is defined in the program itself is followed, whatever it is called.
"""

from __future__ import annotations

import enum
import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_embedbench.esr.sources.program import Program
    from pytest_embedbench.esr.sources.tree import SourcePiece


class ArgumentRole(enum.Enum):
    """What a call does with a pin."""

    DRIVE = "drive"
    PWM = "pwm"
    READ = "read"
    MEASURE = "measure"
    INTERRUPT = "interrupt"
    """Its number is that of an interrupt, not that of a pin."""
    EITHER = "either"


class Sink(NamedTuple):
    """An argument that is a pin, and what is done there."""

    piece: SourcePiece
    role: ArgumentRole
    call: str


_D, _R, _E = ArgumentRole.DRIVE, ArgumentRole.READ, ArgumentRole.EITHER
_CALLS: dict[str, dict[int, ArgumentRole]] = {
    "digitalWrite": {0: _D},
    "digitalWriteFast": {0: _D},
    "analogWrite": {0: ArgumentRole.PWM},
    "digitalRead": {0: _R},
    "digitalReadFast": {0: _R},
    "analogRead": {0: ArgumentRole.MEASURE},
    "tone": {0: _D},
    "noTone": {0: _D},
    "pulseIn": {0: _R},
    "pulseInLong": {0: _R},
    "shiftOut": {0: _D, 1: _D},
    "shiftIn": {0: _R, 1: _D},
    "digitalPinToInterrupt": {0: _R},
    "digitalPinToPort": {0: _E},
    "digitalPinToBitMask": {0: _E},
    "digitalPinToPCMSK": {0: _R},
    "digitalPinToPCMSKbit": {0: _R},
    "digitalPinToPCICR": {0: _R},
    "attachPinChangeInterrupt": {0: _R},
    "attachPCINT": {0: _R},
    "attachInterrupt": {0: ArgumentRole.INTERRUPT},
    "detachInterrupt": {0: ArgumentRole.INTERRUPT},
    # of ESP-IDF and of its Arduino core
    "gpio_set_level": {0: _D},
    "gpio_get_level": {0: _R},
    "gpio_set_direction": {0: _E},
    "gpio_reset_pin": {0: _E},
    "gpio_set_pull_mode": {0: _E},
    "gpio_pullup_en": {0: _R},
    "gpio_set_intr_type": {0: _R},
    "gpio_isr_handler_add": {0: _R},
    "ledcAttach": {0: ArgumentRole.PWM},
    "ledcAttachPin": {0: ArgumentRole.PWM},
    "dacWrite": {0: _D},
    "touchRead": {0: _R},
}
_METHODS: dict[str, dict[int, ArgumentRole]] = {
    "attach": {0: _E},
    "setDataPin": {0: _D},
    "setPin": {0: _D},
}
_TEMPLATES: dict[str, dict[int, ArgumentRole]] = {"addLeds<>": {1: _D}}
_BEGINS: dict[str, dict[int, ArgumentRole]] = {
    "HX711": {0: _R, 1: _D},
    "SDClass": {0: _D},
    "SD": {0: _D},
    "IrReceiver": {0: _R},
    "IrSender": {0: _D},
}
_CLASSES: dict[str, dict[int, ArgumentRole]] = {
    "LiquidCrystal": dict.fromkeys(range(11), _D),
    "DHT": {0: _E},
    "DHT_Unified": {0: _E},
    "OneWire": {0: _E},
    "SoftwareSerial": {0: _R, 1: _D},
    "Stepper": dict.fromkeys(range(1, 5), _D),
    "AccelStepper": dict.fromkeys(range(1, 5), _D),
    "NewPing": {0: _D, 1: _R},
    "Ultrasonic": {0: _D, 1: _R},
    "HCSR04": {0: _D, 1: _R},
    "UltraSonicDistanceSensor": {0: _D, 1: _R},
    "Adafruit_NeoPixel": {1: _D},
    "TM1637Display": {0: _D, 1: _E},
    "TM1637": {0: _D, 1: _E},
    "LedControl": {0: _D, 1: _D, 2: _D},
    "MD_Parola": {1: _D, 2: _D, 3: _D},
    "MD_MAX72XX": {1: _D, 2: _D, 3: _D},
    "HX711": {0: _R, 1: _D},
    "IRrecv": {0: _R},
    "IRsend": {0: _D},
    "Bounce": {0: _R},
    "ezButton": {0: _R},
    "Button": {0: _R},
    "OneButton": {0: _R},
    "Encoder": {0: _R, 1: _R},
    "RotaryEncoder": {0: _R, 1: _R},
    "Keypad": {1: _E, 2: _E},
    "ShiftRegister74HC595": {0: _D, 1: _D, 2: _D},
}
_PIN_NAME = re.compile(r"(^|_)pins?\d*($|_)|[a-z]Pins?\d*$", re.IGNORECASE)
_INPUTS = ("INPUT", "INPUT_PULLUP")


def sinks(program: Program) -> Iterator[Sink]:
    """Yield all arguments that are pins."""
    for name, callee, arguments in program.calls:
        for index, role in _pins_of(name, callee, arguments, program).items():
            if index < len(arguments):
                yield Sink(arguments[index], role, name)


def _pins_of(
    name: str, callee: SourcePiece, arguments: tuple[SourcePiece, ...], program: Program
) -> dict[int, ArgumentRole]:
    if name == "pinMode":
        mode = arguments[1].text if len(arguments) > 1 else ""
        return {0: ArgumentRole.READ if mode in _INPUTS else ArgumentRole.DRIVE}
    if name in program.functions:
        return {}
    if callee.node.type == "field_expression":
        return _of_method(name, callee, program)
    known = {**_CALLS, **_CLASSES, **_TEMPLATES}
    is_object = callee.node.type != "identifier" or bool(callee.owner)
    if name in known or not is_object:
        return known.get(name, {})
    return {i: _E for i, it in enumerate(arguments) if _PIN_NAME.search(it.text)}


def _of_method(
    name: str, callee: SourcePiece, program: Program
) -> dict[int, ArgumentRole]:
    if name != "begin":
        return {**_METHODS, **_TEMPLATES}.get(name, {})
    owner = callee.text.partition(".")[0]
    return _BEGINS.get(program.type_of(owner, callee.scope) or owner, {})
