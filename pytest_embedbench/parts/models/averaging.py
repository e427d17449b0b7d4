"""How bright it is: what a light did, averaged as an eye does it."""

from __future__ import annotations

from collections import deque
from operator import itemgetter
from typing import TYPE_CHECKING

from pytest_embedbench.pins import Level

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from pytest_embedbench.wiring.part_model import Wires

WINDOW_MS = 25
"""What an eye takes for one moment: lights that blink at 40 Hz or more just glow."""


class Average:
    """A value that changes in steps, averaged over the last ticks; 0 at first."""

    def __init__(self, window_ticks: int) -> None:
        self._window_ticks = window_ticks
        self._steps: deque[tuple[int, float]] = deque([(0, 0.0)])

    def change(self, at_ticks: int, value: float) -> None:
        """Set the value from now on."""
        steps = self._steps
        if value == steps[-1][1]:
            return
        steps.append((at_ticks, value))
        oldest = at_ticks - self._window_ticks
        while steps[1][0] <= oldest:
            steps.popleft()

    def over_window(self, at_ticks: int) -> float:
        """Return the average up to now; of all time while that is shorter."""
        begin = max(0, at_ticks - self._window_ticks)
        end = at_ticks
        total = 0.0
        for since, value in reversed(self._steps):
            total += value * (end - max(since, begin))
            if since <= begin:
                break
            end = since
        return total / (at_ticks - begin) if at_ticks > begin else self._steps[-1][1]


class LineShare:
    """For what share of the time a pin is high now, and low: 0 or 1 without PWM."""

    def __init__(self, wires: Wires, pin: str) -> None:
        self.high = self.low = 0.0
        self._listeners: list[Callable[[int], None]] = []
        wires.on_level(pin, self._on_level)
        wires.on_pwm(pin, self._on_pwm)

    def tell(self, call: Callable[[int], None]) -> None:
        """Have changes told."""
        self._listeners.append(call)

    def _on_level(self, at_ticks: int, level: Level) -> None:
        self.high = float(level is Level.HIGH)
        self.low = float(level is Level.LOW)
        self._say(at_ticks)

    def _on_pwm(self, at_ticks: int, period_ticks: int, high_ticks: int) -> None:
        if period_ticks:
            self.high = high_ticks / period_ticks
            self.low = 1 - self.high
            self._say(at_ticks)

    def _say(self, at_ticks: int) -> None:
        for call in self._listeners:
            call(at_ticks)


class _LineHistory:
    """What a pin did in the last ticks: levels, or for what share of PWM it was high.

    To write that down is all that is done at an edge, of which there are thousands for
    each time that somebody looks.
    """

    def __init__(self, wires: Wires, pin: str, window_ticks: int) -> None:
        self.steps: deque[tuple[int, Level | float]] = deque()
        wires.on_level(pin, self._writer(window_ticks))
        wires.on_pwm(pin, self._on_pwm)

    def _writer(self, window_ticks: int) -> Callable[[int, Level | float], None]:
        steps = self.steps

        def write(at_ticks: int, value: Level | float) -> None:
            steps.append((at_ticks, value))
            oldest = at_ticks - window_ticks
            while len(steps) > 1 and steps[1][0] <= oldest:
                steps.popleft()

        self._write = write
        return write

    def _on_pwm(self, at_ticks: int, period_ticks: int, high_ticks: int) -> None:
        if period_ticks:
            self._write(at_ticks, high_ticks / period_ticks)


class Light:
    """An LED between two lines, lit while the first is high and the other low."""

    def __init__(
        self, anode: _LineHistory, cathode: _LineHistory, window_ticks: int
    ) -> None:
        self._anode, self._cathode = anode, cathode
        self._window_ticks = window_ticks

    def over_window(self, at_ticks: int) -> float:
        """Return how bright it is: 0 dark, 1 lit for the whole window."""
        average = Average(self._window_ticks)
        highs = [(at, 0, _share_of_high(it)) for at, it in self._anode.steps]
        lows = [(at, 1, _share_of_low(it)) for at, it in self._cathode.steps]
        shares = [0.0, 0.0]
        for since, end, share in sorted(highs + lows, key=itemgetter(0)):
            shares[end] = share
            average.change(since, shares[0] * shares[1])
        return average.over_window(at_ticks)


def lights(wires: Wires, pairs: Iterable[tuple[str, str]]) -> tuple[Light, ...]:
    """Return the LEDs between pins, anode first, as an eye sees them."""
    legs = tuple(pairs)
    window_ticks = WINDOW_MS * 1000 * wires.ticks_per_us
    pins = dict.fromkeys(pin for pair in legs for pin in pair)
    lines = {pin: _LineHistory(wires, pin, window_ticks) for pin in pins}
    return tuple(
        Light(lines[anode], lines[cathode], window_ticks) for anode, cathode in legs
    )


def _share_of_high(value: Level | float) -> float:
    return float(value is Level.HIGH) if isinstance(value, Level) else value


def _share_of_low(value: Level | float) -> float:
    return float(value is Level.LOW) if isinstance(value, Level) else 1 - value
