"""A pin that is joined to another board's: what each does there, the other sees."""

from __future__ import annotations

from bisect import insort
from operator import itemgetter

from pytest_embedbench.engines.simavr.core import layout
from pytest_embedbench.engines.simavr.core.pins import FLOATING, HIGH, LOW

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_embedbench.engines.simavr.core.machine import AvrMachine
    from pytest_embedbench.engines.simavr.core.pins import AvrPort

_RELEASED, _DRIVES_LOW, _DRIVES_HIGH = 0, 2, 3
_LEVELS = (FLOATING, HIGH, LOW, HIGH)
"""What an input sees of a pin that is released, pulled up, low, high."""
_END = itemgetter(0)


class JoinedPin:
    """What goes from a pin and comes to it, edge by edge.

    Args:
        machine: The chip.
        port: The pin's.
        bit: Its number there.
        delay_cycles: After how many cycles an edge is at the other end of the wire.
        say: Called with each edge: when, when it arrives, what the pin does then.
    """

    def __init__(
        self,
        machine: AvrMachine,
        port: AvrPort,
        bit: int,
        delay_cycles: int,
        say: Callable[[int, int, int], None],
    ) -> None:
        self._machine, self._port, self._bit = machine, port, bit
        self._delay, self._say = delay_cycles, say
        self._shown = -1
        self._period = self._high = self._rises_at = 0
        self._coming: list[tuple[int, int, int]] = []
        self._timer = machine.keep(layout.CycleTimer(self._on_arrival))
        self._pwm_timer = machine.keep(layout.CycleTimer(self._on_pwm_edge))
        machine.going_on.add(self._timer)
        machine.revive.append(self._on_reset)
        port.watch(bit, self._on_change)
        self._show(machine.avr.cycle, port.drive_code(bit))

    def arrive(self, begins: int, ends: int, code: int) -> None:
        """Have an edge come, of what the other board does at its pin."""
        coming = (ends, begins, code)
        insort(self._coming, coming, key=_END)  # edges at once stay in order
        if self._coming[0] is coming:
            self._machine.at(ends, self._timer)

    def miss(self) -> None:
        """Be what is coming, at once: the firmware is dead, and a level stays."""
        if self._coming:
            self._port.drive(self._bit, _LEVELS[self._coming[-1][2]])
            self._coming.clear()

    def millivolts(self) -> float:
        """Return what the ADC sees at the pin."""
        return self._port.is_high(self._bit) * self._machine.vcc_mv

    def pwm(self, cycle: int, period_us: float, duty: float) -> None:
        """Let a timer have the pin; without a period the port has it again.

        Args:
            cycle: When its first period began.
            period_us: How long each lasts.
            duty: How much of that it is high, up to 1.
        """
        now = self._machine.avr.cycle
        self._machine.lib.avr_cycle_timer_cancel(
            self._machine.pointer, self._pwm_timer, None
        )
        self._period = round(period_us * self._machine.cpu_hz / 1_000_000)
        self._high = round(self._period * duty)
        if not self._period:
            self._show(now, self._port.drive_code(self._bit))
        elif 0 < self._high < self._period:
            self._rises_at = cycle
            self._machine.at(self._on_pwm_edge(0, now, 0), self._pwm_timer)
        else:
            self._show(now, _DRIVES_HIGH if self._high else _DRIVES_LOW)

    def _on_pwm_edge(self, _avr: int, when: int, _param: int) -> int:
        phase = (when - self._rises_at) % self._period
        is_high = phase < self._high
        self._show(when, _DRIVES_HIGH if is_high else _DRIVES_LOW)
        return when - phase + (self._high if is_high else self._period)

    def _on_change(self, cycle: int, code: int) -> None:
        if code == _RELEASED:
            self._port.settle(self._bit)  # simavr lets it read what it was
        if not self._period:
            self._show(cycle, code)

    def _show(self, cycle: int, code: int) -> None:
        if code != self._shown:
            self._shown = code
            self._say(cycle, cycle + self._delay, code)

    def _on_arrival(self, _avr: int, when: int, _param: int) -> int:
        coming = self._coming
        while coming and coming[0][0] <= when:
            self._port.drive(self._bit, _LEVELS[coming.pop(0)[2]])
        return coming[0][0] if coming else 0

    def _on_reset(self) -> None:
        """The other board goes on."""
        if self._coming:
            self._machine.at(self._coming[0][0], self._timer)
