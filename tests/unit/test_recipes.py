"""When a build may do without PlatformIO, and when it may not."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from pytest_embedbench.builders.platformio.cores import goes_without_framework
from pytest_embedbench.builders.platformio.includes import SEEN, libraries_asked_for
from pytest_embedbench.builders.platformio.ini import read_ini
from pytest_embedbench.builders.platformio.packages import local_platforms
from pytest_embedbench.builders.platformio.project import read_project
from pytest_embedbench.builders.platformio.recipes import (
    may_be_replayed,
    told_by_commands,
)
from pytest_embedbench.builders.platformio.replaying import fits
from pytest_embedbench.model import FirmwareSource, Isolation

if TYPE_CHECKING:
    from pathlib import Path

CHECK = {"pattern": r"^(?:\.text|\.data)\s+(\d+).*", "most_bytes": 100}


def test_includes_are_seen_as_platformio_sees_them() -> None:
    scanner = pytest.importorskip("SCons.Scanner.C", reason="pip install platformio")
    theirs = scanner.CScanner().cre
    assert (
        theirs.pattern.replace('(<|")', '(?:<|")', 1).replace('(>|")', '(?:>|")')
        == SEEN.pattern.decode()
    )
    assert theirs.flags & SEEN.flags == SEEN.flags


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("#include <string.h>\n", []),
        ('#include "lib.h"\n#include <lib.h>\n', ["lib.h"]),
        ('  #  import "lib.h" // why\n', ["lib.h"]),
        ('/*\n#include "lib.h"\n*/\n', ["lib.h"]),
        ('// #include "lib.h"\n', []),
        ('\ufeff#include "lib.h"\n', ["lib.h"]),
        ('#include "own.h"\n#include "../lib/lib.h"\n', ["../lib/lib.h", "own.h"]),
        ('#include "/nowhere/lib.h"\n', ["/nowhere/lib.h"]),
        ("#include MACRO\n", []),
    ],
)
def test_only_what_is_in_a_folder_that_is_searched_asks_for_a_library(
    tmp_path: Path, text: str, asked: list[str]
) -> None:
    for name in ("lib/lib.h", "src/own.h", "src/a.c"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    files = {"src/a.c": tmp_path / "src" / "a.c"}
    found = libraries_asked_for(files, tmp_path, [str(tmp_path / "lib")])
    assert found == {"src/a.c": asked}


def test_what_scons_would_decode_is_left_to_it(tmp_path: Path) -> None:
    (tmp_path / "a.c").write_text('#include "lib.h"\n', encoding="utf-16")
    assert libraries_asked_for({"a.c": tmp_path / "a.c"}, tmp_path, []) is None


@pytest.mark.parametrize(
    ("options", "is_replayed"),
    [
        ("platform = native", True),
        ("platform = atmelavr@5\nframework = arduino", True),
        ("platform = native\nlib_ldf_mode = chain+", False),
        ("platform = espressif32\nframework = espidf", False),
        ("platform = https://example.org/native.git", False),
        ("platform = native\nlib_deps = Servo", False),
        ("platform = native\ntargets = upload", False),
    ],
)
def test_a_platform_that_reads_sources_itself_builds_them(
    tmp_path: Path, options: str, *, is_replayed: bool
) -> None:
    (tmp_path / "src").mkdir()
    ini = tmp_path / "platformio.ini"
    ini.write_text(f"[env:one]\n{options}\n")
    source = FirmwareSource(
        project_dir=tmp_path,
        environment="one",
        overlay={"src/a.c": ini, "src/table.bin": ini},
        parts=("src",),
        isolation=Isolation.LIMITS,
    )
    project = read_project(source, ())
    assert may_be_replayed(project, tmp_path) is is_replayed
    assert told_by_commands(project) == {"src/a.c"}


@pytest.mark.parametrize("whose", ["ours", "another"])
@pytest.mark.parametrize("bare", ["yes", "no"])
def test_a_platform_of_ours_goes_without_a_framework(
    tmp_path: Path, whose: str, bare: str
) -> None:
    ini = tmp_path / "platformio.ini"
    options = "platform = espressif32\nframework = espidf\ncustom_embedbench_bare"
    ini.write_text(f"[env:one]\n{options} = {bare}\n")
    folder = local_platforms()["espressif32"] if whose == "ours" else tmp_path
    link = tmp_path / "platforms" / "espressif32.pio-link"
    link.parent.mkdir()
    link.write_text(json.dumps({"spec": {"uri": f"symlink://{folder}"}}))
    is_bare = goes_without_framework(tmp_path, read_ini(ini, tmp_path), "one")
    assert is_bare is (whose == "ours" and bare == "yes")


@pytest.mark.parametrize(("data_bytes", "is_small"), [(40, True), (41, False)])
def test_a_program_that_is_too_large_is_left_to_platformio(
    data_bytes: int, *, is_small: bool
) -> None:
    said = f"section size addr\n.text 60 0\n.data {data_bytes} 0\n.bss 900 0\n"
    assert fits(said, CHECK) is is_small
