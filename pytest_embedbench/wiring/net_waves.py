"""What each net of a record did: its own changes, pulses and bytes in one order.

A change is a tick and a level as the log has it: 0 and 1, ``FLOATING``, ``FIGHT``. All
of it is made where it is asked for, for pulses and bytes are many more as edges.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections import defaultdict
from heapq import merge
from typing import TYPE_CHECKING, NamedTuple, Protocol

from pytest_embedbench.wiring.bus_edges import MISO, i2c_edges, spi_edges
from pytest_embedbench.wiring.net_log import (
    FIGHT,
    LEVEL_BITS,
    NET_MASK,
    TICK_SHIFT,
    BusKind,
)
from pytest_embedbench.wiring.reach import bus_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from pytest_embedbench.wiring.bus_edges import Change
    from pytest_embedbench.wiring.net_log import BusByte, PwmChange
    from pytest_embedbench.wiring.waves import CircuitRecord

LOW, HIGH, FLOATING = 0, 1, 2
_EDGES_OF_BYTE = 24
_FIRST = -1


class _Mover(Protocol):
    """Something that moves a net."""

    def before(self, at_ticks: int) -> Change | None:
        """Return the last change up to a tick, that one among them."""
        ...

    def between(self, from_ticks: int, to_ticks: int) -> Iterator[Change]:
        """Yield the changes after a tick, up to another."""
        ...

    def count(self, from_ticks: int) -> int:
        """Return about how many changes there are after a tick."""
        ...


class NetWaves:
    """The waves of a record. Changes are those of a net from a tick on."""

    def __init__(self, record: CircuitRecord) -> None:
        self.record = record
        changes: dict[int, array[int]] = defaultdict(lambda: array("Q"))
        for each in array("Q", record.packed):
            changes[each >> LEVEL_BITS & NET_MASK].append(each)
        pwm: dict[int, list[PwmChange]] = defaultdict(list)
        for it in record.pwm:
            pwm[it.net].append(it)
        self._spi = [it for it in record.bus if it.kind < BusKind.I2C_ACK]
        self._i2c = [it for it in record.bus if it.kind >= BusKind.I2C_ACK]
        self._i2c_lines = [bus_line(record.netlist, net) for net in record.i2c]
        self._spi_lines = [bus_line(record.netlist, net) for net in record.spi]
        on_bus = frozenset[int]().union(*self._i2c_lines, *self._spi_lines)
        self._movers: dict[int, list[_Mover]] = {}
        for net in sorted({*changes, *pwm, *on_bus}):
            own = _Changes(changes[net])
            self._movers[net] = [own]
            if net in pwm:
                self._movers[net].append(_Pulses(pwm[net], record.ends_ticks))
            self._movers[net] += self._bus_of(net, own)

    def _bus_of(self, net: int, own: _Changes) -> Iterator[_Mover]:
        for line, nets in enumerate(self._spi_lines):
            if net in nets:
                yield _Bus(self._spi, spi_edges, line, own if line == MISO else None)
        for line, nets in enumerate(self._i2c_lines):
            if net in nets:
                yield _Bus(self._i2c, i2c_edges, line, own)

    def level_at(self, net: int, at_ticks: int) -> int:
        """Return what a net showed at a tick, after all that happened there."""
        last, level = _FIRST, FLOATING
        for source in self._movers.get(net, ()):
            change = source.before(at_ticks)
            if change is not None and change[0] >= last:
                last, level = change
        return level

    def changes(
        self, net: int, after_ticks: int = _FIRST, to_ticks: int | None = None
    ) -> Iterator[Change]:
        """Yield the changes of a net after a tick, up to another one.

        Each is to another level than the one before; the first of all counts as one.
        """
        ends = self.record.ends_ticks if to_ticks is None else to_ticks
        found = [it.between(after_ticks, ends) for it in self._movers.get(net, ())]
        level = _FIRST
        if after_ticks >= 0:
            level = self.level_at(net, after_ticks)
        merged = merge(*found, key=lambda change: change[0])
        return _without_repeats(merged, level)

    def last_moved(self, net: int) -> int:
        """Return about when a net changed last: the tick, or -1."""
        ends = self.record.ends_ticks
        found = [it.before(ends) for it in self._movers.get(net, ())]
        return max((it[0] for it in found if it is not None), default=-1)

    def count(self, from_ticks: int, nets: Iterable[int]) -> int:
        """Return about how many changes these nets have from a tick on."""
        return sum(
            source.count(from_ticks)
            for net in nets
            for source in self._movers.get(net, ())
        )


class _Changes:
    """What is in the log of a net."""

    def __init__(self, packed: array[int]) -> None:
        self._packed = packed

    def before(self, at_ticks: int) -> Change | None:
        index = self._index_after(at_ticks)
        return _unpacked(self._packed[index - 1]) if index else None

    def between(self, from_ticks: int, to_ticks: int) -> Iterator[Change]:
        first, last = self._index_after(from_ticks), self._index_after(to_ticks)
        return map(_unpacked, self._packed[first:last])

    def count(self, from_ticks: int) -> int:
        return len(self._packed) - self._index_after(from_ticks)

    def _index_after(self, at_ticks: int) -> int:
        return bisect_left(self._packed, (at_ticks + 1) << TICK_SHIFT)


class _Span(NamedTuple):
    begins_ticks: int
    ends_ticks: int
    period_ticks: int
    high_ticks: int
    begun_at: int

    def at(self, at_ticks: int) -> Change:
        """Return the edge before a tick, that one among them."""
        rise = self.period_at_ticks(at_ticks)
        fall = rise + self.high_ticks
        at, level = (fall, LOW) if fall <= at_ticks else (rise, HIGH)
        return max(at, self.begins_ticks), level

    def period_at_ticks(self, at_ticks: int) -> int:
        """Return when the period of a tick began."""
        return at_ticks - (at_ticks - self.begun_at) % self.period_ticks


class _Pulses:
    """PWM on a net: pulses in the phase that each change of it has."""

    def __init__(self, pwm: Sequence[PwmChange], ends_ticks: int) -> None:
        ends = [it.at_ticks for it in pwm[1:]] + [ends_ticks]
        self._spans = [
            _Span(
                it.at_ticks,
                end,
                it.period_ticks,
                it.high_ticks,
                it.at_ticks if it.begun_at < 0 else it.begun_at,
            )
            for it, end in zip(pwm, ends, strict=True)
            if it.period_ticks and it.at_ticks < end
        ]

    def before(self, at_ticks: int) -> Change | None:
        index = bisect_right(self._spans, at_ticks, key=lambda span: span.begins_ticks)
        if not index:
            return None
        span = self._spans[index - 1]
        return span.at(min(at_ticks, span.ends_ticks - 1))

    def between(self, from_ticks: int, to_ticks: int) -> Iterator[Change]:
        for span in self._spans:
            if span.begins_ticks > to_ticks:
                return
            ends = min(span.ends_ticks, to_ticks + 1)
            begins = span.begins_ticks
            first = span.period_at_ticks(max(begins, from_ticks))
            for rise in range(first, ends, span.period_ticks):
                fall = rise + span.high_ticks
                if fall > begins and from_ticks < (at := max(rise, begins)):
                    yield at, HIGH
                if span.high_ticks < span.period_ticks:
                    at = max(fall, begins)
                    if from_ticks < at < ends:
                        yield at, LOW

    def count(self, from_ticks: int) -> int:
        lasting = (
            (max(0, it.ends_ticks - max(it.begins_ticks, from_ticks)), it)
            for it in self._spans
        )
        return sum(2 * (ticks // it.period_ticks) + 2 for ticks, it in lasting if ticks)


class _Bus:
    """Bytes as edges of one line.

    Where ``released`` is given, a line that nobody holds shows what its own changes
    say, and one that floats carries nothing.
    """

    def __init__(
        self,
        bus: Sequence[BusByte],
        edges: Callable[[BusByte, BusByte | None, int], Iterator[Change]],
        line: int,
        released: _Changes | None,
    ) -> None:
        self._bus, self._edges, self._line = bus, edges, line
        self._released = released

    def before(self, at_ticks: int) -> Change | None:
        near = self._index(at_ticks)
        found: Change | None = None
        for index in range(max(0, near - 2), min(near + 2, len(self._bus))):
            for change in self._of(index):
                if change[0] <= at_ticks:
                    found = change
        return found

    def between(self, from_ticks: int, to_ticks: int) -> Iterator[Change]:
        for index in range(max(0, self._index(from_ticks) - 2), len(self._bus)):
            first: int | None = None
            for change in self._of(index):
                first = change[0] if first is None else first
                if from_ticks < change[0] <= to_ticks:
                    yield change
            if first is not None and first > to_ticks:
                return

    def count(self, from_ticks: int) -> int:
        return _EDGES_OF_BYTE * (len(self._bus) - self._index(from_ticks))

    def _index(self, at_ticks: int) -> int:
        return bisect_right(self._bus, at_ticks, key=lambda it: it.begins_ticks)

    def _of(self, index: int) -> Iterator[Change]:
        it, before = self._bus[index], self._bus[index - 1] if index else None
        edges = self._edges(it, before, self._line)
        if self._released is None:
            return edges
        own = self._released.before(it.begins_ticks)
        level = FLOATING if own is None else own[1]
        if self._edges is spi_edges:
            return iter(()) if level == FLOATING else edges
        return ((at, level if is_free else LOW) for at, is_free in edges)


def _unpacked(change: int) -> Change:
    return change >> TICK_SHIFT, change & FIGHT


def _without_repeats(changes: Iterable[Change], level: int) -> Iterator[Change]:
    """Yield the last change of each tick, if it is one."""
    waiting: Change | None = None
    for change in changes:
        if waiting is not None and waiting[0] != change[0]:
            if waiting[1] != level:
                yield waiting
                level = waiting[1]
            waiting = change
        else:
            waiting = change
    if waiting is not None and waiting[1] != level:
        yield waiting
