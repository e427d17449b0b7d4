"""``embedbench new-task`` makes a whole task, and only where there is nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_embedbench.bench.registry import Registry
from pytest_embedbench.cli import main
from pytest_embedbench.errors import ConfigError
from pytest_embedbench.grading.brief import read_brief
from pytest_embedbench.grading.commands.new_task import make_task
from pytest_embedbench.grading.task import load_task
from pytest_embedbench.testing import check_plant

LINES = ("ACT LAMP ON", "ACT LAMP OFF")


def test_a_new_task_has_a_name_everywhere(tmp_path: Path) -> None:
    folder = make_task("keep_it_bright", tmp_path)
    task = load_task(folder / "task.toml")
    assert task.name == "keep_it_bright"
    assert task.plant == f"{folder}/plant.py:KeepItBright"
    for file in folder.rglob("*"):
        text = file.read_text() if file.is_file() else ""
        assert "task_name" not in f"{file.name}{text}".lower()
        assert "TaskName" not in text


def test_a_new_task_has_a_plant_of_its_own(tmp_path: Path) -> None:
    task = load_task(make_task("lamp", tmp_path) / "task.toml")
    check_plant(Registry().plant(task.plant, light_pct=20), LINES)


def test_a_new_task_has_all_files_of_its_edit_surface_and_a_brief(
    tmp_path: Path,
) -> None:
    folder = make_task("lamp", tmp_path)
    task = load_task(folder / "task.toml")
    assert all((folder / name).is_file() for name in task.edit_surface)
    assert (folder / task.solution / "src" / "controller.c").is_file()
    assert "R1" in read_brief(folder / task.brief)


@pytest.mark.parametrize("name", ["", "Lamp", "9lamps", "lamp-2", "_lamp", "a__b", "."])
def test_a_name_that_is_none_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(ConfigError, match="no name for a task"):
        make_task(name, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_what_is_there_is_left_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "lamp").mkdir()
    (tmp_path / "lamp" / "task.toml").write_text("mine")
    assert main(["new-task", "lamp", "--in", str(tmp_path)]) == 1
    assert "lamp: is there already" in capsys.readouterr().err
    assert [path.name for path in (tmp_path / "lamp").iterdir()] == ["task.toml"]


def test_a_new_task_says_what_to_type_next(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["new-task", "lamp", "--in", str(tmp_path)]) == 0
    assert f"pytest --board=native {tmp_path / 'lamp'}" in capsys.readouterr().out
