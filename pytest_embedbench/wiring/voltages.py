"""Voltages of nets that resistors join: what an ADC, or a comparator, is given.

Nodal analysis of one island of nets: sources with their resistance, and resistors. A
net that nothing reaches is at 0 V.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_LEAK_SIEMENS = 1e-12
_LEAST_OHM = 1e-3


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

    Sources and resistors at nets that are not among ``nets`` are passed over.
    """
    at = {net: index for index, net in enumerate(nets)}
    size = len(nets)
    rows = [[0.0] * (size + 1) for _ in nets]
    for index, row in enumerate(rows):
        row[index] = _LEAK_SIEMENS
    for net, value_mv, source_ohm in sources:
        if net in at:
            row, siemens = rows[at[net]], 1 / max(source_ohm, _LEAST_OHM)
            row[at[net]] += siemens
            row[size] += siemens * value_mv
    for one, other, value_ohm in resistors:
        if one in at and other in at and one != other:
            siemens = 1 / max(value_ohm, _LEAST_OHM)
            for here, there in ((at[one], at[other]), (at[other], at[one])):
                rows[here][here] += siemens
                rows[here][there] -= siemens
    return dict(zip(nets, _solved(rows), strict=True))


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
