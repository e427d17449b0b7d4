"""Stepper driver A4988, by Allegro's datasheet "A4988".

STEP rising moves its translator on by what MS1 to MS3 say, from a full step to 1/16;
DIR high goes forward in the datasheet's table of currents. ENABLE high lets go of the
motor and counts on; RESET or SLEEP low let go of it and bring the translator home, at
45 degrees, where steps begin again. Modules pull ENABLE and MS1 to MS3 down and SLEEP
up, and leave RESET open (docs.wokwi.com/parts/wokwi-a4988): an open RESET counts as
low. A combination of MS1 to MS3 that the table lacks counts as 1/16.

Outputs are levels, so of the currents only their signs are told: they are half steps,
and finer steps show at the nearest one. Least times (1 us for STEP, 1 ms after SLEEP)
are not checked.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from pytest_embedbench.pins import Level
from pytest_embedbench.wiring.drives import RELEASED, Strength, drive

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pytest_embedbench.wiring.drives import Drive
    from pytest_embedbench.wiring.part_model import Wires

_FULL, _HALF, _SIXTEENTH = 16, 8, 1
"""Steps in sixteenths of a full one."""
_STEPS = {
    (False, False, False): _FULL,
    (True, False, False): _HALF,
    (False, True, False): 4,
    (True, True, False): 2,
}
_HOME = 8
_TURN = 64
_SIGNS = (
    *((1, 0), (1, 1), (0, 1), (-1, 1)),
    *((-1, 0), (-1, -1), (0, -1), (1, -1)),
)
"""Of the currents of phases 1 and 2, by half steps from 0 degrees."""
_LOW = drive(Strength.OUTPUT, Level.LOW)
_HIGH = drive(Strength.OUTPUT, Level.HIGH)
_PULLED = {
    **dict.fromkeys(("ENABLE", "MS1", "MS2", "MS3"), Level.LOW),
    "SLEEP": Level.HIGH,
}
_OUTPUTS = (("1A", "1B"), ("2A", "2B"))


class StepperDriver:
    """A driver; pins that nothing holds are as its module pulls them."""

    def __init__(self, wires: Wires, _: Mapping[str, str]) -> None:
        self._wires = wires
        self._sixteenths = _HOME
        self._pwm_turn = 0
        self._levels = dict.fromkeys((*_PULLED, "RESET", "DIR", "STEP"), Level.FLOATING)
        self._shown: dict[str, Drive] = {}
        for pin, level in _PULLED.items():
            wires.drive(pin, drive(Strength.PULL, level))
        for pin in self._levels:
            wires.on_level(pin, self._listening(pin))
        wires.on_pwm("STEP", self._on_pwm)

    def power_on(self, _at_ticks: int) -> None:
        """Stand at the home position of its table."""
        self._sixteenths = _HOME
        self._show()

    def _listening(self, pin: str) -> Callable[[int, Level], None]:
        def on_level(_at_ticks: int, level: Level) -> None:
            was, self._levels[pin] = self._levels[pin], level
            if pin == "STEP":
                self._pwm_turn += 1
                if was is Level.LOW and level is Level.HIGH:
                    self._step()
            elif pin not in {"DIR", "MS1", "MS2", "MS3"}:
                self._show()

        return on_level

    def _on_pwm(self, at_ticks: int, period_ticks: int, high_ticks: int) -> None:
        self._levels["STEP"] = Level.FLOATING
        self._pwm_turn += 1
        if 0 < high_ticks < period_ticks:
            pulse = partial(self._pulse, self._pwm_turn, period_ticks)
            self._wires.at(at_ticks + period_ticks, pulse)

    def _pulse(self, turn: int, period_ticks: int, at_ticks: int) -> None:
        if turn == self._pwm_turn:
            self._step()
            pulse = partial(self._pulse, turn, period_ticks)
            self._wires.at(at_ticks + period_ticks, pulse)

    def _is_high(self, pin: str) -> bool:
        level = self._levels[pin]
        return (_PULLED.get(pin) if level is Level.FLOATING else level) is Level.HIGH

    @property
    def _is_awake(self) -> bool:
        return self._is_high("RESET") and self._is_high("SLEEP")

    def _step(self) -> None:
        if not self._is_awake:
            return
        ms1, ms2, ms3 = (self._is_high(pin) for pin in ("MS1", "MS2", "MS3"))
        size = _STEPS.get((ms1, ms2, ms3), _SIXTEENTH)
        # Full steps stand at 45, 135, 225 and 315 degrees.
        beyond = (self._sixteenths - (_HOME if size == _FULL else 0)) % size
        move = size - beyond if self._is_high("DIR") else -(beyond or size)
        self._sixteenths = (self._sixteenths + move) % _TURN
        self._show()

    def _show(self) -> None:
        if not self._is_awake:
            self._sixteenths = _HOME
        half_steps = (self._sixteenths + _HALF // 2) // _HALF % len(_SIGNS)
        is_on = self._is_awake and not self._is_high("ENABLE")
        for (plus, minus), sign in zip(_OUTPUTS, _SIGNS[half_steps], strict=True):
            self._hold(plus, (_HIGH if sign > 0 else _LOW) if is_on else RELEASED)
            self._hold(minus, (_HIGH if sign < 0 else _LOW) if is_on else RELEASED)

    def _hold(self, pin: str, due: Drive) -> None:
        if self._shown.get(pin, RELEASED) != due:
            self._shown[pin] = due
            self._wires.drive(pin, due)
