"""Which arguments are pins in Python: of gpiozero, RPi.GPIO and MicroPython.

Sources: gpiozero's API documentation (2.0), the wiki of RPi.GPIO, and MicroPython's
library reference of ``machine``.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, NamedTuple

from pytest_embedbench.esr.sources.sinks import ArgumentRole

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_embedbench.esr.board_pins import BoardPins
    from pytest_embedbench.esr.sources.pin_constant import PinToken

_D, _R, _P = ArgumentRole.DRIVE, ArgumentRole.READ, ArgumentRole.PWM
_E, _M = ArgumentRole.EITHER, ArgumentRole.MEASURE
ON_HEADER = "BOARD"
_ALL = "*"
"""Instead of a name: all that is given by place."""
_CLASSES: dict[str, tuple[tuple[str, ArgumentRole], ...]] = {
    **dict.fromkeys(("LED", "Buzzer", "DigitalOutputDevice"), (("pin", _D),)),
    **dict.fromkeys(("OutputDevice", "TonalBuzzer"), (("pin", _D),)),
    **dict.fromkeys(("PWMLED", "PWMOutputDevice"), (("pin", _P),)),
    **dict.fromkeys(("Servo", "AngularServo"), (("pin", _P),)),
    **dict.fromkeys(("Button", "MotionSensor", "LineSensor"), (("pin", _R),)),
    **dict.fromkeys(("LightSensor", "DigitalInputDevice"), (("pin", _R),)),
    **dict.fromkeys(("InputDevice", "SmoothedInputDevice"), (("pin", _R),)),
    "DistanceSensor": (("echo", _R), ("trigger", _D)),
    "RotaryEncoder": (("a", _R), ("b", _R)),
    "RGBLED": (("red", _P), ("green", _P), ("blue", _P)),
    "TrafficLights": (("red", _D), ("amber", _D), ("green", _D)),
    "Motor": (("forward", _P), ("backward", _P), ("enable", _D)),
    "PhaseEnableMotor": (("phase", _D), ("enable", _P)),
    "Robot": (("left", _P), ("right", _P)),
    **dict.fromkeys(("LEDBoard", "LEDBarGraph"), ((_ALL, _D),)),
    "ButtonBoard": ((_ALL, _R),),
    "Pin": (("id", _E),),
    "ADC": (("id", _M),),
}
_CALLS: dict[str, tuple[tuple[str, ArgumentRole], ...]] = {
    "setup": (("channel", _E),),
    "output": (("channel", _D),),
    "input": (("channel", _R),),
    "PWM": (("channel", _P),),
    "add_event_detect": (("channel", _R),),
    "add_event_callback": (("channel", _R),),
    "remove_event_detect": (("channel", _R),),
    "event_detected": (("channel", _R),),
    "wait_for_edge": (("channel", _R),),
    "cleanup": (("channel", _E),),
}
"""Of RPi.GPIO, whatever it is imported as."""
_MODES = {"OUT": _D, "IN": _R, "PWM": _P}


class PythonSink(NamedTuple):
    """An argument that is a pin, or several; ``row`` is what its numbers count."""

    value: ast.expr
    role: ArgumentRole
    call: str
    row: str


class PythonCalls:
    """What names mean the libraries in a program, by its imports."""

    def __init__(self, trees: list[ast.Module]) -> None:
        self._modules: set[str] = set()
        self._classes: dict[str, str] = {}
        nodes = [node for tree in trees for node in ast.walk(tree)]
        for node in nodes:
            if isinstance(node, ast.Import):
                for it in node.names:
                    if it.name in ("RPi.GPIO", "rpi_lgpio"):
                        self._modules.add(it.asname or it.name)
            elif isinstance(node, ast.ImportFrom):
                for it in node.names:
                    if node.module == "RPi" and it.name == "GPIO":
                        self._modules.add(it.asname or it.name)
                    elif it.asname and it.name in _CLASSES:
                        self._classes[it.asname] = it.name
        calls = [it for it in nodes if isinstance(it, ast.Call)]
        modes = [it for it in calls if _last(it.func) == "setmode" and it.args]
        self._is_by_place = any(_last(it.args[0]) == ON_HEADER for it in modes)

    def sinks(self, call: ast.Call) -> Iterator[PythonSink]:
        """Yield the pins that a call is given."""
        name = _last(call.func)
        if self._is_of_rpi(call.func):
            row = ON_HEADER if self._is_by_place else ""
            for parameter, role in _CALLS.get(name, ()):
                if name == "setup":
                    role = _mode_of(call)  # noqa: PLW2901
                yield from _given(call, parameter, 0, role, f"GPIO.{name}", row)
            return
        kind = self._classes.get(name, name)
        for index, (parameter, role) in enumerate(_CLASSES.get(kind, ())):
            if kind == "Pin":
                role = _mode_of(call)  # noqa: PLW2901
            yield from _given(call, parameter, index, role, kind, "")

    def _is_of_rpi(self, function: ast.expr) -> bool:
        return (
            isinstance(function, ast.Attribute)
            and ast.unparse(function.value) in self._modules
        )


def said_in_python(token: PinToken, pin: str, pins: BoardPins) -> str:
    """Return a pin as a program says it that said another one with this."""
    if token.row == ON_HEADER:
        return pins.spelled(pin, ON_HEADER + token.text).removeprefix(ON_HEADER)
    quote = token.text[0]
    if quote not in "'\"":
        return pins.spelled(pin, token.text)
    return f"{quote}{pins.spelled(pin, token.text.strip(quote))}{quote}"


def _given(
    call: ast.Call, name: str, index: int, role: ArgumentRole, kind: str, row: str
) -> Iterator[PythonSink]:
    by_name = [it.value for it in call.keywords if it.arg == name]
    by_place = call.args if name == _ALL else call.args[index : index + 1]
    for value in (*by_place, *by_name):
        yield PythonSink(value, role, kind, row)


def _mode_of(call: ast.Call) -> ArgumentRole:
    """Return what a pin is set up for: ``GPIO.OUT``, ``Pin.IN``."""
    given = [*call.args[1:2], *(it.value for it in call.keywords)]
    return next((_MODES[m] for it in given if (m := _last(it)) in _MODES), _E)


def _last(node: ast.expr) -> str:
    """Return the last name of what is named."""
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""
