"""A workspace has what an agent needs, and nothing of the evaluator's."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pytest_embedbench.campaign.handed_out import handed_out
from pytest_embedbench.campaign.modes import MODES, mode_named
from pytest_embedbench.campaign.workspace import create_workspace
from pytest_embedbench.errors import ConfigError, UnknownName
from pytest_embedbench.grading.task import Suite, load_task
from tests.e2e.native_firmware import SUITES
from tests.support.marks import HIDDEN, marks_of_the_evaluator

if TYPE_CHECKING:
    from pathlib import Path

TASKS = sorted(file.parent.name for file in SUITES.glob("*/task.toml"))


def suite(task: str) -> Suite:
    return Suite(root=SUITES / task, task=load_task(SUITES / task / "task.toml"))


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("task", TASKS)
def test_nothing_of_the_evaluator_is_in_it(task: str, mode: str) -> None:
    files = handed_out(suite(task), MODES[mode])
    marks = marks_of_the_evaluator(task)
    assert len(marks) > 100
    everything = "\n".join(files) + b"\n".join(files.values()).decode()
    assert [mark for mark in marks if mark in everything] == []
    root = str(SUITES / task)
    assert root not in everything
    for folder in HIDDEN:
        assert f"{folder}/" not in everything


def test_blind_has_the_brief_and_the_starter_alone() -> None:
    files = handed_out(suite("tank_fill_drain"), MODES["oneshot_blind"])
    assert sorted(files) == [
        "BRIEF.md", "README.md", "boards.ini", "platformio.ini", "src/app.c",
        "src/controller.c", "src/controller.h", "src/protocol.c", "src/protocol.h",
    ]  # fmt: skip
    assert "pytest" not in files["README.md"].decode()


def test_others_have_visible_tests_and_a_place_for_own_ones() -> None:
    files = handed_out(suite("tank_fill_drain"), MODES["ci_red_green"])
    assert {"visible/test_tank.py", "agent_tests/test_own.py", "task.toml"} <= set(
        files
    )


def test_a_plant_and_a_circuit_of_the_packages_own_come_with_it(
    tmp_path: Path,
) -> None:
    (tmp_path / "src").mkdir()
    for name in ("BRIEF.md", "plant.py", "diagram.json", "diagram-mega.json",
                 "src/a.c", "platformio.ini"):  # fmt: skip
        (tmp_path / name).write_text("x")
    (tmp_path / "task.toml").write_text(
        '[task]\nname = "mine"\nbrief = "BRIEF.md"\nedit_surface = ["src/a.c"]\n'
        'plant = "plant.py:Room"\n[circuit]\ndiagram = "diagram.json"\n'
    )
    mine = Suite(root=tmp_path, task=load_task(tmp_path / "task.toml"))
    files = handed_out(mine, MODES["ci_red_green"])
    assert {"plant.py", "diagram.json", "diagram-mega.json"} <= set(files)
    task = tmp_path / "handed_out.toml"
    task.write_bytes(files["task.toml"])
    again = load_task(task)
    assert again.plant == str(tmp_path / "plant.py:Room")
    assert again.diagram == tmp_path / "diagram.json"


def test_a_folder_that_holds_something_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine").touch()
    with pytest.raises(ConfigError, match="is not empty: name a new folder"):
        create_workspace(suite("tank_fill_drain"), tmp_path, MODES["ci_red_green"])
    assert [file.name for file in tmp_path.iterdir()] == ["mine"]


def test_an_unknown_mode_names_the_known_ones() -> None:
    with pytest.raises(UnknownName, match="ci_red_green, oneshot_blind, oracle_full"):
        mode_named("ci")
