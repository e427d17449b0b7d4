"""N-channel MOSFET at a logic level, and the load that it switches.

It conducts while its gate is high (such as IRLZ44N, whose threshold is 1 to 2 V, by
International Rectifier's PD-91328); one that floats keeps its charge, so nobody knows:
here it does not conduct. What the load is, a plant knows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_embedbench.parts.models.averaging import Average, LineShare

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_embedbench.wiring.part_model import Reading, Wires

_US_PER_MS = 1000


class Mosfet:
    """A transistor that switches its load to ground."""

    def __init__(self, wires: Wires, attrs: Mapping[str, str]) -> None:
        window_ms = float(attrs["window"])
        self._average = Average(round(window_ms * _US_PER_MS * wires.ticks_per_us))
        self._gate = LineShare(wires, "G")
        self._gate.tell(self._on_gate)

    def observe(self, at_ticks: int, name: str) -> Reading:
        """Return whether it conducts, or for what share of the window it has."""
        if name == "is_on":
            return self._gate.high > 0
        return self._average.over_window(at_ticks)

    def _on_gate(self, at_ticks: int) -> None:
        self._average.change(at_ticks, self._gate.high)
