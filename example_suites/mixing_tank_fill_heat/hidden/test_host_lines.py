"""Line by line: what the parser takes each for, and what is written."""

import pytest

from pytest_embedbench.grading.checks import check_lines, check_written, malformed_lines

pytestmark = pytest.mark.profile("full")


@pytest.mark.brief("L1", "L3")
def test_readings_are_read(protocol, task):
    check_lines(protocol, task, malformed_lines.readings(task))


@pytest.mark.brief("L2", "L4")
def test_malformed_readings_are_told_apart(protocol, task):
    check_lines(protocol, task, malformed_lines.malformed(task))


@pytest.mark.brief("L5")
def test_a_fault_is_read(protocol, task):
    check_lines(protocol, task, malformed_lines.faults())


@pytest.mark.brief("L6")
def test_any_other_line_is_ignored(protocol, task):
    check_lines(protocol, task, malformed_lines.ignored(task))


@pytest.mark.brief("L7")
def test_space_does_not_count(protocol, task):
    check_lines(protocol, task, malformed_lines.spaced(task))


@pytest.mark.brief("L6", "L7")
def test_case_counts(protocol, task):
    check_lines(protocol, task, malformed_lines.miscased(task))


@pytest.mark.brief("L8")
@pytest.mark.parametrize(
    ("actuator", "on", "line"),
    [
        ("inlet", True, "ACT INLET OPEN\n"),
        ("inlet", False, "ACT INLET CLOSED\n"),
        ("heater", True, "ACT HEATER ON\n"),
        ("heater", False, "ACT HEATER OFF\n"),
    ],
)
def test_an_actuator_line_is_written_if_it_fits(protocol, actuator, on, line):
    check_written(protocol, actuator, on=on, line=line)
