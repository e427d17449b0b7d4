"""Voltages of nets that resistors join: what an ADC, or a comparator, is given.

Nodal analysis of one island of nets: sources with their resistance, and resistors. A
net that nothing reaches is at 0 V.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

# An ADC rounds down: a half has to be a half.
_DECIMALS = 6


class VoltageSource(NamedTuple):
    """A voltage on a net, in mV over ground, behind a resistance."""

    net: int
    value_mv: float
    source_ohm: float


class ResistorBetween(NamedTuple):
    """A resistor, or what conducts like one, between two nets."""

    one: int
    other: int
    value_ohm: float


def solve_voltages(
    nets: Sequence[int],
    sources: Iterable[VoltageSource],
    resistors: Iterable[ResistorBetween],
) -> dict[int, float]:
    """Return the voltage of each net in mV.

    Sources and resistors at nets that are not among ``nets`` are passed over. A source
    without resistance holds its net; of several that do, the mean counts.
    """
    known = set(nets)
    inside = [it for it in resistors if {it.one, it.other} <= known]
    node = _nodes(nets, [it for it in inside if it.value_ohm <= 0])
    edges = [
        (node[it.one], node[it.other], 1 / it.value_ohm)
        for it in inside
        if it.value_ohm > 0 and node[it.one] != node[it.other]
    ]
    at = [
        (node[it.net], it.value_mv, it.source_ohm) for it in sources if it.net in node
    ]
    held = _means([(where, value_mv) for where, value_mv, ohm in at if ohm <= 0])
    pulls = [(where, value_mv, 1 / ohm) for where, value_mv, ohm in at if ohm > 0]
    reached = _reached({where for where, *_ in at}, edges)
    free = {it: index for index, it in enumerate(sorted(reached - held.keys()))}
    rows = [[0.0] * (len(free) + 1) for _ in free]
    for where, value_mv, siemens in pulls:
        if where in free:
            rows[free[where]][free[where]] += siemens
            rows[free[where]][-1] += siemens * value_mv
    for one, other, siemens in edges:
        for here, there in ((one, other), (other, one)):
            if here in free:
                row = rows[free[here]]
                row[free[here]] += siemens
                if there in free:
                    row[free[there]] -= siemens
                else:
                    row[-1] += siemens * held[there]
    solved = _solved(rows)
    mv = {**held, **{it: solved[index] for it, index in free.items()}}
    return {net: round(mv.get(node[net], 0.0), _DECIMALS) for net in nets}


def _nodes(nets: Iterable[int], joined: Iterable[ResistorBetween]) -> dict[int, int]:
    """Return for each net the node that it is part of: what has no ohm between."""
    node = {net: net for net in nets}
    for it in joined:
        one, other = sorted((node[it.one], node[it.other]))
        for net, its in node.items():
            if its == other:
                node[net] = one
    return node


def _means(values: Iterable[tuple[int, float]]) -> dict[int, float]:
    found: dict[int, list[float]] = {}
    for where, value in values:
        found.setdefault(where, []).append(value)
    return {where: sum(them) / len(them) for where, them in found.items()}


def _reached(begins: set[int], edges: Sequence[tuple[int, int, float]]) -> set[int]:
    """Return the nodes that a source holds, directly or through resistors."""
    reached, before = set(begins), 0
    while len(reached) > before:
        before = len(reached)
        for one, other, _ in edges:
            if one in reached or other in reached:
                reached |= {one, other}
    return reached


def _solved(rows: list[list[float]]) -> list[float]:
    """Solve linear equations, each row with its right side behind (Gauss)."""
    size = len(rows)
    for step in range(size):
        best = max(range(step, size), key=lambda index: abs(rows[index][step]))
        rows[step], rows[best] = rows[best], rows[step]
        pivot = rows[step]
        for row in rows[step + 1 :]:
            if factor := row[step] / pivot[step]:
                row[step:] = [
                    here - factor * there
                    for here, there in zip(row[step:], pivot[step:], strict=True)
                ]
    values = [0.0] * size
    for step in reversed(range(size)):
        row = rows[step]
        known = sum(row[index] * values[index] for index in range(step + 1, size))
        values[step] = (row[size] - known) / row[step]
    return values
