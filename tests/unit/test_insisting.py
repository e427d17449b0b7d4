"""A reason says quantity, value, bound and time."""

from __future__ import annotations

import pytest

from pytest_embedbench.errors import WrongOutput
from pytest_embedbench.grading.checks import insist_bound, insist_that


def test_what_is_as_it_has_to_be_is_not_spoken_of() -> None:
    insist_that("pump_on", bool(20))
    insist_that("level", 40, 40, at_ms=400)
    insist_bound("level", 40, at_least=40, at_most=40, one_of=range(41))


def test_a_value_is_told_with_what_it_has_to_be_and_when() -> None:
    with pytest.raises(WrongOutput) as told:
        insist_that("pump_on", bool(0), at_ms=400.0, why="20 did not start it")
    assert str(told.value) == (
        "pump_on is False at 400 ms; it has to be True: 20 did not start it"
    )


def test_a_bound_is_told_with_the_value() -> None:
    with pytest.raises(WrongOutput, match=r"^off after is 1151; it has .* at most 1"):
        insist_bound("off after", 1151, at_least=1000, at_most=1150)
    with pytest.raises(WrongOutput, match=r"^level is 7; it has to be at least 8$"):
        insist_bound("level", 7, at_least=8)
    with pytest.raises(WrongOutput, match=r"level is 7; it has to be one of \[8\]"):
        insist_bound("level", 7, one_of=[8])


def test_what_was_never_measured_is_out_of_all_bounds() -> None:
    with pytest.raises(WrongOutput, match="off after is None; it has to be at most 9"):
        insist_bound("off after", None, at_most=9)
