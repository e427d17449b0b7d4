"""A walk through all that can follow each other, and the first step that differs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, cast

import pytest

from pytest_embedbench.errors import ConfigError, WrongOutput
from pytest_embedbench.grading.checks.oracle import (
    check_histories,
    difference,
    load_oracle,
    walk,
)
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
ROWS = [("LEVEL", 100, 20), ("NONE", 150), ("LEVEL", 200, 40)]


def told(outputs: Sequence[Output]) -> str:
    return difference(cast("Controller", Scripted(outputs)), Brief(), ROWS)


def test_a_controller_that_agrees_differs_nowhere() -> None:
    assert told([ON, Output(on=False, changed=True), OFF]) == ""


def test_the_first_step_that_differs_is_told_with_those_before_it() -> None:
    assert told([ON, ON, ON]) == (
        "on is True and should be False after step 2, the last of\n"
        "  LEVEL 100 20\n"
        "  NONE 150"
    )


def test_the_oracle_is_asked_step_by_step_with_values_by_name() -> None:
    brief = Brief()
    difference(cast("Controller", Scripted([ON, OFF, OFF])), brief, ROWS)
    assert brief.asked == [
        ("LEVEL", {"level": 20}, 100),
        ("NONE", {}, 150),
        ("LEVEL", {"level": 40}, 200),
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
    """A controller that does as it did before, unless ``controller_init`` is called."""

    api: ControllerApi = API
    on: bool = False

    def init(self) -> None:
        self.on = False

    def run(self, rows: list[Any]) -> Sequence[Output]:
        return [self.step(level) for _, _, level in rows]

    def step(self, level: int) -> Output:
        self.on = self.on or level < 30
        return Output(on=self.on, changed=False)


def test_each_history_begins_with_an_init_and_the_first_wrong_one_is_told() -> None:
    controller = cast("Controller", Forgetful())
    low, high = ("LEVEL", 100, 20), ("LEVEL", 200, 40)
    check_histories(controller, Brief, [[low], [high], [high] * 600 + [low]])
    with pytest.raises(WrongOutput, match="after step 602, the last of"):
        check_histories(controller, Brief, [[low], [high] * 600 + [low, high]])
