"""Sequences of lines, an oracle, and a fresh board for each: on real firmware."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from contextlib import closing
from functools import partial
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest

from pytest_embedbench.bench.images import ImageCache
from pytest_embedbench.bench.registry import Registry
from pytest_embedbench.engines.native import NativeForkServer
from pytest_embedbench.errors import FirmwareCrash, ToolMissing, WrongOutput
from pytest_embedbench.grading.checks.oracle import load_oracle
from pytest_embedbench.grading.properties import (
    Exchange,
    Judge,
    Sequence,
    check_against,
    firmware_sequences,
    given_examples,
)
from pytest_embedbench.grading.task import Suite, load_task
from tests.e2e.native_firmware import SUITES, NativeCompiler, needs_gcc

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from pytest_embedbench.builders.platformio import PlatformIO
    from pytest_embedbench.builders.platformio.core_setup import CoreSetup
    from pytest_embedbench.contracts import Board
    from pytest_embedbench.model import FirmwareImage

pytestmark = [needs_gcc, pytest.mark.timeout(600)]

TASKS = sorted(file.parent.name for file in SUITES.glob("*/task.toml"))
TANK = "tank_fill_drain"


def suite_of(name: str) -> Suite:
    return Suite(root=SUITES / name, task=load_task(SUITES / name / "task.toml"))


def judge_of(name: str) -> Judge:
    suite = suite_of(name)
    plant = Registry().plant(suite.task.plant)
    return Judge(task=suite.task, plant=plant, make_oracle=load_oracle(suite))


def check_all(judge: Judge, boot: Callable[[], Board], count: int) -> None:
    """Hold ``count`` sequences, always the same ones, against the oracle."""

    def check(sequence: Sequence) -> None:
        with closing(boot()) as board:
            check_against(judge, board, sequence)

    given = given_examples(count=count, seed=1, sequence=firmware_sequences(judge.task))
    node = SimpleNamespace(user_properties=[])
    given(check)(request=SimpleNamespace(node=node))
    assert node.user_properties == [("embedbench_seed", 1)]


@pytest.fixture(scope="module")
def compiler(tmp_path_factory: pytest.TempPathFactory) -> NativeCompiler:
    return NativeCompiler(tmp_path_factory.mktemp("native"))


@pytest.fixture
def copies() -> Iterator[Callable[[FirmwareImage], Callable[[], Board]]]:
    """A function from an image to one that boots it afresh at each call."""
    servers: list[NativeForkServer] = []

    def ready(image: FirmwareImage) -> Callable[[], Board]:
        servers.append(NativeForkServer(Registry().board("native"), image))
        return servers[-1].boot

    yield ready
    for server in servers:
        server.close()


@pytest.mark.parametrize("name", TASKS)
def test_a_reference_does_what_its_brief_says_whatever_comes(
    name: str,
    compiler: NativeCompiler,
    copies: Callable[[FirmwareImage], Callable[[], Board]],
) -> None:
    check_all(judge_of(name), copies(compiler.task(name, "solution")), count=150)


@pytest.mark.parametrize("name", TASKS)
def test_on_a_simulated_uno_too(name: str, platformio: PlatformIO) -> None:
    registry = Registry()
    uno = registry.board("uno")
    engine = registry.engine(uno.engine)
    source = suite_of(name).source("solution", SUITES).for_environment("uno")
    try:
        image = ImageCache(root=platformio.cache_dir or SUITES).image(
            platformio, source
        )
        boot = partial(engine.boot, uno, image)
        boot().close()
    except ToolMissing as missing:
        pytest.skip(str(missing))
    check_all(judge_of(name), boot, count=5)


def test_a_starter_is_told_off_with_the_shortest_conversation(
    compiler: NativeCompiler,
    copies: Callable[[FirmwareImage], Callable[[], Board]],
) -> None:
    boot = copies(compiler.task(TANK, ""))
    with pytest.raises(WrongOutput) as told:
        check_all(judge_of(TANK), boot, count=150)
    first, *conversation = str(told.value).splitlines()
    assert re.search("asks for pump_on=True by .* is at pump_on=False", first)
    sent = [line for line in conversation if "->fw" in line]
    assert [line.split("->fw ")[1] for line in sent] == ["SENSE LEVEL 0"]


def test_a_crash_is_told_with_what_led_to_it(
    compiler: NativeCompiler,
    copies: Callable[[FirmwareImage], Callable[[], Board]],
    tmp_path: Path,
) -> None:
    reference = (SUITES / TANK / "solution" / "src" / "controller.c").read_text()
    crash = reference.replace("level > ", "100 / (level - 42) != 1 && level > ")
    assert crash != reference
    stage = tmp_path / "src"
    stage.mkdir()
    for file in (SUITES / TANK / "src").iterdir():
        (stage / file.name).write_bytes(file.read_bytes())
    solved = SUITES / TANK / "solution" / "src" / "controller.h"
    (stage / "controller.h").write_bytes(solved.read_bytes())
    (stage / "controller.c").write_text(crash)
    boot = copies(compiler.image(*sorted(stage.glob("*.c"))))
    with closing(boot()) as board, pytest.raises(FirmwareCrash, match="SIGFPE") as told:
        check_against(judge_of(TANK), board, [Exchange(100, ("SENSE LEVEL 42",))])
    assert "->fw SENSE LEVEL 42" in told.value.__notes__[0]


# U19: a test with fixtures and examples at once.
def test_fixtures_serve_every_example_of_a_test(
    seeded: CoreSetup, tmp_path: Path
) -> None:
    words: list[str | Path] = [
        *(sys.executable, "-m", "pytest", "-q", "--board=native"),
        "--embedbench-firmware=solution",
        f"--embedbench-core={seeded.core_dir}",
        f"--embedbench-cache={tmp_path / 'cache'}",
        f"--embedbench-artifacts={tmp_path / 'artifacts'}",
        f"--junit-xml={tmp_path / 'report.xml'}",
        SUITES / TANK / "properties",
    ]
    ours = ("EMBEDBENCH_", "PYTEST_ADDOPTS")  # the latter leaves out Hypothesis' plugin
    plain = {k: v for k, v in os.environ.items() if not k.startswith(ours)}
    done = subprocess.run(
        words,
        cwd=SUITES.parent,
        env=plain,
        timeout=300,
        capture_output=True,
        check=False,
        text=True,
    )
    assert "2 passed" in done.stdout, done.stdout
    assert (tmp_path / "report.xml").read_text().count("embedbench_seed") == 2
