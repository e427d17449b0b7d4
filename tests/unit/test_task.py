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
