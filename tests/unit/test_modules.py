"""Python files found by path say what is wrong with them."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_embedbench.bench.registry import Registry
from pytest_embedbench.errors import ConfigError
from pytest_embedbench.support.modules import load_name


def test_what_a_file_has_is_loaded_once(tmp_path: Path) -> None:
    file = tmp_path / "plant.py"
    file.write_text("class Room:\n    pass\n")
    assert load_name(file, "Room") is load_name(file, "Room")


def test_files_of_the_same_name_are_told_apart(tmp_path: Path) -> None:
    for folder in ("one", "other"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "oracle.py").write_text(f"WHERE = {folder!r}\n")
    assert load_name(tmp_path / "one" / "oracle.py", "WHERE") == "one"
    assert load_name(tmp_path / "other" / "oracle.py", "WHERE") == "other"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, "no such Python file"),
        ("Room = 1 / 0\n", "cannot be run: ZeroDivisionError: division by zero"),
        ("class Room(:\n", "cannot be run: SyntaxError"),
        ("Roof = 1\n", "there is no Room in it"),
    ],
)
def test_a_broken_file_is_named(tmp_path: Path, text: str | None, message: str) -> None:
    file = tmp_path / "plant.py"
    if text is not None:
        file.write_text(text)
    for _ in range(2):  # also when it is asked for again
        with pytest.raises(ConfigError, match=message) as caught:
            Registry().plant(f"{file}:Room")
        assert str(file) in str(caught.value)
