"""What the pins did, as far back as there is room for."""

from __future__ import annotations

from array import array
from collections import deque
from typing import TYPE_CHECKING

from pytest_embedbench.engines.simavr.core.edges import (
    LEVEL_BITS,
    MAX_EDGES,
    PIN_BITS,
    pin_number,
)
from pytest_embedbench.model import Level, PinEvent, PinTrace, PwmEvent

if TYPE_CHECKING:
    from typing import TypeAlias

    from pytest_embedbench.model import BoardSpec

    Used: TypeAlias = tuple[list[tuple[str, str]], list[int], list[str]]

_LEVELS = {level.value: level for level in Level}


class PinLog:
    """The last changes; of those before them the last one of each pin."""

    def __init__(self, spec: BoardSpec) -> None:
        self._cpu_hz = spec.cpu_hz
        ports = {p.port: p.name for p in spec.pins.values() if p.port[0] == "P"}
        self._names = {pin_number(p[1], int(p[2])): ports[p] for p in ports}
        self._packed: list[bytes] = []
        self._edges: deque[PinEvent] = deque()
        self._before: dict[str, PinEvent] = {}
        self._pwm: deque[PwmEvent] = deque(maxlen=MAX_EDGES)
        self._since_us: int = 0
        self.used: Used | None = None

    def add(
        self,
        packed: bytes,
        cut_at: int,
        settings: list[tuple[int, str, float, float]],
        used: Used | None,
    ) -> None:
        """Keep what ``core.main`` answers to ``trace``; it is unpacked when needed.

        Up to the cycle ``cut_at`` only the last change of each pin is there. ``used``
        is what pins were used for, if that is watched.
        """
        self.used = used
        self._packed.append(packed)
        self._since_us = max(self._since_us, self._us(cut_at))
        for cycle, port, period_us, duty in settings:
            name = self._names.get(pin_number(port[1], int(port[2])))
            if name:
                self._pwm.append(PwmEvent(self._us(cycle), name, period_us, duty))

    def trace(self) -> PinTrace:
        """Return all that there is."""
        for packed in self._packed:
            self._unpack(array("Q", packed))
        self._packed.clear()
        before = sorted(self._before.values(), key=lambda edge: edge.at_us)
        return PinTrace((*before, *self._edges), tuple(self._pwm), self._since_us)

    def _unpack(self, packed: array[int]) -> None:
        edges = self._edges
        for each in packed:
            number = each >> LEVEL_BITS & (1 << PIN_BITS) - 1
            name = self._names.get(number)
            if name is None:
                continue
            at_us = self._us(each >> PIN_BITS + LEVEL_BITS)
            level = _LEVELS[each & (1 << LEVEL_BITS) - 1]
            edges.append(PinEvent(at_us, name, level))
            if len(edges) > MAX_EDGES:
                oldest = edges.popleft()
                self._before[oldest.pin] = oldest
                self._since_us = max(self._since_us, oldest.at_us)

    def _us(self, cycle: int) -> int:
        return cycle * 1_000_000 // self._cpu_hz
