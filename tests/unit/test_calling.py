"""Steps between those that a check gives, as a firmware would have them."""

from __future__ import annotations

import pytest

from pytest_embedbench.errors import ConfigError
from pytest_embedbench.grading.host.calling import LATE_MS, Calling, called


def test_a_step_without_a_line_comes_every_50_ms_and_before_each_line() -> None:
    assert list(called([("LEVEL", 120, 20), ("NONE", 250)])) == [
        *(("NONE", 50), ("NONE", 100), ("NONE", 120), ("LEVEL", 120, 20)),
        *(("NONE", 170), ("NONE", 220), ("NONE", 250)),
    ]


def test_what_was_asked_for_is_told_from_what_was_made_up() -> None:
    rows = [("LEVEL", 10, 20), ("FAULT", 10), ("NONE", 60)]
    asked = [row for row, wanted in Calling().filled(rows) if wanted]
    assert asked == rows
    assert len(list(called(rows))) == len(rows) + 1


def test_steps_that_a_firmware_would_take_are_left_alone() -> None:
    rows = [("NONE", 50), ("NONE", 100), ("LEVEL", 100, 20), ("NONE", 150)]
    assert list(called(rows)) == rows


def test_a_line_at_the_start_comes_first() -> None:
    assert list(called([("LEVEL", 0, 20)])) == [("LEVEL", 0, 20)]


def test_nobody_waits_for_days_until_the_first_step() -> None:
    assert list(called([("LEVEL", LATE_MS + 1, 20)])) == [
        ("NONE", LATE_MS + 1),
        ("LEVEL", LATE_MS + 1, 20),
    ]
    assert len(list(called([("NONE", LATE_MS)]))) == LATE_MS // 50


def test_time_that_goes_back_is_a_fault_of_the_check() -> None:
    with pytest.raises(ConfigError, match="now_ms was 200 in the step before"):
        list(called([("LEVEL", 200, 20), ("NONE", 150)]))
