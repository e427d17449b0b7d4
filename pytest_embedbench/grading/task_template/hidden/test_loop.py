"""In closed loop: firmware and plant in one time, the actuator name at every sample."""

import pytest

from pytest_embedbench.grading.checks import (
    answer_checks,
    insist_bound,
    insist_that,
    loop_checks,
    switches,
)

pytestmark = [pytest.mark.profile("full"), pytest.mark.needs("virtual-time")]

LIMITS = {"R2: lower than 28": lambda state: state.sensor_name >= 28}
loops = loop_checks.LoopChecks(
    is_safe=lambda state: not state.actuator_name_on, limits=LIMITS
)
run = loops.runs_scenarios()


@pytest.mark.brief("R2", "R3", "R4")
def test_the_plant_name_is_kept_between_its_edges(run):
    seen = run("day")
    switched = switches(seen.samples, "actuator_name_on")
    insist_bound(
        "number of switches",
        len(switched),
        at_least=5,
        why="the actuator name hardly ever switched",
    )
    insist_that(
        "values of sensor_name at switches",
        {state.sensor_name for state in switched},
        {28, 64},
    )


test_a_silent_sensor_switches_the_actuator_name_off = loops.silence(
    "R7", last="SENSOR_NAME", limits={}
)
test_every_line_is_answered = answer_checks.answers(
    *("R5", "R6", "L4", "L5"),
    actuators=["ACTUATOR_NAME"],
    rows=[
        ("SENSE SENSOR_NAME 20", "ON RAISING"),
        ("SENSE SENSOR_NAME 61", "OFF HOLDING"),
        ("SENSE SENSOR_NAME 20", "ON RAISING"),
        ("SENSE SENSOR_NAME 101", "OFF SAFE_OFF"),
    ],
    ignored="SENSE NOISE 20",
)
