"""What any lines have to be answered with, and what is taken for that."""

from __future__ import annotations

from pathlib import Path

import pytest

from embedbench_plants.filter_tank_sequence import FilterTankSequence
from embedbench_plants.tank_fill_drain import TankFillDrain
from pytest_embedbench.errors import WrongOutput
from pytest_embedbench.grading.checks.conversations import (
    Response,
    Turn,
    check_turn,
    conversation,
    known_conversation,
)
from pytest_embedbench.grading.checks.oracle import load_oracle
from pytest_embedbench.grading.checks.protocol_checks import meaning
from pytest_embedbench.grading.task import Suite, find_suite

SUITES = Path(__file__).parents[2] / "example_suites"
TANK, FILTER = (
    find_suite(SUITES / name / "hidden" / "test_host.py")
    for name in ("tank_fill_drain", "filter_tank_sequence")
)
STALE_MS = 1000
OFF, ON = Response((False,), None), Response((True,), None)
OFF_SAID = ["ACT PUMP OFF", "DBG STATE SAFE_OFF"]
ON_SAID = ["ACT PUMP ON", "DBG STATE PUMPING"]


def turns_of_the_filter(count: int = 600) -> list[Turn]:
    oracle = load_oracle(FILTER)()
    return [*conversation(FILTER.task, oracle, seed=12, count=count)]


def insist(turn: Turn, *heard: str) -> None:
    check_turn(TANK.task, TankFillDrain(), turn, heard, 100)


def test_a_seed_gives_one_conversation() -> None:
    assert turns_of_the_filter() == turns_of_the_filter()


def test_a_conversation_is_made_once_for_oracles_that_are_alike() -> None:
    """And anew for one that has come a step further, or stands for another task."""
    one, other, later = (load_oracle(FILTER)() for _ in range(3))
    later.step("LEVEL", {"level": 20}, 10)
    first = known_conversation(FILTER.task, one, seed=3, count=40)
    assert known_conversation(FILTER.task, other, seed=3, count=40) is first
    assert first == [
        *conversation(FILTER.task, load_oracle(FILTER)(), seed=3, count=40)
    ]
    begun_later = known_conversation(FILTER.task, later, seed=3, count=40)
    assert begun_later is not first
    tank = known_conversation(TANK.task, load_oracle(TANK)(), seed=3, count=40)
    assert tank != first


@pytest.mark.parametrize("suite", [TANK, FILTER], ids=["tank", "filter"])
def test_each_value_and_each_state_comes(suite: Suite) -> None:
    turns = [*conversation(suite.task, load_oracle(suite)(), seed=12, count=600)]
    said = [meaning(line, suite.task.sensors) for turn in turns for line in turn.lines]
    for sensor in suite.task.sensors:
        numbers = {told.number for told in said if told and told.value == sensor.value}
        assert numbers == {*range(sensor.lowest, sensor.highest + 1)}
    shown = {each.state for turn in turns for each in (*turn.answers, *turn.changes)}
    assert suite.task.controller is not None
    assert shown == {*(suite.task.controller.states or [None])}


def test_a_state_that_changes_by_itself_has_the_time_to_be_told() -> None:
    """A step that is late by 60 ms, of a line that was taken up 62 ms after it came."""
    oracle, now_ms = load_oracle(TANK)(), 0
    heard_ms: list[int] = []
    for turn in conversation(TANK.task, oracle, seed=12, count=600):
        told = meaning(turn.lines[-1], TANK.task.sensors)
        if told is not None and told.kind == "LEVEL":
            heard_ms.append(now_ms)
        if turn.changes:
            stale_ms = max(heard_ms) + STALE_MS + 1
            assert now_ms <= stale_ms <= now_ms + turn.for_ms - 122
        now_ms += turn.for_ms
    assert heard_ms


@pytest.mark.parametrize(
    ("answers", "changes", "heard"),
    [
        pytest.param((ON,), (), ON_SAID, id="answered"),
        pytest.param((ON,), (OFF,), [*ON_SAID, *OFF_SAID], id="and-changed"),
        pytest.param((), (), [], id="nobodys"),
        pytest.param((), (ON,), [*OFF_SAID, *ON_SAID], id="told-again"),
        pytest.param((ON,), (OFF,), [*ON_SAID, *ON_SAID, *OFF_SAID], id="more-often"),
    ],
)
def test_what_is_due_is_taken(
    answers: tuple[Response, ...], changes: tuple[Response, ...], heard: list[str]
) -> None:
    insist(Turn(("SENSE LEVEL 20",), 100, OFF, answers, changes), *heard)


@pytest.mark.parametrize(
    "heard",
    [
        pytest.param(OFF_SAID, id="another"),
        pytest.param([], id="nothing"),
        pytest.param(ON_SAID[:1], id="half"),
        pytest.param(ON_SAID[1:], id="the-state-alone"),
        pytest.param([*ON_SAID, "DBG DEBUG"], id="more-than-that"),
        pytest.param([*ON_SAID, *OFF_SAID], id="changed-besides"),
        pytest.param(["ACT PUMP OFF", *ON_SAID], id="one-thing-and-the-other"),
    ],
)
def test_anything_else_is_not(heard: list[str]) -> None:
    due = r"to 'SENSE LEVEL 20' at 100 ms.*it has to be pump_on=True"
    with pytest.raises(WrongOutput, match=due):
        insist(Turn(("SENSE LEVEL 20",), 100, OFF, (ON,), ()), *heard)


def test_where_states_are_judged_nothing_is_told_twice() -> None:
    safe = Response((False, False), "SAFE_IDLE")
    said = ["ACT FILTER OFF", "ACT DRAIN CLOSED", "DBG STATE SAFE_IDLE"]
    turn = Turn(("SENSE TURB 20",), 100, safe, (safe,), ())
    check_turn(FILTER.task, FilterTankSequence(), turn, said, 100)
    with pytest.raises(WrongOutput, match="SAFE_IDLE"):
        check_turn(FILTER.task, FilterTankSequence(), turn, said * 2, 100)
