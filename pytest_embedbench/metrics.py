"""Figures of merit of a closed loop: pure functions of what was sampled.

A ``Signal`` is one field of the plant's state over a run, which has at least its
first sample. A band is ``(low, high)``, both ends included.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_embedbench.model import Sample

    Band = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Signal:
    """The values of one field, oldest first, with their plant times."""

    stamps_ms: tuple[int, ...]
    values: tuple[int, ...]

    @property
    def first(self) -> int:
        """The value at the start."""
        return self.values[0]

    @property
    def final(self) -> int:
        """The last value."""
        return self.values[-1]

    @property
    def highest(self) -> int:
        """The largest value."""
        return max(self.values)

    @property
    def lowest(self) -> int:
        """The smallest value."""
        return min(self.values)


def signal(samples: Sequence[Sample[Any]], field: str) -> Signal:
    """Return one field of the state over a run."""
    return Signal(
        tuple([sample.at_ms for sample in samples]),
        tuple([getattr(sample.state, field) for sample in samples]),
    )


def settling_time_ms(of: Signal, band: Band) -> int | None:
    """Return when it entered the band for good."""
    settled_ms = None
    for at_ms, value in zip(of.stamps_ms, of.values, strict=True):
        if not _within(value, band):
            settled_ms = None
        elif settled_ms is None:
            settled_ms = at_ms
    return settled_ms


def entered_band_ms(of: Signal, band: Band) -> int | None:
    """Return when it was first within the band."""
    return _first_ms(of, [_within(value, band) for value in of.values])


def rise_time_ms(of: Signal, low: int) -> int | None:
    """Return when it first reached ``low``."""
    return _first_ms(of, [value >= low for value in of.values])


def first_change_ms(of: Signal) -> int | None:
    """Return when it first differed from its start."""
    return _first_ms(of, [value != of.first for value in of.values])


def steady_state_error(of: Signal, band: Band) -> float:
    """Return how far the last value is from the middle of the band."""
    return abs(of.final - sum(band) / 2)


def overshoot(of: Signal, band: Band) -> int:
    """Return how far it went above the band."""
    return max(0, of.highest - band[1])


def undershoot(of: Signal, band: Band) -> int:
    """Return how far it went below the band."""
    return max(0, band[0] - of.lowest)


def transitions(of: Signal) -> int:
    """Return how often it changed from one sample to the next."""
    return sum(before != after for before, after in pairwise(of.values))


def on_ratio(of: Signal) -> float:
    """Return the share of samples in which it was on."""
    return sum(map(bool, of.values)) / len(of.values)


def outside_count(of: Signal, band: Band) -> int:
    """Return in how many samples it was outside the band."""
    return sum(not _within(value, band) for value in of.values)


def is_constant(of: Signal) -> bool:
    """Say whether it never changed."""
    return of.highest == of.lowest


def _within(value: int, band: Band) -> bool:
    return band[0] <= value <= band[1]


def _first_ms(of: Signal, flags: Sequence[bool]) -> int | None:
    return next(
        (at_ms for at_ms, flag in zip(of.stamps_ms, flags, strict=True) if flag), None
    )
