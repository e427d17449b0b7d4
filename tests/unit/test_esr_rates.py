"""Rates of ESR: counts, bounds, and intervals as they are published."""

from __future__ import annotations

import pytest

from pytest_embedbench.esr.model import Outcome
from pytest_embedbench.esr.rates import HINT, has_scipy, newcombe, rates, wilson

pytestmark = pytest.mark.skipif(not has_scipy(), reason=HINT)

STRICT, CONFIRMED = Outcome.STRICT, Outcome.PERMISSIVE_CONFIRMED
REWIRED, LOGIC = Outcome.PERMISSIVE_REWIRED, Outcome.LOGIC_FAIL
BUILD, BUDGET, BENCH = Outcome.BUILD_FAIL, Outcome.BUDGET, Outcome.BENCH_FAULT


def near(low: float, high: float, within: float) -> object:
    return pytest.approx((low, high), abs=within)


@pytest.mark.parametrize(
    ("count", "of", "published"),
    [
        # Newcombe, Two-sided confidence intervals for the single proportion (1998),
        # Statistics in Medicine 17, 857-872, table I, method 3.
        (81, 263, (0.2553, 0.3662)),
        (15, 148, (0.0624, 0.1605)),
        (0, 20, (0.0000, 0.1611)),
        (1, 29, (0.0061, 0.1718)),
    ],
)
def test_wilson_is_as_published(
    count: int, of: int, published: tuple[float, float]
) -> None:
    assert wilson(count, of) == near(*published, within=0.00006)


@pytest.mark.parametrize(
    ("table", "published", "within"),
    [
        # Fagerland, Lydersen, Laake: Statistical Analysis of Contingency Tables (2017),
        # chapter 8, the square-and-add interval: Bentur et al. 2009, Cavo et al. 2012.
        ((1, 1, 7, 12), (-0.507, -0.026), 0.0005),
        ((59, 6, 16, 80), (-0.1186, -0.0046), 0.00006),
    ],
)
def test_newcombe_is_as_published(
    table: tuple[int, int, int, int],
    published: tuple[float, float],
    within: float,
) -> None:
    assert newcombe(*table) == near(*published, within=within)


def test_rates_are_of_what_was_decided() -> None:
    got = rates([STRICT, STRICT, CONFIRMED, LOGIC, BUILD, BUDGET, BENCH, REWIRED])
    assert (got.strict.count, got.strict.of) == (2, 5)
    assert (got.permissive.count, got.permissive.of) == (3, 5)
    assert got.delta.share == pytest.approx(0.2)
    assert (got.cases, got.undecided) == (8, 3)


def test_bounds_take_the_undecided_for_failures_and_for_successes() -> None:
    got = rates([STRICT, CONFIRMED, LOGIC, BUDGET, BENCH, REWIRED, REWIRED, BUDGET])
    # What ran out of its budget has failed as it is wired.
    assert got.strict.bounds == (1 / 8, 2 / 8)
    assert got.permissive.bounds == (2 / 8, 7 / 8)
    assert got.delta.bounds == (1 / 8, 6 / 8)


def test_nothing_decided_is_no_rate() -> None:
    assert rates([]).cases == 0
    got = rates([BENCH, BUDGET])
    assert tuple(got.delta.bounds) == (0, 1)
    assert (got.delta.share, got.delta.interval) == (None, None)


@pytest.mark.parametrize("outcomes", [[STRICT], [LOGIC] * 3, [STRICT, LOGIC]])
def test_without_a_corrected_case_delta_is_zero(outcomes: list[Outcome]) -> None:
    delta = rates(outcomes).delta
    assert delta.share == 0
    assert delta.interval is not None
    assert delta.interval.low == 0


def test_delta_is_permissive_less_strict() -> None:
    got = rates([STRICT] * 14 + [CONFIRMED] * 5 + [LOGIC] * 22)
    assert got.permissive.share is not None
    assert got.strict.share is not None
    assert got.delta.share == pytest.approx(got.permissive.share - got.strict.share)
    assert got.delta.interval == newcombe(14, 5, 0, 22)
    assert list(got.counts) == [STRICT, CONFIRMED, LOGIC]
