"""Sequences of lines: what they are made of, when they are sent, what they mean."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import given, strategies as st

from embedbench_plants.pressure_vessel_interlock import PressureVesselInterlock
from embedbench_plants.tank_fill_drain import TankFillDrain
from pytest_embedbench.errors import ConfigError
from pytest_embedbench.grading.checks.protocol_checks import Input, meaning
from pytest_embedbench.grading.properties import (
    Exchange,
    Sequence,
    firmware_sequences,
    given_examples,
    host_rows,
    sensor_lines,
    streams_of,
)
from pytest_embedbench.grading.properties.judging import DUE_MS, LEAST_GAP_MS, spread
from pytest_embedbench.grading.task import Task, load_task

SUITES = Path(__file__).parents[2] / "example_suites"
VESSEL = load_task(SUITES / "pressure_vessel_interlock" / "task.toml")
TANK = load_task(SUITES / "tank_fill_drain" / "task.toml")
TASKS = [load_task(file) for file in sorted(SUITES.glob("*/task.toml"))]


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("SENSE PRESS 42", Input("PRESSURE", "pressure_kpa", 42)),
        ("  SENSE \t PRESS  +042\r", Input("PRESSURE", "pressure_kpa", 42)),
        ("SENSE PRESS 0", Input("PRESSURE", "pressure_kpa", 0)),
        ("SENSE PRESS 121", Input("INVALID_PRESSURE")),
        ("SENSE PRESS -1", Input("INVALID_PRESSURE")),
        ("SENSE PRESS 4 2", Input("INVALID_PRESSURE")),
        ("SENSE PRESS", Input("INVALID_PRESSURE")),
        ("SENSE PRESS ٤", Input("INVALID_PRESSURE")),
        ("SENSE DOOR OPEN", Input("DOOR_OPEN", "door_closed", 0)),
        ("SENSE DOOR CLOSED", Input("DOOR_CLOSED", "door_closed", 1)),
        ("SENSE DOOR AJAR", Input("INVALID_DOOR")),
        ("SENSE DOOR", None),
        ("SENSE DOOR OPEN now", None),
        ("FAULT SENSOR_TIMEOUT", Input("SENSOR_TIMEOUT")),
        ("FAULT SENSOR_TIMEOUT 1", None),
        ("sense press 42", None),
        ("", None),
    ],
)
def test_a_line_means_what_the_protocol_says(line: str, told: Input | None) -> None:
    assert meaning(line, VESSEL.sensors) == told


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.name)
def test_every_task_says_what_its_lines_are(task: Task) -> None:
    assert task.controller is not None
    assert 1000 in task.timeouts_ms
    kinds = {sensor.kind for sensor in task.sensors if not sensor.words}
    kinds |= {kind for sensor in task.sensors for kind in sensor.words.values()}
    kinds |= {sensor.invalid for sensor in task.sensors} | {"SENSOR_TIMEOUT"}
    assert kinds == set(task.controller.kinds)
    assert [sensor.value for sensor in task.sensors] == list(task.controller.values)


def test_a_plant_shows_its_streams_by_itself() -> None:
    (tank,) = streams_of(TankFillDrain())
    assert (tank.line, tank.around) == ("SENSE LEVEL", (30, 80))
    pressure, door = streams_of(PressureVesselInterlock())
    assert (pressure.line, pressure.around) == ("SENSE PRESS", (40, 60))
    assert (door.line, set(door.words)) == ("SENSE DOOR", {"OPEN", "CLOSED"})


def test_a_task_without_sensors_is_told_so() -> None:
    bare = Task(
        name="bare", plant="", brief="", edit_surface=("src/a.c",), boot_line=""
    )
    with pytest.raises(ConfigError, match="bare: no sensors"):
        firmware_sequences(bare)


@given(sequence=firmware_sequences(VESSEL, max_exchanges=7, max_ms=3000))
def test_sequences_keep_their_bounds(sequence: Sequence) -> None:
    assert len(sequence) <= 7
    assert sum(exchange.after_ms for exchange in sequence) <= 3000
    assert all(exchange.after_ms > 0 and exchange.lines for exchange in sequence)


def test_both_sides_of_every_limit_come_up() -> None:
    seen: set[str] = set()

    @given_examples(count=400, seed=0, line=sensor_lines(TANK))
    def collect(line: str) -> None:
        seen.add(line)

    collect(request=SimpleNamespace(node=SimpleNamespace(user_properties=[])))
    assert {f"SENSE LEVEL {n}" for n in (0, 29, 30, 80, 81, 100)} <= seen
    assert {"SENSE LEVEL 101", "SENSE LEVEL banana", "FAULT SENSOR_TIMEOUT"} <= seen


@given(sequence=firmware_sequences(VESSEL))
def test_no_line_of_a_board_comes_while_a_timeout_is_being_noticed(
    sequence: Sequence,
) -> None:
    sent_ms: list[int] = []
    for after_ms, _ in spread(sequence, (1000,)):
        assert after_ms >= LEAST_GAP_MS
        at_ms = (sent_ms[-1] if sent_ms else 0) + after_ms
        assert not any(980 < at_ms - each < 1000 + DUE_MS[0] for each in sent_ms)
        sent_ms.append(at_ms)


def test_a_host_controller_gets_steps_without_a_line_in_between() -> None:
    sequence = [Exchange(120, ("SENSE LEVEL 20", "HELLO")), Exchange(10, ("FAULT X",))]
    rows = list(host_rows(sequence, TANK))
    assert rows[:6] == [
        ("NONE", 0),
        ("NONE", 50),
        ("NONE", 100),
        ("NONE", 120),
        ("LEVEL", 120, 20),
        ("NONE", 120),
    ]
    assert rows[6] == ("NONE", 130)


def test_fixtures_are_given_once_and_examples_many_times() -> None:
    seen: list[tuple[list[int], int]] = []
    fixture = [1]

    @given_examples(count=5, seed=3, number=st.integers())
    def check(shared: list[int], number: int) -> None:
        seen.append((shared, number))

    node = SimpleNamespace(user_properties=[])
    check(request=SimpleNamespace(node=node), shared=fixture)
    first, seen = seen, []
    check(request=SimpleNamespace(node=node), shared=fixture)
    assert len(first) == 5
    assert all(shared is fixture for shared, _ in first)
    assert seen == first, "the same seed gives the same examples"
    assert node.user_properties == [("embedbench_seed", 3)] * 2
