"""``embedbench examples``: suites for those who have no checkout."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_embedbench.builders.platformio import PlatformIO
from pytest_embedbench.cli import main
from pytest_embedbench.cli.examples import copy_example, example_suites
from pytest_embedbench.errors import ConfigError, UnknownName

NAME = "tank_fill_drain"


def test_a_copy_has_all_that_the_suite_has_and_the_boards(tmp_path: Path) -> None:
    copy_example(NAME, tmp_path / "tank")
    copied, suite = files(tmp_path / "tank"), files(example_suites()[NAME])
    ini = Path("platformio.ini")
    assert copied.keys() - suite.keys() == {Path("boards.ini")}
    assert {path for path in suite if copied[path] != suite[path]} == {ini}
    assert b"../" not in copied[ini]


def test_a_copy_can_be_built_for_every_board_that_the_suite_can(tmp_path: Path) -> None:
    copy_example(NAME, tmp_path / "tank")
    assert environments(tmp_path / "tank") == environments(example_suites()[NAME])
    assert "uno" in environments(tmp_path / "tank")


def environments(project: Path) -> tuple[str, ...]:
    return PlatformIO().environments(project)


def files(folder: Path) -> dict[Path, bytes]:
    return {
        path.relative_to(folder): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }


def test_each_suite_is_listed_with_its_title(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["examples", "list"]) == 0
    rows = capsys.readouterr().out.splitlines()
    assert [row.split()[0] for row in rows] == list(example_suites())
    assert f"{NAME:<28} Keep a tank filled" in rows


def test_a_copy_is_where_the_documents_say_and_says_what_to_type_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["examples", "copy", NAME]) == 0
    assert f"pytest --board=native example_suites/{NAME}/visible" in (
        capsys.readouterr().out
    )
    assert Path("example_suites", NAME, "visible", "test_tank.py").is_file()


def test_every_folder_of_examples_can_be_copied() -> None:
    home = example_suites()[NAME].parent
    folders = {place.name for place in home.iterdir() if place.is_dir()}
    names = example_suites()
    assert {name for name in names if "/" not in name} == folders
    assert {"circuits/pot_servo", "two_boards/silent_node"} < names.keys()


@pytest.mark.parametrize("name", ["two_boards", "esr", "wokwi"])
def test_a_group_is_copied_whole_and_finds_its_boards(
    tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["examples", "copy", name, str(tmp_path / "mine")]) == 0
    assert f"{tmp_path}/mine/README.md says how to run it" in capsys.readouterr().out
    inis = sorted((tmp_path / "mine").rglob("platformio.ini"))
    assert inis
    assert [ini for ini in inis if "../" in ini.read_text()] == []
    for ini in inis[:2]:
        original = example_suites()[name] / ini.parent.relative_to(tmp_path / "mine")
        assert environments(ini.parent) == environments(original)


def test_what_has_hidden_tests_only_is_run_with_those(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["examples", "copy", "circuits/pot_servo", str(tmp_path / "a")]) == 0
    assert f"pytest --board=uno {tmp_path}/a/hidden" in capsys.readouterr().out


def test_what_is_there_is_left_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "mine").mkdir()
    assert main(["examples", "copy", NAME, str(tmp_path / "mine")]) == 1
    assert "mine: is there already" in capsys.readouterr().err
    assert list((tmp_path / "mine").iterdir()) == []


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(ConfigError, match=r"file/tank: cannot be written: .*Not a dir"):
        copy_example(NAME, tmp_path / "file" / "tank")


def test_an_unknown_suite_is_named_with_those_there_are(tmp_path: Path) -> None:
    with pytest.raises(UnknownName, match=NAME):
        copy_example("tank", tmp_path / "tank")
