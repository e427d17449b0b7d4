"""Line by line: what the parser takes each for, and what is written."""

import pytest

from pytest_embedbench.grading.checks import check_lines, check_written, malformed_lines

pytestmark = pytest.mark.profile("full")


@pytest.mark.brief("L1")
def test_levels_are_read(protocol, task):
    check_lines(protocol, task, malformed_lines.readings(task))


@pytest.mark.brief("L2")
def test_malformed_levels_are_told_apart(protocol, task):
    check_lines(protocol, task, malformed_lines.malformed(task))


@pytest.mark.brief("L3")
def test_a_fault_is_read(protocol, task):
    check_lines(protocol, task, malformed_lines.faults())


@pytest.mark.brief("L4")
def test_any_other_line_is_ignored(protocol, task):
    check_lines(protocol, task, malformed_lines.ignored(task))


@pytest.mark.brief("L1", "L2", "L4")
def test_space_does_not_count(protocol, task):
    check_lines(protocol, task, malformed_lines.spaced(task))


@pytest.mark.brief("L4")
def test_case_counts(protocol, task):
    check_lines(protocol, task, malformed_lines.miscased(task))


@pytest.mark.brief("L5")
@pytest.mark.parametrize("on", [True, False])
def test_the_pump_line_is_written_if_it_fits(protocol, on):
    line = f"ACT PUMP {'ON' if on else 'OFF'}\n"
    check_written(protocol, "pump", on=on, line=line)
