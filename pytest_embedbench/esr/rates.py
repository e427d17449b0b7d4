"""Rates of success with their intervals: what cases come to, and what they cannot say.

Rates are of the cases that were decided. What was not is in bounds beside them: the
lowest rate if all of it were failures, the highest if all of it were successes.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, NamedTuple

from pytest_embedbench.esr.model import Outcome

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

CONFIDENCE = 0.95
HINT = "intervals take scipy: pip install 'pytest-embedbench[stats]'"


class Interval(NamedTuple):
    """From where to where, both as shares."""

    low: float
    high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Rate:
    """A share of cases.

    Args:
        count: How many.
        of: Of how many that were decided.
        interval: Where the true share is, with a confidence of 95 %; nothing without
            a case, or without scipy.
        bounds: The lowest and the highest that it could be, whatever the undecided
            cases are; both 0 without any case.
    """

    count: int
    of: int
    interval: Interval | None
    bounds: Interval

    @property
    def share(self) -> float | None:
        """What it is, if anything was decided."""
        return self.count / self.of if self.of else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Rates:
    """What cases come to; ``delta`` is ``permissive`` less ``strict``, at least 0."""

    counts: Mapping[Outcome, int]
    strict: Rate
    permissive: Rate
    delta: Rate

    @property
    def cases(self) -> int:
        """How many there are, decided or not."""
        return sum(self.counts.values())

    @property
    def undecided(self) -> int:
        """How many of them say nothing of the firmware."""
        return self.cases - self.strict.of


def rates(outcomes: Iterable[Outcome]) -> Rates:
    """Return what cases come to, in the order of ``Outcome``."""
    seen = Counter(outcomes)
    counts = {each: seen[each] for each in Outcome if seen[each]}
    cases = sum(counts.values())
    undecided = sum(seen[each] for each in Outcome if each.is_undecided)
    decided = cases - undecided
    strict, confirmed = seen[Outcome.STRICT], seen[Outcome.PERMISSIVE_CONFIRMED]
    permissive = strict + confirmed
    failed = decided - permissive
    # All others among the undecided have been run as they are wired, and failed.
    untried = seen[Outcome.BENCH_FAULT]

    def rate(count: int, interval: Interval | None, open_cases: int) -> Rate:
        bounds = Interval(count / cases, (count + open_cases) / cases) if cases else _NO
        return Rate(count=count, of=decided, interval=interval, bounds=bounds)

    return Rates(
        counts=counts,
        strict=rate(strict, wilson(strict, decided), untried),
        permissive=rate(permissive, wilson(permissive, decided), undecided),
        delta=rate(confirmed, gained(strict, confirmed, failed), undecided),
    )


_NO = Interval(0.0, 0.0)


def wilson(count: int, of: int) -> Interval | None:
    """Return Wilson's score interval of a share, by scipy; nothing without cases.

    It is nothing, too, where scipy is not installed.
    """
    if not of or not has_scipy():
        return None
    # An extra, slow to load, and without types.
    binomtest: Any = import_module("scipy.stats").binomtest
    found = binomtest(count, of).proportion_ci(CONFIDENCE, method="wilson")
    return Interval(float(found.low), float(found.high))


def newcombe(
    both: int, first_only: int, second_only: int, neither: int
) -> Interval | None:
    """Return an interval of the difference of two shares of the same cases.

    It is method 10 of R. G. Newcombe, Improved confidence intervals for the difference
    between binomial proportions based on paired data, Statistics in Medicine 17 (1998),
    2635-2650: Wilson's intervals of both, and their correlation with a correction for
    continuity. No release of scipy or statsmodels has it (statsmodels 0.15.0).

    Args:
        both: How many succeeded both times.
        first_only: How many did the first time alone.
        second_only: How many did the second time alone.
        neither: How many did not.

    Returns:
        Where the first share less the second is; nothing as with ``wilson``.
    """
    cases = both + first_only + second_only + neither
    first, second = both + first_only, both + second_only
    of_first, of_second = wilson(first, cases), wilson(second, cases)
    if of_first is None or of_second is None:
        return None
    share, other = first / cases, second / cases
    phi = _correlation(both, first_only, second_only, neither)
    below, above = share - of_first.low, of_first.high - share
    other_below, other_above = other - of_second.low, of_second.high - other
    return Interval(
        share - other - _joined(below, other_above, phi),
        share - other + _joined(above, other_below, phi),
    )


def gained(strict: int, confirmed: int, failed: int) -> Interval | None:
    """Return the interval of ``delta_pin``, which cannot be below 0."""
    found = newcombe(strict, confirmed, 0, failed)
    return found and Interval(max(0.0, found.low), found.high)


def _joined(one: float, other: float, phi: float) -> float:
    return math.sqrt(max(0.0, one * one - 2 * phi * one * other + other * other))


def _correlation(a: int, b: int, c: int, d: int) -> float:
    margins = (a + b) * (c + d) * (a + c) * (b + d)
    if not margins:
        return 0.0
    product = float(a * d - b * c)
    if product > 0:
        product = max(product - (a + b + c + d) / 2, 0.0)
    return product / math.sqrt(margins)


def has_scipy() -> bool:
    """Say whether intervals can be had here."""
    return find_spec("scipy") is not None
