"""Task packages: their table, and what counts as submitted."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_embedbench.errors import ConfigError, NothingSubmitted
from pytest_embedbench.grading.task import ControllerApi, Suite, find_suite, load_task

TASK = """\
[task]
name = "tank"
plant = "tank"
brief = "BRIEF.md"
boot_line = "DBG BOOTED"
edit_surface = ["src/controller.c", "src/controller.h"]
"""
CONTROLLER = """\
[controller]
kinds = ["LEVEL", "INVALID_LEVEL"]
values = ["level"]
actuators = ["pump_on"]
serialisers = ["pump"]
states = ["SAFE_OFF"]
"""


@pytest.fixture
def suite(tmp_path: Path) -> Suite:
    root = tmp_path / "tank"
    (root / "src").mkdir(parents=True)
    (root / "task.toml").write_text(TASK)
    return find_suite(root / "test_x.py")


def test_the_controller_table_is_read(tmp_path: Path) -> None:
    (tmp_path / "task.toml").write_text(TASK + CONTROLLER)
    assert load_task(tmp_path / "task.toml").controller == ControllerApi(
        kinds=("LEVEL", "INVALID_LEVEL"),
        values=("level",),
        actuators=("pump_on",),
        serialisers=("pump",),
        states=("SAFE_OFF",),
    )


def test_what_is_ignored_is_a_list_of_patterns(tmp_path: Path) -> None:
    (tmp_path / "task.toml").write_text(f"{TASK}ignored = ['main/*.c']\n")
    assert load_task(tmp_path / "task.toml").ignored == ("main/*.c",)
    (tmp_path / "task.toml").write_text(f"{TASK}ignored = 'main/*.c'\n")
    with pytest.raises(ConfigError, match=r"task\.ignored: must be a list"):
        load_task(tmp_path / "task.toml")


def test_a_task_needs_no_plant_and_no_boot_line(tmp_path: Path) -> None:
    lines = TASK.splitlines(keepends=True)
    kept = [line for line in lines if not line.startswith(("plant", "boot_line"))]
    (tmp_path / "task.toml").write_text("".join(kept))
    task = load_task(tmp_path / "task.toml")
    assert (task.plant, task.boot_line, task.diagram) == ("", "", None)


def test_a_task_may_have_a_circuit(tmp_path: Path) -> None:
    (tmp_path / "task.toml").write_text(f"{TASK}[circuit]\ndiagram = 'wired.json'\n")
    with pytest.raises(
        ConfigError, match=r"circuit\.diagram: no such .* 'wired\.json'"
    ):
        load_task(tmp_path / "task.toml")
    wired, of_mega = tmp_path / "wired.json", tmp_path / "wired-mega.json"
    wired.touch()
    of_mega.touch()
    found = find_suite(tmp_path / "hidden" / "test_x.py")
    assert found.diagram_for("uno") == wired
    assert found.diagram_for("mega") == of_mega


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ("[circuit]\n", r"circuit\.diagram: missing"),
        ("[circuit]\ndiagram = 1\n", r"circuit\.diagram: must be text"),
        ("[circuit]\ndiagrams = 'x'\n", r"circuit\.diagrams: unknown key"),
        ("[circuit]\ndiagram = ''\n", r"circuit\.diagram: no such file"),
    ],
)
def test_a_broken_circuit_table_names_its_key(
    tmp_path: Path, table: str, message: str
) -> None:
    (tmp_path / "task.toml").write_text(TASK + table)
    with pytest.raises(ConfigError, match=message):
        load_task(tmp_path / "task.toml")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('values = ["level"]\n', "", r"controller\.values: missing"),
        ('"pump_on"', '"pump on"', r"controller\.actuators: 'pump on' is not a name"),
        ('["pump"]', '"pump"', r"controller\.serialisers: must be a list"),
        ("states", "labels", r"controller\.labels: unknown key"),
    ],
)
def test_a_broken_controller_table_names_its_key(
    tmp_path: Path, old: str, new: str, message: str
) -> None:
    (tmp_path / "task.toml").write_text(TASK + CONTROLLER.replace(old, new))
    with pytest.raises(ConfigError, match=message):
        load_task(tmp_path / "task.toml")


@pytest.mark.parametrize(
    "file_name",
    [
        "src/controller.c",
        "main/controller.c",
        "controller.c",
        "components/controller/controller.c",
        "components/controller/include/controller.h",
    ],
)
def test_a_submission_may_lie_where_any_build_would_have_it(
    suite: Suite, tmp_path: Path, file_name: str
) -> None:
    file = tmp_path / "submission" / file_name
    file.parent.mkdir(parents=True)
    file.touch()
    source = suite.source(str(tmp_path / "submission"), relative_to=tmp_path)
    assert source.overlay == {f"src/{file.name}": file.resolve()}


def test_an_empty_submission_is_no_submission(suite: Suite, tmp_path: Path) -> None:
    (tmp_path / "notes.md").touch()
    with pytest.raises(NothingSubmitted, match=r"none of src/controller\.c, src"):
        suite.source(str(tmp_path), relative_to=tmp_path)


def test_a_submission_folder_that_is_not_there_is_the_callers_mistake(
    suite: Suite, tmp_path: Path
) -> None:
    with pytest.raises(ConfigError, match="no submission folder 'typo'"):
        suite.source("typo", relative_to=tmp_path)
