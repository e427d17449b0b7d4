"""Odd lines: each kind is of its kind for every task, and a wrong reading is told."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, cast

import pytest

from pytest_embedbench.errors import WrongOutput
from pytest_embedbench.grading.checks import malformed_lines
from pytest_embedbench.grading.checks.protocol_checks import (
    check_lines,
    check_written,
    meaning,
)
from pytest_embedbench.grading.task import Task, load_task

if TYPE_CHECKING:
    from pytest_embedbench.grading.host.line_protocol import LineProtocol

SUITES = Path(__file__).parents[2] / "example_suites"
TASKS = [load_task(file) for file in sorted(SUITES.glob("*/task.toml"))]
TANK = load_task(SUITES / "tank_fill_drain" / "task.toml")
LONGEST_LINE = 127

of_each_task = pytest.mark.parametrize("task", TASKS, ids=lambda task: task.name)


def kinds(task: Task, lines: Iterable[str]) -> set[str]:
    told = [meaning(line, task.sensors) for line in lines]
    return {each.kind if each else "IGNORED" for each in told}


@of_each_task
def test_readings_are_of_every_valid_kind(task: Task) -> None:
    valid = {sensor.kind for sensor in task.sensors if not sensor.words}
    worded = {kind for sensor in task.sensors for kind in sensor.words.values()}
    assert kinds(task, malformed_lines.readings(task)) == valid | worded


@of_each_task
def test_malformed_lines_are_of_every_invalid_kind(task: Task) -> None:
    invalid = {sensor.invalid for sensor in task.sensors}
    assert kinds(task, malformed_lines.malformed(task)) == invalid


@of_each_task
def test_faults_are_faults_and_what_is_nobodys_is_ignored(task: Task) -> None:
    assert kinds(task, malformed_lines.faults()) == {"SENSOR_TIMEOUT"}
    assert kinds(task, malformed_lines.ignored(task)) == {"IGNORED"}


@of_each_task
def test_no_line_is_valid_in_another_case(task: Task) -> None:
    worded = {sensor.invalid for sensor in task.sensors if sensor.words}
    assert kinds(task, malformed_lines.miscased(task)) == {"IGNORED"} | worded


@of_each_task
def test_no_line_is_longer_than_a_line_can_be(task: Task) -> None:
    lengths = [len(line.rstrip("\r\n")) for line in malformed_lines.all_lines(task)]
    assert max(lengths) == LONGEST_LINE


class Parser:
    """A parser of lines that gets one wrong, and a writer that writes too much."""

    def __init__(self, wrong: str) -> None:
        self.wrong = wrong

    def parse(self, line: str) -> SimpleNamespace:
        told = None if line == self.wrong else meaning(line, TANK.sensors)
        if told is None:
            return SimpleNamespace(result="IGNORED", kind="NONE", level=7)
        return SimpleNamespace(result=told.kind, kind=told.kind, level=told.number)

    def serialise(self, actuator: str, *, on: bool, size_bytes: int) -> str | None:
        line = f"ACT {actuator.upper()} {'ON' if on else 'OFF'}\n"
        return line if size_bytes >= len(line) else None


def refused(check: Callable[[LineProtocol], None], wrong: str) -> str:
    with pytest.raises(WrongOutput) as refusal:
        check(cast("LineProtocol", Parser(wrong)))
    return str(refusal.value)


def test_a_line_that_is_misread_is_told_with_what_it_is() -> None:
    every = [*malformed_lines.all_lines(TANK)]
    check_lines(cast("LineProtocol", Parser("none")), TANK, every)
    told = refused(lambda parser: check_lines(parser, TANK, every), "SENSE LEVEL 42")
    assert told == (
        "protocol_parse_line('SENSE LEVEL 42') gives result=IGNORED, kind=NONE, "
        "level=7; it has to give result=LEVEL, kind=LEVEL, level=42"
    )


def test_a_line_that_is_written_without_its_closing_zero_is_told() -> None:
    told = refused(
        lambda parser: check_written(parser, "pump", on=True, line="ACT PUMP ON\n"), ""
    )
    assert told == (
        "protocol_serialize_act_pump(True) into 12 bytes writes 'ACT PUMP ON\\n'; "
        "it has to write None"
    )
