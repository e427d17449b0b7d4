"""Flow sensor YF-S201: a wheel in the stream, and a pulse for each piece of a turn.

By its maker's sheet the pulses have 7.5 Hz for every litre per minute, which is 450 per
litre, half of the time high, from 1 to 30 l/min. When the flow changes, the wheel goes
on from where it is; below 1 l/min it turns here as well as above.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_embedbench.pins import Level
from pytest_embedbench.wiring.drives import Strength, drive

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_embedbench.wiring.part_model import Reading, Wires

_US_PER_MIN = 60_000_000
_DRIVES = (drive(Strength.OUTPUT, Level.LOW), drive(Strength.OUTPUT, Level.HIGH))


class FlowSensor:
    """A sensor; its output is low at first. Phases are in half pulses."""

    def __init__(self, wires: Wires, attrs: Mapping[str, str]) -> None:
        self._wires = wires
        self._per_litre = float(attrs["pulsesPerLitre"])
        self._phase = 0.0
        self._since_ticks = 0
        self._per_tick = 0.0
        self._edges = 0
        self._plan = 0
        wires.drive("OUT", _DRIVES[0])
        self.control(0, "flow", float(attrs["flow"]))

    def control(self, at_ticks: int, _: str, value: float) -> None:
        """Let so many litres per minute flow."""
        per_tick = 2 * value * self._per_litre / _US_PER_MIN / self._wires.ticks_per_us
        if per_tick == self._per_tick:
            return
        self._phase = self._phase_at(at_ticks)
        self._since_ticks, self._per_tick = at_ticks, per_tick
        self._await(at_ticks)

    def observe(self, _at_ticks: int, _: str) -> Reading:
        """Return how many pulses have begun."""
        return (self._edges + 1) // 2

    def _phase_at(self, at_ticks: int) -> float:
        return self._phase + (at_ticks - self._since_ticks) * self._per_tick

    def _await(self, now_ticks: int) -> None:
        self._plan += 1
        if not self._per_tick:
            return
        plan, ticks = self._plan, (self._edges + 1 - self._phase) / self._per_tick
        due_ticks = max(now_ticks, self._since_ticks + round(ticks))

        def turn(at_ticks: int) -> None:
            if plan == self._plan:  # or the flow has changed since
                self._edges += 1
                self._wires.drive("OUT", _DRIVES[self._edges % 2])
                self._await(at_ticks)

        self._wires.at(due_ticks, turn)
