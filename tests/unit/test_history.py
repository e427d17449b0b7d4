"""A controller's history as text, and back."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pytest_embedbench.errors import ConfigError
from pytest_embedbench.grading.host.history import TakenStep, lines, read_history

if TYPE_CHECKING:
    from pathlib import Path

ON, OFF = "pump_on=True", "pump_on=False"
STEPS = [
    TakenStep(("LEVEL", 0, 20), ON),
    *(TakenStep(("NONE", at_ms, 0), ON) for at_ms in range(50, 1001, 50)),
    TakenStep(("NONE", 1001, 0), OFF),
    TakenStep(("NONE", 1001, 0), OFF),
    TakenStep(("LEVEL", 1100, -3), "?"),
]
LINES = [
    "LEVEL 0 20 -> pump_on=True",
    "NONE 50 to 1000 every 50 -> pump_on=True",
    "NONE 1001 0 -> pump_on=False",
    "NONE 1001 0 -> pump_on=False",
    "LEVEL 1100 -3 -> ?",
]


def test_steps_that_are_alike_and_regular_are_one_line() -> None:
    assert [*lines(STEPS)] == LINES


def test_what_was_written_is_read_again(tmp_path: Path) -> None:
    file = tmp_path / "history.txt"
    file.write_text("\n".join(["# from a run", "", *LINES]))
    rows = [tuple(row) for row in read_history(file)]
    wanted = [step.row if step.row[0] != "NONE" else step.row[:2] for step in STEPS]
    wanted[-3:-1] = [("NONE", 1001, 0)] * 2
    assert rows == wanted


@pytest.mark.parametrize(
    "line", ["LEVEL", "LEVEL soon", "NONE 1 to 2", "NONE 1 every 0"]
)
def test_a_line_that_is_no_step_is_named(tmp_path: Path, line: str) -> None:
    file = tmp_path / "history.txt"
    file.write_text(f"NONE 50\n{line}\n")
    with pytest.raises(ConfigError, match=rf"history\.txt:2: '{line}' is no step"):
        read_history(file)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"none\.txt: cannot be read"):
        read_history(tmp_path / "none.txt")
