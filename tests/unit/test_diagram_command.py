"""``embedbench diagram check``: what it prints, and its exit codes."""

from __future__ import annotations

import argparse
import json
import tomllib
from importlib import import_module
from pathlib import Path

import pytest

from pytest_embedbench.circuits.commands.diagram import add_diagram
from pytest_embedbench.errors import ConfigError
from tests.support.diagrams import UNO, diagram_text

ROOT = Path(__file__).parents[2]
LED = {**UNO, "led1": "wokwi-led"}


def diagram_command(*words: str) -> int:
    parser = argparse.ArgumentParser()
    add_diagram(parser.add_subparsers(required=True))
    arguments = parser.parse_args(["diagram", "check", *words])
    code: int = arguments.run(arguments)
    return code


@pytest.fixture
def well(tmp_path: Path) -> Path:
    file = tmp_path / "well.json"
    file.write_text(diagram_text(LED, "uno:13 - led1:A"))
    return file


@pytest.fixture
def ill(tmp_path: Path) -> Path:
    file = tmp_path / "ill.json"
    file.write_text(diagram_text(LED, "uno:13 - led1:A", "led1:K - uno:GND.1"))
    return file


def test_the_command_is_one_of_embedbench() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    module, _, name = project["entry-points"]["embedbench.commands"][
        "diagram"
    ].partition(":")
    assert getattr(import_module(module), name) is add_diagram


def test_what_is_well_is_told_in_a_line(
    well: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert diagram_command(str(well), "--board", "uno") == 0
    told = f"{well}: nothing is wrong: 2 parts, 1 wires, 1 nets\n"
    assert capsys.readouterr().out == told


def test_what_is_wrong_is_a_line_each_and_exit_code_1(
    well: Path, ill: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert diagram_command(str(ill), str(well)) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == (
        f"{ill}:6: error: led1: wokwi-led has no pin 'K'; it has A, C [unknown-pin]"
    )
    assert "nothing is wrong" in lines[1]


def test_programs_get_findings_and_nets(
    ill: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert diagram_command(str(ill), "--json") == 1
    assert json.loads(capsys.readouterr().out) == [
        {
            "file": str(ill),
            "findings": [
                {
                    "kind": "unknown-pin",
                    "severity": "error",
                    "line": 6,
                    "part": "led1",
                    "pin": "K",
                    "text": "led1: wokwi-led has no pin 'K'; it has A, C",
                }
            ],
            "nets": {"uno:13": ["uno:13", "led1:A"]},
        }
    ]


def test_a_command_line_without_a_file_makes_no_sense(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(SystemExit) as raised:
        diagram_command()
    assert raised.value.code == 2
    assert "file" in capsys.readouterr().err


def test_a_board_without_circuits_is_told(well: Path) -> None:
    with pytest.raises(ConfigError, match=r"no board with circuits named 'unq'; known"):
        diagram_command(str(well), "--board=unq")


def test_files_that_are_not_there_or_no_text_are_told(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"none\.json: cannot be read: No such file"):
        diagram_command(str(tmp_path / "none.json"))
    with pytest.raises(ConfigError, match="cannot be read: Is a directory"):
        diagram_command(str(tmp_path))
    with pytest.raises(ConfigError, match="cannot be read: embedded null byte"):
        diagram_command("a\0b")
    file = tmp_path / "latin.json"
    file.write_bytes(b'{"author": "\xe4"}')
    with pytest.raises(ConfigError, match=r"is no text in UTF-8 \(byte 12\)"):
        diagram_command(str(file))


def draw_command(*words: str) -> int:
    parser = argparse.ArgumentParser()
    add_diagram(parser.add_subparsers(required=True))
    arguments = parser.parse_args(["diagram", "draw", *words])
    code: int = arguments.run(arguments)
    return code


def test_a_picture_is_beside_its_file_or_where_it_is_wanted(
    well: Path, ill: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    wanted = well.parent / "pictures" / "circuit.svg"
    assert draw_command(str(well), str(wanted)) == 0
    assert draw_command(str(ill)) == 0
    pictures = capsys.readouterr().out.splitlines()
    assert pictures == [str(wanted), str(ill.with_suffix(".svg"))]
    assert all(Path(it).read_text().startswith("<svg ") for it in pictures)


def test_a_place_where_no_picture_can_be_is_told(well: Path) -> None:
    with pytest.raises(ConfigError, match=r"x\.svg: cannot be written: File exists"):
        draw_command(str(well), str(well / "x.svg"))
