"""Which environment of a project is built for a board, and what it says of it."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from pytest_embedbench.bench.environments import check_clock, environment_for, facts_of
from pytest_embedbench.bench.registry import Registry
from pytest_embedbench.bench.rig import Rig
from pytest_embedbench.bench.speeds import MONITOR_BPS, at_its_speed
from pytest_embedbench.builders.platformio import PlatformIO
from pytest_embedbench.contracts import EnvironmentFacts
from pytest_embedbench.errors import ConfigError
from pytest_embedbench.model import NO_IMAGE, BoardSpec, FirmwareSource
from pytest_embedbench.plugin.session import by_board
from pytest_embedbench.support.uart_speeds import at_speeds, spoken_at

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    WriteIni = Callable[[str], Path]

AVR = "platform = atmelavr\n"


@pytest.fixture
def project(tmp_path: Path) -> WriteIni:
    def write(ini: str) -> Path:
        (tmp_path / "platformio.ini").write_text(ini)
        return tmp_path

    return write


@pytest.fixture
def builder(tmp_path: Path) -> PlatformIO:
    return PlatformIO(core_dir=tmp_path / "core")


def board(name: str) -> BoardSpec:
    return Registry().board(name)


def fact(builder: PlatformIO, project: Path, name: str) -> EnvironmentFacts:
    return next(its for its in facts_of(builder, project) if its.name == name)


@pytest.mark.parametrize(
    ("ini", "name", "wanted"),
    [
        ("[env:mine]\nboard = uno\n[env:uno]\nboard = uno\n", "uno", "uno"),
        ("[env:mine]\nboard = uno\n", "uno", "mine"),
        ("[env]\nboard = uno\n[env:mine]\n", "uno", "mine"),
        ("[b]\nid = uno\n[env:mine]\nboard = ${b.id}\n", "uno", "mine"),
        ("[b]\nboard = uno\n[env:mine]\nextends = b\n", "arduino-uno", "mine"),
        ("[env:x]\nboard = own\nboard_build.mcu = atmega2560\n", "mega", "x"),
        ("[env:x]\nboard = nanoatmega328\n", "uno", "x"),
        ("[env:x]\nboard = nanoatmega328\n[env:y]\nboard = uno\n", "uno", "y"),
        ("[env:x]\nboard = genericSTM32F405RG\n", "qemu-stm32f405", "x"),
        ("[env:tests]\nplatform = native\n", "native", "tests"),
    ],
)
def test_an_environment_belongs_to_a_board_by_name_board_or_chip(
    project: WriteIni, builder: PlatformIO, ini: str, name: str, wanted: str
) -> None:
    assert environment_for(builder, board(name), project(ini)) == wanted


def test_of_several_the_first_of_default_envs_is_built(
    project: WriteIni, builder: PlatformIO
) -> None:
    ini = "[env:a]\nboard = uno\n[env:b]\nboard = uno\n[env:c]\nboard = uno\n"
    assert environment_for(builder, board("uno"), project(ini)) == "a"
    chosen = f"[platformio]\ndefault_envs = c, b\n{ini}"
    assert environment_for(builder, board("uno"), project(chosen)) == "c"


def test_a_user_can_say_which(project: WriteIni, builder: PlatformIO) -> None:
    place = project("[env:uno]\nboard = uno\n[env:b]\nboard = x\n")
    chosen = by_board("environment", ["uno=b", "uno"])
    assert environment_for(builder, board("uno"), place, chosen) == "b"
    assert environment_for(builder, board("nano"), place, chosen) == "uno"
    with pytest.raises(ConfigError, match=r"no environment 'z'.*uno \(uno\), b \(x\)"):
        environment_for(builder, board("uno"), place, {"": "z"})


@pytest.mark.parametrize("words", [["uno="], ["a", "b"], ["uno=a", "uno=b"]])
def test_a_choice_that_is_none_is_refused(words: list[str]) -> None:
    with pytest.raises(ConfigError, match="--embedbench-environment"):
        by_board("environment", words)


def test_a_project_without_one_for_the_board_lists_those_it_has(
    project: WriteIni, builder: PlatformIO
) -> None:
    place = project("[env:a]\nboard = megaatmega2560\n[env:b]\nplatform = teensy\n")
    with pytest.raises(ConfigError) as caught:
        environment_for(builder, board("uno"), place)
    assert str(caught.value) == (
        f"{place} has no environment for board 'uno': none is named, or has as its "
        "board, uno, nor has its chip, atmega328p. It has: a (megaatmega2560), b. Add "
        "[env:uno] to its platformio.ini, or say which it is: "
        "--embedbench-environment=uno=NAME"
    )


def test_a_projects_own_board_has_a_chip_and_a_clock(
    project: WriteIni, builder: PlatformIO
) -> None:
    place = project(f"[env:x]\n{AVR}board = mine\n")
    (place / "boards").mkdir()
    about = {"build": {"mcu": "atmega328p", "f_cpu": "8000000UL"}}
    (place / "boards" / "mine.json").write_text(json.dumps(about))
    assert fact(builder, place, "x").cpu_hz == 8_000_000
    assert environment_for(builder, board("uno"), place) == "x"


@pytest.mark.parametrize("said", ["8000000L", "8000000UL", "8000000"])
def test_a_clock_that_the_board_has_not_is_refused(
    project: WriteIni, builder: PlatformIO, said: str
) -> None:
    place = project(f"[env:uno]\n{AVR}board = uno\nboard_build.f_cpu = {said}\n")
    rig = Rig()
    with pytest.raises(ConfigError, match=r"8000000 Hz, and board 'uno' .* 16000000"):
        rig.for_board(FirmwareSource(project_dir=place), board("uno"))
    with pytest.raises(ConfigError, match="by a factor of 2"):
        check_clock(fact(builder, place, "uno"), board("uno"), place)


def test_a_chip_that_sets_its_own_clock_may_have_any(
    project: WriteIni, builder: PlatformIO
) -> None:
    place = project("[env:x]\nboard = esp32dev\nboard_build.f_cpu = 80000000L\n")
    assert fact(builder, place, "x").mcu == "esp32"
    check_clock(fact(builder, place, "x"), board("qemu-esp32"), place)


def test_monitor_speed_is_read_through_references(
    project: WriteIni, builder: PlatformIO
) -> None:
    place = project("[c]\ns = 9600\n[env:uno]\nmonitor_speed = ${c.s}\n[env:v]\n")
    assert fact(builder, place, "uno").monitor_bps == 9600
    assert fact(builder, place, "v").monitor_bps == 0


@pytest.mark.parametrize(
    ("said_by", "wanted"), [("", 9600), ("lab", 300), ("test", 300)]
)
def test_a_projects_speed_is_that_of_a_board_of_which_nobody_has_said_another(
    said_by: str, wanted: int
) -> None:
    spec = at_speeds(board("mega"), {"": 300}, said_by=said_by)
    image = replace(NO_IMAGE, metadata={MONITOR_BPS: "9600"})
    assert at_its_speed(spec, image).uarts[0].baud_bps == wanted
    assert at_its_speed(spec, NO_IMAGE) is spec


def test_who_says_a_speed_is_on_the_board() -> None:
    spec = spoken_at(board("mega"), 9600)
    assert [(u.name, u.baud_bps, u.said_by) for u in spec.uarts][:2] == [
        ("serial0", 9600, "test"),
        ("serial1", 115_200, ""),
    ]
    with pytest.raises(ConfigError, match="baud_bps must be from 50 to"):
        spoken_at(board("mega"), 7)
