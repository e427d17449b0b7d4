"""Our reading of ``platformio.ini`` is PlatformIO's own, which is asked here."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_embedbench.builders.platformio.ini import INI, read_ini
from pytest_embedbench.builders.platformio.pio import find_pio
from pytest_embedbench.errors import ToolMissing
from pytest_embedbench.processes.pio_environment import quiet_environment

if TYPE_CHECKING:
    from collections.abc import Callable

SUITES = sorted(
    path.parent
    for path in (Path(__file__).parents[2] / "example_suites").glob(f"*/{INI}")
)
TWISTED = """\
; A comment, and one behind a value below.
[platformio]
default_envs = left
extra_configs =
  more/*.ini
  {}

[common]
flags = -DCOMMON -O2        ; behind a value

[env]
framework = arduino
build_flags =
  ${common.flags}
  -DALL

[slow]
board = uno
board_build.f_cpu = 8000000L

[fast]
board_build.f_cpu = 16000000L
monitor_speed = 9600

[env:left]
platform = atmelavr
extends = slow
build_unflags = -Os

[env:right]
platform = atmelavr @ ^5
extends = slow, fast
lib_deps =
  one
  two@1.2.3  # behind a value too
"""
MORE = """\
[env:from_a_file]
extends = env:left
board = nanoatmega328

[env:left]
upload_speed = 57600
"""


def pio_reads(project: Path) -> dict[str, dict[str, object]]:
    """Return the options of every section as PlatformIO has them in the end."""
    try:
        argv = [*find_pio().argv, "project", "config", "-d", str(project)]
    except ToolMissing as missing:
        pytest.skip(str(missing))
    told = subprocess.run(
        [*argv, "--json-output"],
        env=quiet_environment(),
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    ).stdout
    return {section: dict(options) for section, options in json.loads(told)}


def words(value: object) -> list[str]:
    """Return an option's words, however they were laid out or typed."""
    items = value if isinstance(value, list) else [value]
    return [word for item in items for word in re.split(r"[\s,]+", str(item)) if word]


def insist_on_the_same(project: Path) -> int:
    """Compare everything that can be said without interpolation; return how much."""
    ini, oracle = read_ini(project / INI, project), pio_reads(project)
    names = [name.removeprefix("env:") for name in oracle if name.startswith("env:")]
    assert sorted(ini.environments()) == sorted(names)
    compared = 0
    for name in names:
        for option, value in oracle[f"env:{name}"].items():
            ours = ini.option(name, option)
            if "${" not in ours:
                assert words(ours) == words(value), (name, option)
                compared += 1
    return compared


@pytest.mark.parametrize("suite", SUITES, ids=lambda suite: suite.name)
def test_the_projects_that_are_shipped_read_alike(suite: Path) -> None:
    assert insist_on_the_same(suite) >= 6


def test_a_twisted_project_reads_alike(
    make_project: Callable[..., Path], tmp_path: Path
) -> None:
    beyond = tmp_path / "beyond.ini"
    beyond.write_text("[env:beyond]\nplatform = native\n")
    files = {"more/a.ini": MORE}
    project = make_project(TWISTED.replace("BEYOND", str(beyond)), files)
    assert insist_on_the_same(project) >= 15
    ini = read_ini(project / INI, project)
    assert ini.option("right", "board_build.f_cpu") == "16000000L"
    assert ini.option("from_a_file", "build_unflags") == "-Os"
    assert ini.option("left", "upload_speed") == "57600"
