"""What is looked out for at a service, and which of it was met."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from pytest_embedbench.wiring.stops import PinBecomes, Stop, StopMet, TimeReaches

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from pytest_embedbench.engines.wokwi.simulation import PinChange

_LOOKS_EVERY_NS = 1_000_000
"""How far time goes at once while a pin is looked out for: no pause point knows it."""


class AwaitedStops:
    """Stops; words among them have a pause point each, by name."""

    def __init__(self) -> None:
        self.points: dict[str, Stop] = {}
        self._stops: tuple[Stop, ...] = ()
        self._stays = False
        self._met: deque[StopMet] = deque()

    def look_out(
        self, stops: Sequence[Stop], points: Mapping[str, Stop], *, stay: bool
    ) -> None:
        """Look out for these from now on, and for no others."""
        self._stops, self._stays, self.points = tuple(stops), stay, dict(points)
        self._met.clear()

    def pins(self) -> Iterable[PinBecomes]:
        """Return the pins among them."""
        return [stop for stop in self._stops if isinstance(stop, PinBecomes)]

    def take_met(self) -> StopMet | None:
        """Return one that was met, each once and in order."""
        return self._met.popleft() if self._met else None

    def ends_ns(self, now_ns: int, ends_ns: int) -> int:
        """Return how far time may go at once."""
        moments = [it.at_ns for it in self._stops if isinstance(it, TimeReaches)]
        if self.pins():
            moments.append(now_ns + _LOOKS_EVERY_NS)
        return max(now_ns, min([ends_ns, *moments]))

    def take(self, changes: Sequence[PinChange], point: str, now_ns: int) -> bool:
        """Take what a stretch of time has brought; say whether time ends here."""
        met = [*self._by_pins(changes, now_ns), *self._by_time(now_ns)]
        if point in self.points and (said := self.points.pop(point)) in self._stops:
            met.append(StopMet(said, now_ns))
        if not met:
            return False
        met.sort(key=lambda it: it.at_ns)
        self._met += met[:1] if self._stays else met
        self._stops = ()
        return not self._stays

    def _by_pins(self, changes: Sequence[PinChange], now_ns: int) -> list[StopMet]:
        found: dict[Stop, StopMet] = {}
        for stop in self.pins():
            for at_ns, pin, level in changes:
                if (stop.pin, stop.level) == (pin, level):
                    found.setdefault(stop, StopMet(stop, min(at_ns, now_ns)))
        return list(found.values())

    def _by_time(self, now_ns: int) -> list[StopMet]:
        moments = [it for it in self._stops if isinstance(it, TimeReaches)]
        return [StopMet(it, it.at_ns) for it in moments if it.at_ns <= now_ns]
