"""Where values go on paper: scales, ticks, and paths without needless points."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    Point = tuple[float, float]

_NICE = (1, 2, 5, 10)
_ROOM = 0.06
"""The share of a range that is left free at both ends."""


@dataclass(frozen=True, slots=True)
class Scale:
    """A linear map from values to pixels."""

    low: float
    high: float
    start_px: float
    end_px: float

    def __call__(self, value: float) -> float:
        """Return the pixel of a value."""
        share = (value - self.low) / (self.high - self.low)
        return self.start_px + share * (self.end_px - self.start_px)

    def ticks(self, count: int) -> list[float]:
        """Return at most about ``count`` round values within the range."""
        raw = (self.high - self.low) / count
        power = 10.0 ** math.floor(math.log10(raw))
        step = next(nice * power for nice in _NICE if nice * power >= raw * 0.999)
        first = math.ceil(self.low / step - 1e-9)
        last = math.floor(self.high / step + 1e-9)
        return [round(index * step, 9) for index in range(first, last + 1)]


def around(values: Iterable[float]) -> tuple[float, float]:
    """Return a range with some room around all of ``values``."""
    seen = list(values)
    low, high = min(seen), max(seen)
    room = (high - low) * _ROOM or 1.0
    return low - room, high + room


def path(points: Sequence[Point]) -> str:
    """Return an SVG path through ``points``."""
    return "M" + "L".join(f"{x:.1f},{y:.1f}" for x, y in thinned(points))


def thinned(points: Sequence[Point]) -> Iterator[Point]:
    """Drop points that share a pixel column with its first, last and extremes."""
    column: list[Point] = []
    for point in points:
        if column and int(point[0]) != int(column[0][0]):
            yield from _essential(column)
            column = []
        column.append(point)
    yield from _essential(column)


def _essential(column: list[Point]) -> list[Point]:
    """Return first, lowest, highest and last point, in their order."""
    rows = [y for _, y in column]
    kept = {0, rows.index(min(rows)), rows.index(max(rows)), len(rows) - 1}
    return [column[index] for index in sorted(kept)]


def spans(points: Sequence[tuple[float, bool]]) -> Iterator[tuple[float, float]]:
    """Yield from where to where it was on; the last point ends the last span."""
    since: float | None = None
    for at, is_on in points:
        if is_on and since is None:
            since = at
        elif not is_on and since is not None:
            yield since, at
            since = None
    if since is not None:
        yield since, points[-1][0]
