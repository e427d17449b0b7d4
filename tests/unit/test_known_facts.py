"""What a project says of its environments is read again when it has changed, only."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from pytest_embedbench.builders.platformio import environments
from pytest_embedbench.builders.platformio.environments import known_facts

if TYPE_CHECKING:
    from pathlib import Path

LONG_AGO_S = 1_000_000_000


def write(path: Path, text: str, at_s: int = LONG_AGO_S) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    for each in (path, path.parent):
        os.utime(each, (at_s, at_s))


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(environments, "wall_now_ns", lambda: 1 << 62)
    write(tmp_path / "project" / "boards" / "mine.json", '{"build": {"mcu": "avr1"}}')
    write(tmp_path / "project" / "platformio.ini", "[env:one]\nboard = mine\n")
    (tmp_path / "core").mkdir()
    for each in (tmp_path, tmp_path / "core"):
        os.utime(each, (LONG_AGO_S, LONG_AGO_S))
    return tmp_path / "project"


def chips(project: Path) -> dict[str, str]:
    core = project.parent / "core"
    return {its.name: its.mcu for its in known_facts(project, (core,))}


def test_an_unchanged_project_is_read_once(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert chips(project) == {"one": "avr1"}
    monkeypatch.delattr(environments, "read_ini")
    assert chips(project) == {"one": "avr1"}


def test_a_changed_project_is_read_again(project: Path) -> None:
    assert chips(project) == {"one": "avr1"}
    write(project / "platformio.ini", "[env:two]\nboard = mine\n", LONG_AGO_S + 1)
    assert chips(project) == {"two": "avr1"}


def test_a_changed_board_is_read_again(project: Path) -> None:
    assert chips(project) == {"one": "avr1"}
    manifest = '{"build": {"mcu": "avr2"}}'
    write(project / "boards" / "mine.json", manifest, LONG_AGO_S + 1)
    assert chips(project) == {"one": "avr2"}


def test_a_board_that_comes_later_is_seen(project: Path) -> None:
    (project / "boards" / "mine.json").unlink()
    os.utime(project / "boards", (LONG_AGO_S, LONG_AGO_S))
    assert chips(project) == {"one": ""}
    core = project.parent / "core"
    write(core / "boards" / "mine.json", '{"build": {"mcu": "avr3"}}')
    assert chips(project) == {"one": "avr3"}


def test_an_extra_config_is_followed(project: Path) -> None:
    extra = "[platformio]\nextra_configs = more.ini\n[env:one]\nboard = mine\n"
    write(project / "platformio.ini", extra)
    assert chips(project) == {"one": "avr1"}
    write(project / "more.ini", "[env:more]\nboard_build.mcu = avr4\n")
    assert chips(project) == {"one": "avr1", "more": "avr4"}
