"""Folders with a ``wokwi.toml``: which firmware runs, and what is said if none can."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pytest_embedbench.errors import ConfigError
from pytest_embedbench.support.projects import project_above, ready_source

if TYPE_CHECKING:
    from pathlib import Path

TOML = "[wokwi]\nversion = 1\nfirmware = 'out/app.hex'\nelf = 'out/app.elf'\n"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "app.hex").write_text(":00000001FF\n")
    (tmp_path / "wokwi.toml").write_text(TOML)
    return tmp_path


def test_the_firmware_that_is_named_runs_as_it_is(project: Path) -> None:
    assert project_above(project / "tests" / "test_it.py") == project
    source = ready_source(project, ["uno"])
    assert source is not None
    assert (source.project_dir, source.parts) == (project / "out", ("app.hex",))


def test_paths_of_other_systems_are_read(project: Path) -> None:
    (project / "wokwi.toml").write_text(TOML.replace("out/", "out\\"))
    source = ready_source(project, ["uno"])
    assert source is not None
    assert source.parts == ("app.hex",)


@pytest.mark.parametrize("other", ["platformio.ini", "main.py"])
def test_what_can_be_built_is(project: Path, other: str) -> None:
    (project / other).write_text("")
    assert ready_source(project, ["uno"]) is None


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "has no table \\[wokwi\\]"),
        ("wokwi = 1", "wokwi: must be a table, is 1"),
        ("[wokwi]\nversion = 1\n", "wokwi.firmware: missing"),
        ("[wokwi]\nfirmware = 'a'\n", "wokwi.version: missing"),
        (TOML.replace("= 1", "= 2"), "wokwi.version: must be 1, is 2"),
        (TOML.replace("= 1", "= '1'"), "version: must be a whole number, is '1'"),
        (TOML.replace("firmware", "firmwre"), "do you mean 'firmware'?"),
        (TOML.replace("'out/app.hex'", "7"), "firmware: must be text, is 7"),
        (TOML.replace("out/app.hex", "out"), "firmware: 'out': is a folder"),
        (TOML.replace("app.hex", "a.hex"), "there is no such file: build the project"),
        (
            TOML.replace("out/app.hex", ".pio/build/uno/firmware.hex"),
            "there is no such file: build it first: pio run -e uno",
        ),
        ("[wokwi", "not a readable TOML file"),
    ],
)
def test_what_cannot_be_run_is_a_sentence(project: Path, text: str, told: str) -> None:
    (project / "wokwi.toml").write_text(text)
    with pytest.raises(ConfigError, match=told):
        ready_source(project, ["uno"])


def test_keys_of_a_newer_wokwi_are_no_mistake(project: Path) -> None:
    more = "[[chip]]\nname = 'x'\nbinary = 'x.wasm'\n[net]\ngateway = 'x'\n"
    (project / "wokwi.toml").write_text(f"{TOML}touchAssistance = true\n{more}")
    assert ready_source(project, ["uno"]) is not None


def test_a_program_is_run_if_there_is_nothing_else(project: Path) -> None:
    (project / "wokwi.toml").write_text(TOML.replace("firmware = 'out/app.hex'\n", ""))
    (project / "out" / "app.elf").write_text("")
    source = ready_source(project, ["uno"])
    assert source is not None
    assert source.parts == ("app.elf",)
