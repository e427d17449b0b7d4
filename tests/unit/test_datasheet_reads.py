"""A datasheet is parsed once, and again when it has changed."""

from __future__ import annotations

from importlib.metadata import EntryPoint
from typing import TYPE_CHECKING

import pytest

from pytest_embedbench.bench.registry import Registry
from pytest_embedbench.errors import ConfigError, UnknownName

if TYPE_CHECKING:
    from pathlib import Path

SHEET = """\
engine = "loopback"
mcu = "host"
cpu_hz = 16_000_000
environments = ["uno"]
[uarts.serial0]
baud_bps = 9600
"""


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / f"boards_of_{tmp_path.name}"  # Python imports a name once
    folder.mkdir()
    (folder / "__init__.py").touch()
    monkeypatch.syspath_prepend(tmp_path)
    (folder / "desk.toml").write_text(SHEET)
    return folder / "desk.toml"


def registry(file: Path) -> Registry:
    entry = EntryPoint("mine", file.parent.name, "embedbench.boards")
    return Registry(find=lambda _: [entry])


def test_a_datasheet_is_parsed_once(file: Path) -> None:
    boards = registry(file)
    assert boards.board("desk") is boards.board("desk")
    file.touch()
    assert boards.board("desk") is boards.board("desk")


def test_a_datasheet_that_has_changed_is_another(file: Path) -> None:
    boards = registry(file)
    before = boards.board("desk")
    file.write_text(SHEET.replace("9600", "4800"))
    assert before.uarts[0].baud_bps == 9600
    assert boards.board("desk").uarts[0].baud_bps == 4800
    file.write_text(SHEET)
    assert boards.board("desk") == before


def test_a_datasheet_that_has_become_wrong_or_is_gone_is_told_of(file: Path) -> None:
    boards = registry(file)
    boards.board("desk")
    file.write_text("engine =")
    with pytest.raises(ConfigError, match="not a readable TOML file"):
        boards.board("desk")
    file.write_bytes(b"\xff")
    with pytest.raises(ConfigError, match="not a readable TOML file"):
        boards.board("desk")
    file.unlink()
    with pytest.raises(UnknownName):
        boards.board("desk")
