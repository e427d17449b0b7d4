"""Step by step: every boundary of the brief, from both sides, in value and in time."""

import pytest

from pytest_embedbench.grading.checks import (
    check_histories,
    check_lines,
    check_written,
    histories,
    malformed_lines,
    walk,
)

pytestmark = pytest.mark.profile("full")

OFF = {"lamp_on": False, "state": "SAFE_OFF"}
LIT = {"lamp_on": True, "state": "LIT"}
DARK = {"lamp_on": False, "state": "DARK"}
ON = ("LIGHT", 100, 20)
"""Switches the lamp on at 100 ms."""


@pytest.mark.brief("R1")
def test_the_lamp_is_off_at_the_start(controller):
    for now_ms in range(50, 3000, 50):
        controller.expect(("NONE", now_ms), **OFF)


@pytest.mark.brief("R2")
@pytest.mark.parametrize("light_pct", [0, 28, 29])
def test_darkness_switches_the_lamp_on(controller, light_pct):
    controller.expect(("LIGHT", 100, light_pct), **LIT)


@pytest.mark.brief("R2", "R3")
@pytest.mark.parametrize("light_pct", [61, 62, 100])
def test_brightness_switches_the_lamp_off(controller, light_pct):
    controller.expect(ON, ("LIGHT", 200, light_pct), **DARK)


@pytest.mark.brief("R1", "R2", "R4")
@pytest.mark.parametrize("light_pct", [30, 31, 59, 60])
def test_anything_between_changes_nothing(controller, light_pct):
    controller.expect(("LIGHT", 50, light_pct), **OFF)
    controller.expect(ON, ("LIGHT", 200, light_pct), **LIT)


@pytest.mark.brief("R5", "R6")
@pytest.mark.parametrize("kind", ["INVALID_LIGHT", "SENSOR_TIMEOUT"])
def test_a_bad_line_switches_the_lamp_off(controller, kind):
    controller.expect(ON, (kind, 200), **OFF)
    controller.expect(("LIGHT", 300, 30), **OFF)


@pytest.mark.brief("R7")
def test_a_brightness_counts_for_exactly_1000_ms(controller):
    controller.expect(ON, ("NONE", 1100), **LIT)
    controller.expect(("NONE", 1101), **OFF)


@pytest.mark.brief("R8")
def test_changed_is_said_of_going_stale_and_of_nothing_else(controller):
    controller.run([ON])
    stamps = range(150, 3000, 50)
    outputs = controller.run(("NONE", now_ms) for now_ms in stamps)
    changed = [at for at, out in zip(stamps, outputs, strict=True) if out.changed]
    assert changed == [1150]


@pytest.mark.brief("L1")
def test_brightnesses_are_read(protocol, task):
    check_lines(protocol, task, malformed_lines.readings(task))


@pytest.mark.brief("L2")
def test_malformed_brightnesses_are_told_apart(protocol, task):
    check_lines(protocol, task, malformed_lines.malformed(task))


@pytest.mark.brief("L3")
def test_a_fault_is_read(protocol, task):
    check_lines(protocol, task, malformed_lines.faults())


@pytest.mark.brief("L4")
def test_any_other_line_is_ignored(protocol, task):
    check_lines(protocol, task, malformed_lines.ignored(task))


@pytest.mark.brief("L5")
@pytest.mark.parametrize("on", [True, False])
def test_the_lamp_line_is_written_if_it_fits(protocol, on):
    line = f"ACT LAMP {'ON' if on else 'OFF'}\n"
    check_written(protocol, "lamp", on=on, line=line)


PARTS = (
    *([("LIGHT", 100, light_pct)] for light_pct in (29, 30, 60, 61)),
    [("INVALID_LIGHT", 50, 20)],
    [("SENSOR_TIMEOUT", 50, 20)],
    *([("NONE", after_ms)] for after_ms in (0, 500, 1000, 1001)),
)


in_all_respects = pytest.mark.brief(*(f"R{number}" for number in range(1, 9)))


@in_all_respects
def test_any_three_things_in_a_row_go_as_the_brief_says(controller, oracle):
    check_histories(controller, type(oracle), [walk(PARTS, in_a_row=3)])


@in_all_respects
def test_long_ways_go_as_the_brief_says(controller, oracle, task):
    """Each begins with an init on what the one before has left."""
    ways = histories(task, seed=1, count=50, step_count=200)
    check_histories(controller, type(oracle), ways)
