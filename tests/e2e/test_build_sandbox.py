"""A submission's build sees nothing but its own, and nothing of it stays."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from pytest_embedbench.builders.platformio import PlatformIO
from pytest_embedbench.builders.platformio.apart import policy
from pytest_embedbench.builders.platformio.project import read_project
from pytest_embedbench.builders.platformio.scratch import Scratch
from pytest_embedbench.errors import BuildError
from pytest_embedbench.model import FirmwareSource, Isolation
from tests.e2e.native_firmware import SUITES, needs_gcc
from tests.e2e.test_host_sandbox import BOTH, READING
from tests.support.sandboxes import needs_sandbox

pytestmark = needs_gcc

TANK = SUITES / "tank_fill_drain"
SOLUTION = (TANK / "solution/src/controller.c").read_text()
MARK = "nobody_else_may_read_this"


@pytest.fixture
def submitted(tmp_path: Path) -> Callable[..., FirmwareSource]:
    """Return a function that has a submission laid over the tank's package."""

    def submit(text: str, isolation: Isolation) -> FirmwareSource:
        file = tmp_path / "submission" / "controller.c"
        file.parent.mkdir(exist_ok=True)
        file.write_text(SOLUTION + text)
        return FirmwareSource(
            project_dir=TANK,
            environment="native",
            overlay={"src/controller.c": file},
            parts=("src", "include", "lib"),
            isolation=isolation,
        )

    return submit


def places_with(folder: Path, mark: str) -> list[Path]:
    """Return the files of a folder that hold a word."""
    files = (path for path in folder.rglob("*") if path.is_file())
    return [path for path in files if mark.encode() in path.read_bytes()]


@needs_sandbox
@pytest.mark.parametrize("reach", READING)
def test_a_build_cannot_read_what_is_not_its_own(
    platformio: PlatformIO,
    submitted: Callable[..., FirmwareSource],
    tmp_path: Path,
    reach: str,
) -> None:
    secret = tmp_path / "secret.h"
    secret.write_text("/* anybody's */\n")
    source = submitted(reach.format(file=secret), Isolation.BUBBLEWRAP)
    with pytest.raises(BuildError, match=r"No such file|not found|not there"):
        platformio.build(source, tmp_path / "out")


@pytest.mark.parametrize("isolation", BOTH)
@pytest.mark.parametrize("ending", ["", "oops\n"], ids=["built", "failed"])
def test_nothing_of_a_submission_stays_where_others_are_built(
    platformio: PlatformIO,
    submitted: Callable[..., FirmwareSource],
    tmp_path: Path,
    isolation: Isolation,
    ending: str,
) -> None:
    text = f'const char *told(void) {{ return "{MARK}"; }}\n{ending}'
    source = submitted(text, isolation)
    if ending:
        with pytest.raises(BuildError, match="oops"):
            platformio.build(source, tmp_path / "out")
    else:
        image = platformio.build(source, tmp_path / "out")
        assert MARK.encode() in image.elf_path.read_bytes()
    builds = tmp_path / "cache" / "builds"
    assert builds.is_dir()
    assert places_with(builds, MARK) == []


def test_what_a_killed_build_left_is_gone_before_the_next_begins(
    submitted: Callable[..., FirmwareSource], tmp_path: Path
) -> None:
    source = submitted("", Isolation.LIMITS)
    scratch = Scratch(tmp_path / "scratch", read_project(source, ()))
    left = scratch.workspace / "build" / "native" / "src" / "controller.o"
    left.parent.mkdir(parents=True)
    left.write_text(MARK)
    (scratch.stage / "src").mkdir(parents=True)
    (scratch.stage / "src" / "controller.c").write_text(MARK)
    with scratch.filled():
        assert places_with(scratch.root, MARK) == []


def test_a_project_of_the_users_own_keeps_its_objects(
    platformio: PlatformIO, submitted: Callable[..., FirmwareSource], tmp_path: Path
) -> None:
    source = submitted("", Isolation.NONE)
    platformio.build(source, tmp_path / "out")
    builds = tmp_path / "cache" / "builds"
    assert list(builds.rglob("controller.o"))


@needs_sandbox
def test_packages_that_lie_elsewhere_are_seen_and_a_suite_among_them_is_not(
    submitted: Callable[..., FirmwareSource], tmp_path: Path
) -> None:
    core = tmp_path / "core"
    tool = tmp_path / "tools" / "compiler"
    tool.mkdir(parents=True)
    (core / "packages" / "tool").mkdir(parents=True)
    (core / "packages" / "tool" / "bin").symlink_to(tool)
    pio = tmp_path / "pio"
    pio.write_text("#!/usr/bin/python3\n")
    source = submitted("", Isolation.BUBBLEWRAP)
    scratch = Scratch(tmp_path / "scratch", read_project(source, ()))
    made = policy(scratch, core, str(pio))
    assert made is not None
    assert tool in made.readable
    assert TANK in made.hidden
    none = replace(source, isolation=Isolation.NONE)
    scratch = Scratch(tmp_path / "scratch", read_project(none, ()))
    assert policy(scratch, core, str(pio)) is None
