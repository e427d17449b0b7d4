"""Which files are a firmware's, and which header is a library that is not here."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from pytest_embedbench.esr.plugin.headers import missing_library
from pytest_embedbench.esr.sources.files import sources_of
from pytest_embedbench.model import FirmwareSource

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def source(tmp_path: Path) -> FirmwareSource:
    """An answer laid over a project whose own sources it does not see."""
    (tmp_path / "project" / "src").mkdir(parents=True)
    (tmp_path / "project" / "src" / "main.cpp").write_text("int lamp = 8;")
    sketch = tmp_path / "sketch.ino"
    sketch.write_text('#include <Far.h>\n#include "own.h"\n# include<Near.h>\n')
    return FirmwareSource(
        project_dir=tmp_path / "project",
        overlay={"src/sketch.ino": sketch},
        parts=("platformio.ini",),
    )


def test_what_a_build_does_not_see_is_not_read(source: FirmwareSource) -> None:
    assert list(sources_of(source)) == ["src/sketch.ino"]
    whole = replace(source, parts=())
    assert list(sources_of(whole)) == ["src/main.cpp", "src/sketch.ino"]


@pytest.mark.parametrize(
    ("header", "is_ours"),
    [("Far.h", True), ("Near.h", True), ("own.h", False), ("deeper/other.h", False)],
)
def test_a_library_is_asked_for_in_angles(
    source: FirmwareSource, header: str, *, is_ours: bool
) -> None:
    told = f"src/sketch.ino:1:10: fatal error: {header}: No such file or directory"
    assert missing_library(told, source) == (header if is_ours else "")


def test_another_error_is_of_no_library(source: FirmwareSource) -> None:
    assert missing_library("src/sketch.ino:3:1: error: expected ';'", source) == ""
