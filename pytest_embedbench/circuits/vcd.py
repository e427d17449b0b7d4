"""What nets did as a value change dump (IEEE 1364, chapter 18), for wave viewers.

Times are in steps of 100 ps, so that a clock of 16 MHz is 625 of them. Levels are 0, 1,
z where nothing holds a net, and x where outputs work against each other. There is no
date in it: equal records give equal bytes.
"""

from __future__ import annotations

import re
from heapq import merge
from typing import TYPE_CHECKING, NamedTuple

from pytest_embedbench.circuits.shown import joined_nets, since
from pytest_embedbench.wiring.net_waves import NetWaves

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from pytest_embedbench.wiring.waves import CircuitRecord

TIMESCALE = "100 ps"
_STEPS_PER_US = 10_000
_LEVELS = "01zx"
_FIRST_CODE, _CODES = 33, 94
_UNSAFE = re.compile(r"[^A-Za-z0-9_]")


class _Channel(NamedTuple):
    net: int
    code: str
    name: str


def write_vcd(
    record: CircuitRecord, path: Path, *, most_changes: int | None = None
) -> None:
    """Write the nets of more than one pin; of too many changes, the last.

    Raises:
        OSError: it cannot be written.
    """
    with path.open("w", encoding="ascii", newline="\n") as file:
        file.writelines(vcd_lines(record, most_changes))


def vcd_lines(record: CircuitRecord, most_changes: int | None = None) -> Iterator[str]:
    """Yield the file, line by line; see ``write_vcd``."""
    waves = NetWaves(record)
    nets = joined_nets(waves)
    names = safe_names(record.netlist.nets[net].name for net in nets)
    channels = [
        _Channel(net, _code(index), name)
        for index, (net, name) in enumerate(zip(nets, names, strict=True))
    ]
    yield from _lines(waves, channels, *since(waves, most_changes))


def _lines(
    waves: NetWaves, channels: Sequence[_Channel], begins_ticks: int, why: str
) -> Iterator[str]:
    record = waves.record
    yield "$version pytest-embedbench, nets of a circuit $end\n"
    if why:
        yield f"$comment {why} $end\n"
    yield f"$timescale {TIMESCALE} $end\n$scope module circuit $end\n"
    for _, code, name in channels:
        yield f"$var wire 1 {code} {name} $end\n"
    yield "$upscope $end\n$enddefinitions $end\n"
    yield f"#{_steps(record, begins_ticks)}\n$dumpvars\n"
    for net, code, _ in channels:
        yield f"{_LEVELS[waves.level_at(net, begins_ticks)]}{code}\n"
    yield "$end\n"
    last_ticks = begins_ticks
    each = [_changes(waves, net, code, begins_ticks) for net, code, _ in channels]
    for at_ticks, line in merge(*each, key=lambda change: change[0]):
        if at_ticks != last_ticks:
            yield f"#{_steps(record, at_ticks)}\n"
            last_ticks = at_ticks
        yield line
    if last_ticks < record.ends_ticks:
        yield f"#{_steps(record, record.ends_ticks)}\n"


def channels_vcd(record: CircuitRecord, nets: Mapping[str, int]) -> tuple[str, int]:
    """Return what some nets did, by names of one's own, and how many changes that was.

    Several names may be of one net.
    """
    waves = NetWaves(record)
    channels = [
        _Channel(net, _code(index), name)
        for index, (net, name) in enumerate(
            zip(nets.values(), safe_names(nets), strict=True)
        )
    ]
    lines = [*_lines(waves, channels, record.since_ticks, "")]
    count = sum(waves.count(record.since_ticks, [net]) for net in nets.values())
    return "".join(lines), count


def safe_names(names: Iterable[str]) -> list[str]:
    """Return names that every viewer takes, no two alike: ``uno_13``, ``n_5V``."""
    taken: dict[str, None] = {}
    for name in names:
        plain = _UNSAFE.sub("_", name)
        plain = plain if plain[:1].isalpha() else f"n_{plain}"
        safe, number = plain, 1
        while safe in taken:
            number += 1
            safe = f"{plain}_{number}"
        taken[safe] = None
    return [*taken]


def _changes(
    waves: NetWaves, net: int, code: str, after_ticks: int
) -> Iterator[tuple[int, str]]:
    lines = [f"{level}{code}\n" for level in _LEVELS]
    for at_ticks, level in waves.changes(net, after_ticks):
        yield at_ticks, lines[level]


def _steps(record: CircuitRecord, at_ticks: int) -> int:
    return at_ticks * _STEPS_PER_US // record.ticks_per_us


def _code(index: int) -> str:
    code = ""
    while True:
        index, digit = divmod(index, _CODES)
        code += chr(_FIRST_CODE + digit)
        if not index:
            return code
        index -= 1
