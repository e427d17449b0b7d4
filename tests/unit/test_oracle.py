"""A walk through all that can follow each other, and the first step that differs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, cast

import pytest

from pytest_embedbench.errors import ConfigError, WrongOutput
from pytest_embedbench.grading.checks.comparing import check_histories, difference
from pytest_embedbench.grading.checks.oracle import load_oracle, walk
from pytest_embedbench.grading.host.controller import Controller
from pytest_embedbench.grading.task import ControllerApi, Suite, load_task

TASK = load_task(
    Path(__file__).parents[2] / "example_suites" / "tank_fill_drain" / "task.toml"
)

API = ControllerApi(
    kinds=("LEVEL", "FAULT"), values=("level",), actuators=("on",), serialisers=()
)


class Output(NamedTuple):
    on: bool
    changed: bool | None


@dataclass
class Scripted:
    """A controller that answers with what it is given."""

    outputs: Sequence[Output]
    api: ControllerApi = API
    rows: list[Any] = field(default_factory=list)

    def run(self, rows: list[Any]) -> Sequence[Output]:
        self.rows.extend(rows)
        return self.outputs


@dataclass
class Brief:
    """An oracle: on below 30; what it is asked is kept."""

    asked: list[Any] = field(default_factory=list)

    def step(self, kind: str, values: Mapping[str, int], now_ms: int) -> Output:
        self.asked.append((kind, dict(values), now_ms))
        return Output(on=values.get("level", 50) < 30, changed=None)


ON, OFF = Output(on=True, changed=False), Output(on=False, changed=False)
ROWS = [("LEVEL", 0, 20), ("NONE", 50), ("LEVEL", 50, 40)]


def told(outputs: Sequence[Output]) -> str:
    return difference(cast("Controller", Scripted(outputs)), Brief(), ROWS)


def test_a_controller_that_agrees_differs_nowhere() -> None:
    assert told([ON, Output(on=False, changed=True), OFF]) == ""


def test_the_first_step_that_differs_is_told_with_those_before_it() -> None:
    assert told([ON, ON, ON]) == (
        "on is True at 50 ms; it has to be False (step 2, the last of\n"
        "  LEVEL 0 20\n"
        "  NONE 50)"
    )


def test_the_oracle_is_asked_step_by_step_with_values_by_name() -> None:
    brief = Brief()
    difference(cast("Controller", Scripted([ON, OFF, OFF])), brief, ROWS)
    assert brief.asked == [
        ("LEVEL", {"level": 20}, 0),
        ("NONE", {}, 50),
        ("LEVEL", {"level": 40}, 50),
    ]


def test_a_walk_lets_every_part_follow_every_other_and_looks_at_the_time() -> None:
    parts: list[list[tuple[str | int, ...]]]
    parts = [[("LEVEL", 50, 20), ("FAULT", 0)], [("NONE", 500)]]
    assert list(walk(parts, in_a_row=2)) == [
        # level and fault, twice
        *(("NONE", 150), ("LEVEL", 150, 20), ("FAULT", 150)),
        *(("NONE", 200), ("LEVEL", 200, 20), ("FAULT", 200)),
        # level and fault, then silence
        *(("NONE", 250), ("LEVEL", 250, 20), ("FAULT", 250)),
        ("NONE", 750),
        # silence, then level and fault
        ("NONE", 1250),
        *(("NONE", 1300), ("LEVEL", 1300, 20), ("FAULT", 1300)),
        # silence, twice
        ("NONE", 1800),
        ("NONE", 2300),
    ]


def test_a_task_without_an_oracle_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"hidden/oracle\.py: no such Python file"):
        load_oracle(Suite(root=tmp_path, task=TASK))


@dataclass
class Forgetful:
    """A controller that does as it did before, unless it is started again."""

    api: ControllerApi = API
    on: bool = False
    batches: list[object] = field(default_factory=list[object])

    def restart(self) -> None:
        self.on = False

    def run(self, rows: list[Any]) -> Sequence[Output]:
        return [self.step(*row[2:]) for row in rows]

    def step(self, level: int = 50) -> Output:
        self.on = self.on or level < 30
        return Output(on=self.on, changed=False)


LOW, HIGH = ("LEVEL", 0, 20), ("LEVEL", 0, 40)


def refusal(*histories: Sequence[tuple[str | int, ...]]) -> str:
    with pytest.raises(WrongOutput) as refused:
        check_histories(cast("Controller", Forgetful()), Brief, histories)
    return str(refused.value)


def test_each_history_begins_at_power_on_and_the_first_wrong_one_is_told() -> None:
    controller = cast("Controller", Forgetful())
    check_histories(controller, Brief, [[LOW], [HIGH], [HIGH] * 600 + [LOW]])
    assert "it has to be False (step 2," in refusal([LOW], [LOW, HIGH])


def test_of_a_long_history_the_fewest_steps_that_go_wrong_are_told() -> None:
    later = [("LEVEL", at_ms, 40) for at_ms in range(100, 70_000, 100)]
    story = [*later, ("LEVEL", 70_000, 20), ("LEVEL", 70_100, 40)]
    assert refusal(story) == (
        "controller_step: on is True at 150 ms; it has to be False (step 4, the last "
        "of\n"
        "  NONE 50 to 100 ms\n"
        "  LEVEL 100 20\n"
        "  NONE 150)"
    )


@dataclass
class Tired:
    """A controller that does right until it has counted to a hundred."""

    api: ControllerApi = API
    count: int = 0
    batches: list[object] = field(default_factory=list[object])

    def restart(self) -> None:
        self.count = 0

    def run(self, rows: list[Any]) -> Sequence[Output]:
        return [self.step(*row[2:]) for row in rows]

    def step(self, level: int = 50) -> Output:
        self.count += 1
        return Output(on=level < 30 and self.count < 100, changed=False)


def test_a_history_that_goes_wrong_only_as_a_whole_is_told_to_its_end() -> None:
    story = [("LEVEL", at_ms, 20) for at_ms in range(0, 70_000, 50)]
    with pytest.raises(WrongOutput, match=r"on is False at 2500 ms; .*\(step 101,"):
        check_histories(cast("Controller", Tired()), Brief, [story])
