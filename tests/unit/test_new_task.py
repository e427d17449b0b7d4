"""``embedbench new-task`` makes a whole task, and only where there is nothing."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pytest_embedbench.bench.registry import Registry
from pytest_embedbench.cli import main
from pytest_embedbench.errors import ConfigError
from pytest_embedbench.grading.brief import read_brief
from pytest_embedbench.grading.commands.new_task import make_task
from pytest_embedbench.grading.commands.task_names import TaskNames
from pytest_embedbench.grading.sources import sources
from pytest_embedbench.grading.task import load_task
from pytest_embedbench.testing import check_plant

LINES = ("ACT LAMP ON", "ACT LAMP OFF")
ROOM = TaskNames(task="keep_it_bright", plant="room", sensor="light", actuator="lamp")
TUNNEL = TaskNames(
    task="clear_air", plant="road_tunnel", sensor="fresh_air", actuator="big_fan"
)
LEFT_OVER = re.compile(
    r"(task|plant|sensor|actuator)[ _]?name|lamp|light|\broom\b|bright|dark",
    re.IGNORECASE,
)


def test_a_new_task_has_a_name_everywhere(tmp_path: Path) -> None:
    folder = make_task(ROOM, tmp_path)
    task = load_task(folder / "task.toml")
    assert task.name == "keep_it_bright"
    assert task.plant == f"{folder}/plant.py:Room"
    assert (folder / "visible" / "test_keep_it_bright.py").is_file()


def test_a_new_task_is_about_its_own_names(tmp_path: Path) -> None:
    folder = make_task(TUNNEL, tmp_path)
    left = [
        f"{file.relative_to(folder)}: {found[0]}"
        for file in sorted(folder.rglob("*"))
        for text in (file.name, file.read_text() if file.is_file() else "")
        for found in LEFT_OVER.finditer(text)
    ]
    assert left == []
    brief = (folder / "BRIEF.md").read_text()
    assert brief.startswith("# Keep the fresh air of a road tunnel up\n")
    assert "`SENSE FRESH_AIR n`" in brief
    assert '"ACT BIG_FAN "' in (folder / "src" / "protocol.c").read_text()
    assert "class RoadTunnel:" in (folder / "plant.py").read_text()


def test_names_that_read_like_the_templates_own_are_kept(tmp_path: Path) -> None:
    names = TaskNames(
        task="sensor_name",
        plant="task_name",
        sensor="actuator_name",
        actuator="plant_name",
    )
    task = load_task(make_task(names, tmp_path) / "task.toml")
    assert task.name == "sensor_name"
    assert task.sensors[0].line == "SENSE ACTUATOR_NAME"
    assert task.safe_lines[0] == "ACT PLANT_NAME OFF"


def test_a_new_task_has_a_plant_of_its_own(tmp_path: Path) -> None:
    task = load_task(make_task(ROOM, tmp_path) / "task.toml")
    check_plant(Registry().plant(task.plant, light=20), LINES)


def test_a_new_task_has_all_files_of_its_edit_surface_and_a_brief(
    tmp_path: Path,
) -> None:
    folder = make_task(ROOM, tmp_path)
    task = load_task(folder / "task.toml")
    assert all((folder / name).is_file() for name in task.edit_surface)
    assert (folder / task.solution / "src" / "controller.c").is_file()
    assert "R1" in read_brief(folder / task.brief)
    for path, text in sources(task).items():
        assert (folder / path).read_text() == text


@pytest.mark.parametrize("name", ["", "Lamp", "9lamps", "lamp-2", "_lamp", "a__b", "."])
@pytest.mark.parametrize("option", ["task", "plant", "sensor", "actuator"])
def test_a_name_that_is_none_is_refused(option: str, name: str) -> None:
    names = {"task": "keep_it_bright", option: name}
    with pytest.raises(ConfigError, match=f"{name!r} is no name for an? {option}: "):
        TaskNames(**names)


@pytest.mark.parametrize(
    ("option", "name", "told"),
    [
        ("sensor", "int", "a word of C or Python"),
        ("actuator", "lambda", "a word of C or Python"),
        ("plant", "class", "a word of C or Python"),
        ("task", "x" * 33, "at most 32"),
        ("sensor", "kind", "something else of that name"),
        ("sensor", "sensor_timeout", "something else of that name"),
        ("sensor", "actuator", "beside an actuator 'actuator'"),
        ("sensor", "actuator_on", "beside an actuator 'actuator'"),
    ],
)
def test_a_name_that_means_something_else_is_refused(
    option: str, name: str, told: str
) -> None:
    names = {"task": "keep_it_bright", option: name}
    with pytest.raises(ConfigError, match=f"{name!r} is no name for .*{told}"):
        TaskNames(**names)


def test_a_refused_name_leaves_nothing_behind(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("new-task", "lamp", "--sensor=Light", "--in", str(tmp_path))
    assert main(words) == 1
    assert capsys.readouterr().err.startswith("embedbench: 'Light' is no name for a ")
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
