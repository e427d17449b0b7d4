"""Statistics of runs beyond shares and their intervals; they take scipy."""

from __future__ import annotations

import math
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping

KeyT = TypeVar("KeyT", bound="Hashable")

POWER = 0.8
ALPHA = 0.05


def pass_at_k(count: int, passed: int, k: int) -> float:
    """Return the chance that one of ``k`` runs passes, of ``count`` that were made.

    It is the unbiased estimate of Chen et al., Evaluating large language models trained
    on code (2021), equation 1.

    Raises:
        ValueError: there are fewer than ``k`` runs.
    """
    if not 1 <= k <= count:
        raise ValueError(f"pass@{k} takes {k} runs or more, and there are {count}")
    return 1.0 - math.comb(count - passed, k) / math.comb(count, k)


@dataclass(frozen=True, slots=True, kw_only=True)
class Paired:
    """Two models at the same tasks, modes and repetitions.

    ``first_only`` and ``second_only`` count where just one of them passed; ``p_value``
    is McNemar's, exact and two-sided, ``None`` without scipy.
    """

    both: int
    first_only: int
    second_only: int
    neither: int
    p_value: float | None


def compare(first: Mapping[KeyT, bool], second: Mapping[KeyT, bool]) -> Paired:
    """Compare outcomes by what they are of; what only one of them has is left out."""
    counts = {(True, True): 0, (True, False): 0, (False, True): 0, (False, False): 0}
    for key in first.keys() & second.keys():
        counts[first[key], second[key]] += 1
    one, other = counts[True, False], counts[False, True]
    return Paired(
        both=counts[True, True],
        first_only=one,
        second_only=other,
        neither=counts[False, False],
        p_value=_mcnemar(one, other),
    )


def detectable_difference(share: float, count: int) -> float | None:
    """Return the least difference that two groups of ``count`` runs would show.

    With a power of 80 % and a two-sided level of 5 %, from ``share`` upwards, by the
    normal approximation with unpooled variances (J. L. Fleiss, Statistical Methods for
    Rates and Proportions, chapter 3); ``None`` if no difference would do.
    """
    norm: Any = import_module("scipy.stats").norm
    brentq: Any = import_module("scipy.optimize").brentq
    reach = float(norm.ppf(1 - ALPHA / 2) + norm.ppf(POWER))

    def short_of(difference: float) -> float:
        other = share + difference
        spread = share * (1 - share) + other * (1 - other)
        return difference - reach * math.sqrt(spread / count)

    most = 1.0 - share
    if most <= 0 or short_of(most) < 0:
        return None
    return float(brentq(short_of, 1e-9, most))


def _mcnemar(first_only: int, second_only: int) -> float | None:
    try:
        binomtest: Any = import_module("scipy.stats").binomtest
    except ImportError:
        return None
    odd = first_only + second_only
    return float(binomtest(first_only, odd).pvalue) if odd else 1.0
