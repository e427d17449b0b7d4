"""What nets did around a moment, as rows of text: a character for a column of time."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pytest_embedbench.circuits.shown import columns, movers
from pytest_embedbench.wiring.net_log import FIGHT
from pytest_embedbench.wiring.net_waves import FLOATING, HIGH, LOW

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_embedbench.circuits.shown import Column
    from pytest_embedbench.wiring.net_waves import NetWaves

LEGEND = "▒ several edges, ─ nothing holds it"
MOST_ROWS = 12
WINDOW_MS = 50
_MOST_COLUMNS, _LABELLED = 80, 10
_LONGEST_NAME = 20
_NICE = (1, 2, 5)
_CHARACTERS = {LOW: "▁", HIGH: "▔", FLOATING: "─", FIGHT: "x"}
_MANY = "▒"
_US_PER_MS = 1000


class Window(NamedTuple):
    """A stretch of time in us, a whole number of columns."""

    begins_us: int
    ends_us: int
    column_us: int

    def bounds_us(self) -> range:
        """Return where columns begin and end."""
        return range(self.begins_us, self.ends_us + 1, self.column_us)


def window_before(now_us: int, lasts_us: int) -> Window:
    """Return the last ``lasts_us``, or what there was, by columns of round length."""
    lasts_us = max(1, min(lasts_us, now_us))
    column_us = 1
    while -(-lasts_us // column_us) > _MOST_COLUMNS:
        column_us = _next_nice(column_us)
    count = -(-lasts_us // column_us)
    begins_us = max(0, now_us - count * column_us)
    return Window(begins_us, begins_us + count * column_us, column_us)


def _next_nice(column_us: int) -> int:
    power = 1
    while power * 10 <= column_us:
        power *= 10
    return next(nice * power for nice in (*_NICE, 10) if nice * power > column_us)


def latest_waves(waves: NetWaves, *, first: Sequence[int] = (), lasts_us: int) -> str:
    """Return the last ``lasts_us`` of what moved then, ``first`` above it all.

    It is empty if nothing is to be shown.
    """
    record = waves.record
    now_us = record.ends_ticks // record.ticks_per_us
    window = window_before(now_us, lasts_us)
    moved = movers(waves, window.begins_us * record.ticks_per_us, MOST_ROWS)
    rows = list(dict.fromkeys([*first, *moved]))[:MOST_ROWS]
    return wave_text(waves, rows, window) if rows else ""


def wave_text(waves: NetWaves, nets: Sequence[int], window: Window) -> str:
    """Return a row for each net over one axis of time, with what it means."""
    record = waves.record
    bounds_ticks = [at_us * record.ticks_per_us for at_us in window.bounds_us()]
    names = [_short(record.netlist.nets[net].name) for net in nets]
    width = max(map(len, names))
    rows = [
        f"{name:>{width}} {''.join(map(_character, columns(waves, net, bounds_ticks)))}"
        for name, net in zip(names, nets, strict=True)
    ]
    column = _time(window.column_us, window)
    head = f"waves, {column} a column ({LEGEND})"
    axis = [f"{'':{width}} {line}".rstrip() for line in _axis(window)]
    return "\n".join([head, *rows, *axis])


def _character(column: Column) -> str:
    if column.edges > 1:
        return _MANY
    if not column.edges:
        return _CHARACTERS[column.after]
    if (column.before, column.after) == (LOW, HIGH):
        return "/"
    return "\\" if (column.before, column.after) == (HIGH, LOW) else "|"


def _axis(window: Window) -> tuple[str, str]:
    """Return marks at round times, and what they are."""
    step_us = window.column_us
    while step_us < _LABELLED * window.column_us:
        step_us = _next_nice(step_us)
    marks, labels = "", ""
    first_us = -(-window.begins_us // step_us) * step_us
    for at_us in range(first_us, window.ends_us + 1, step_us):
        place = (at_us - window.begins_us) // window.column_us
        if place >= len(labels):
            marks = f"{marks:{place}}'"
            labels = f"{labels:{place}}{_time(at_us, window)} "
    return marks, labels


def _time(at_us: int, window: Window) -> str:
    """Return a time in ms, or in us where columns are that short."""
    if window.column_us * _LABELLED < _US_PER_MS:
        return f"{at_us} us"
    return f"{at_us / _US_PER_MS:.9g} ms"


def _short(name: str) -> str:
    return name if len(name) <= _LONGEST_NAME else f"{name[: _LONGEST_NAME - 1]}…"
