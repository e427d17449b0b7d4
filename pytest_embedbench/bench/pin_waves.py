"""What joined pins did, as a value change dump for wave viewers and the report page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_embedbench.model import Level

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pytest_embedbench.model import PinEvent, PinTrace

PINS_VCD = "pins.vcd"
_MOST_EDGES = 50_000
_FIRST_CODE = 33
_LEVELS = {Level.LOW: "0", Level.HIGH: "1", Level.FLOATING: "z"}


def pins_vcd(trace: PinTrace, pins: Sequence[str], ends_us: int) -> Iterator[str]:
    """Yield the file, line by line: some pins, in us; of too many edges the last.

    Before its first edge a pin floats. There is no date in it: equal traces give equal
    bytes.
    """
    codes = {pin: chr(_FIRST_CODE + index) for index, pin in enumerate(pins)}
    edges = [edge for edge in trace.events if edge.pin in codes]
    before, shown = edges[:-_MOST_EDGES], edges[-_MOST_EDGES:]
    yield "$version pytest-embedbench, pins that are joined $end\n"
    yield "$timescale 1 us $end\n$scope module board $end\n"
    for pin, code in codes.items():
        yield f"$var wire 1 {code} {pin} $end\n"
    yield "$upscope $end\n$enddefinitions $end\n"
    yield f"#{before[-1].at_us if before else 0}\n$dumpvars\n"
    levels = dict.fromkeys(pins, Level.FLOATING) | {e.pin: e.level for e in before}
    for pin, level in levels.items():
        yield f"{_LEVELS[level]}{codes[pin]}\n"
    yield "$end\n"
    yield from _changes(shown, codes, ends_us)


def _changes(
    edges: Sequence[PinEvent], codes: dict[str, str], ends_us: int
) -> Iterator[str]:
    last_us = -1
    for at_us, pin, level in edges:
        if at_us != last_us:
            yield f"#{at_us}\n"
            last_us = at_us
        yield f"{_LEVELS[level]}{codes[pin]}\n"
    if last_us < ends_us:
        yield f"#{ends_us}\n"
