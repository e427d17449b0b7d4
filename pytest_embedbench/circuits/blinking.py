"""Waiting until a light blinks."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pytest_embedbench.model import Level
from pytest_embedbench.support.validation import whole_ms

if TYPE_CHECKING:
    from pytest_embedbench.circuits.circuit import Circuit

_RISES = 3


class Blinks(NamedTuple):
    """How a light blinks: how long a period takes, and how long it is lit in one."""

    period_ms: float
    lit_ms: float


def wait_for_blinks(circuit: Circuit, part: str, within_ms: int) -> Blinks:
    """Wait as ``CircuitPart.blinks`` does, for a part that has pins A and C."""
    since_us = circuit.bench.uart.now_us
    ends_us = since_us + whole_ms("within_ms", within_ms) * 1000
    while True:
        lit = _lit(circuit, part, since_us)
        rises = [at_ns for at_ns, is_lit in lit if is_lit]
        if len(rises) >= _RISES:
            begin_ns, end_ns = rises[_RISES - 2 : _RISES]
            falls = [at for at, is_lit in lit if begin_ns < at < end_ns and not is_lit]
            return Blinks((end_ns - begin_ns) / 1e6, (falls[-1] - begin_ns) / 1e6)
        if circuit.bench.uart.now_us >= ends_us:
            seen = f"it was lit {len(rises)} times"
            what = f"{part} did not blink"
            ends = f"{part}:A", f"{part}:C"
            raise circuit.timeout(what, within_ms, seen, ends)
        circuit.bench.uart.poll(ends_us)
        circuit.bench.uart.recorder.raise_fault()


def _lit(circuit: Circuit, part: str, since_us: int) -> list[tuple[int, bool]]:
    """Return when it was lit and went dark, in ns."""
    levels = {"A": Level.FLOATING, "C": Level.FLOATING}
    edges = [
        (at_ns, pin, level)
        for pin in levels
        for at_ns, level in circuit.edges(f"{part}:{pin}")
    ]
    edges.sort(key=lambda edge: edge[0])
    changes: list[tuple[int, bool]] = []
    for at_ns, pin, level in edges:
        levels[pin] = level
        is_lit = levels["A"] is Level.HIGH and levels["C"] is Level.LOW
        if is_lit != (bool(changes) and changes[-1][1]):
            changes.append((at_ns, is_lit))
    return [change for change in changes if change[0] >= since_us * 1000]
