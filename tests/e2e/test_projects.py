"""Projects that people have already build and run as they are."""

from __future__ import annotations

import shutil
import subprocess
from contextlib import ExitStack
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from pytest_embedbench.bench.images import ImageCache
from pytest_embedbench.bench.registry import Registry
from pytest_embedbench.bench.rig import Rig
from pytest_embedbench.bench.under_test import under_test
from pytest_embedbench.builders.platformio import PlatformIO
from pytest_embedbench.contracts import SetsUp
from pytest_embedbench.errors import BuildError, ConfigError, ExpectTimeout
from pytest_embedbench.model import BuilderSettings, FirmwareSource, Level
from pytest_embedbench.support.image_kinds import read_segments
from pytest_embedbench.support.projects import prebuilt_source
from tests.e2e.avr_firmware import simavr

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from pytest_embedbench.bench.bench import Bench
    from pytest_embedbench.builders.platformio.core_setup import CoreSetup
    from pytest_embedbench.engines.simavr import Simavr

    MakeProject = Callable[..., Path]
    Run = Callable[..., Bench]

__all__ = ["simavr"]

BARE = "[env:uno]\nplatform = atmelavr\nboard = uno\n"
UNO = f"{BARE}framework = arduino\n"
SAYS = """\
#include <Arduino.h>
void setup() {{ Serial.begin(9600); Serial.println({}); }}
void loop() {{}}
"""
TOGGLES = """\
#include <avr/io.h>
.global main
main:
    sbi _SFR_IO_ADDR(DDRB), 5
again:
    sbi _SFR_IO_ADDR(PINB), 5
    ldi r24, 200
1:  ldi r25, 200
2:  dec r25
    brne 2b
    dec r24
    brne 1b
    jmp again
"""
FAR = {
    "src/main.cpp": "int far(int);\nvolatile int a;\nint main() { return far(a); }\n",
    "src/far.cpp": "int far(int a) { return a + 1; }\n",
}


MAIN = """\
#include <Arduino.h>
#include <Servo.h>
#include <NeoPixel.h>
#include <DHT.h>
void setup() { Serial.begin(9600); Serial.println(100 * servo() + 10 * neo() + dht()); }
void loop() {}
"""
LIB_DEPS = """\
lib_deps =
    Servo
    adafruit/Adafruit NeoPixel @ ^1.11
    https://github.com/adafruit/DHT-sensor-library.git#1.4
"""
LIBRARIES = {
    "Servo/library.properties": "name=Servo\nversion=1.2.1\n",
    "Servo/Servo.h": "int servo();\n",
    "Servo/Servo.cpp": "int servo() { return 1; }\n",
    "NeoPixel-1.12/library.json": '{"name": "Adafruit NeoPixel", "version": "1.12.0"}',
    "NeoPixel-1.12/src/NeoPixel.h": "int neo();\n",
    "NeoPixel-1.12/src/NeoPixel.cpp": "int neo() { return 2; }\n",
    "DHT/library.properties": (
        "name=DHT-sensor-library\ndepends=Unified Sensor, Not Here\n"
    ),
    "DHT/DHT.h": "int dht();\n",
    "DHT/DHT.cpp": "#include <Sensor.h>\nint dht() { return sensor(); }\n",
    "Sensor/library.properties": "name=Unified Sensor\nversion=1.0\n",
    "Sensor/Sensor.h": "inline int sensor() { return 3; }\n",
}


@pytest.fixture
def rig(seeded: CoreSetup, tmp_path_factory: pytest.TempPathFactory) -> Rig:
    settings = BuilderSettings(
        core_dir=seeded.core_dir, cache_dir=tmp_path_factory.getbasetemp() / "projects"
    )
    return Rig(builder_settings=settings)


@pytest.fixture
def run(rig: Rig, simavr: Simavr, tmp_path: Path) -> Iterator[Run]:
    """A function that builds a project for a board and has a bench on it."""
    del simavr
    with ExitStack() as opened:

        def run(project: Path, board: str = "uno") -> Bench:
            spec = rig.registry.board(board)
            image = rig.image(rig.source(project, spec))
            folder = tmp_path / f"bench-{project.name}-{board}"
            folder.mkdir()
            return opened.enter_context(rig.bench(spec, image, folder=folder))

        yield run


def test_assembly_alone_is_a_firmware(run: Run, make_project: MakeProject) -> None:
    bench = run(make_project(BARE, {"src/main.S": TOGGLES}))
    bench.run_for(100)
    changes = [event for event in bench.pins.events if event.pin == "D13"]
    assert len(changes) > 10
    assert {event.level for event in changes} == {Level.LOW, Level.HIGH}


def test_what_the_core_has_in_assembly_links_on_a_mega(
    run: Run, make_project: MakeProject
) -> None:
    ini = UNO.replace("uno", "megaatmega2560")
    says = SAYS.format("pulseIn(7, HIGH, 1000)")
    bench = run(make_project(ini, {"src/main.cpp": says}), "mega")
    bench.expect("^0$", within_ms=500)


def test_an_environment_of_any_name_is_found_by_its_board(
    run: Run, make_project: MakeProject
) -> None:
    ini = UNO.replace("env:uno", "env:my_project")
    bench = run(make_project(ini, {"src/main.cpp": SAYS.format('"hi"')}))
    bench.expect("^hi$", within_ms=100)
    with pytest.raises(ExpectTimeout) as caught:
        bench.expect("^ho$", within_ms=100)
    assert "Bd" not in str(caught.value), "nobody has said another speed"


@pytest.mark.parametrize(("speed", "notes"), [("9600", 0), ("57600", 1)])
def test_a_speed_that_the_project_says_is_held_against_the_firmwares(
    run: Run, make_project: MakeProject, speed: str, notes: int
) -> None:
    ini = f"{UNO}monitor_speed = {speed}\n"
    bench = run(make_project(ini, {"src/main.cpp": SAYS.format('"hi"')}))
    bench.expect("^hi$", within_ms=100)
    said = [
        note
        for note in under_test(bench.board).notes
        if "the other end listens at" in note
    ]
    assert len(said) == notes
    assert all("57600 Bd (monitor_speed)" in note for note in said)


def test_the_users_warnings_hold_for_the_users_sources(
    run: Run, make_project: MakeProject
) -> None:
    ini = f"{UNO}build_src_flags = -Wall -Wextra -Werror\n"
    bad = SAYS.format("1").replace("{ Serial", "{ int unused; Serial", 1)
    with pytest.raises(BuildError, match="unused variable 'unused'"):
        run(make_project(ini, {"src/main.cpp": bad}))
    good = make_project(ini, {"src/main.cpp": SAYS.format('"hi"')}, at="good")
    run(good).expect("^hi$", within_ms=100)


def test_firmware_for_another_clock_is_refused_before_it_is_built(
    run: Run, make_project: MakeProject
) -> None:
    ini = f"{UNO}board_build.f_cpu = 8000000L\n"
    with pytest.raises(ConfigError, match="compiled for a clock of 8000000 Hz"):
        run(make_project(ini, {"src/main.cpp": "no C at all"}))


def test_a_version_from_git_is_that_of_the_checkout(
    run: Run, make_project: MakeProject
) -> None:
    quoted = '"-D VERSION=\\\\\\"$(git describe --tags)\\\\\\""'
    ini = f"{UNO}build_flags = !echo {quoted}\n"
    project = make_project(ini, {"src/main.cpp": SAYS.format("VERSION")})
    for words in (
        ("init", "-q"),
        ("add", "."),
        ("-c", "user.name=a", "-c", "user.email=a@b.c", "commit", "-qm", "x"),
        ("tag", "v1.2.3"),
    ):
        subprocess.run(["git", *words], cwd=project, check=True)
    run(project).expect("^v1.2.3$", within_ms=100)


def test_images_are_optimised_when_linked_as_with_the_stock_platform(
    rig: Rig, make_project: MakeProject
) -> None:
    spec = rig.registry.board("uno")
    image = rig.image(rig.source(make_project(BARE, FAR), spec))
    assert b"_Z3fari" not in image.elf_path.read_bytes(), "it is part of main now"


@pytest.mark.parametrize("way", ["told", "setup", "lib"])
def test_three_lib_deps_come_from_a_folder_of_libraries(
    rig: Rig, make_project: MakeProject, tmp_path: Path, simavr: Simavr, way: str
) -> None:
    del simavr
    place = "project/lib" if way == "lib" else "libraries"
    for path, text in LIBRARIES.items():
        file = tmp_path / place / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    project = make_project(f"{UNO}{LIB_DEPS}", {"src/main.cpp": MAIN})
    settings = rig.builder_settings
    if way != "lib":
        settings = replace(settings, libraries=(tmp_path / place,))
    if way == "setup":
        settings = replace(settings, core_dir=tmp_path / "core")
        told = Rig(builder_settings=settings).builder()
        assert isinstance(told, SetsUp)
        assert f"libraries: {tmp_path / place}" in told.set_up().lines()
        settings = replace(settings, libraries=())
    theirs = Rig(builder_settings=settings)
    spec = theirs.registry.board("uno")
    image = theirs.image(theirs.source(project, spec))
    with theirs.bench(spec, image, folder=tmp_path) as bench:
        bench.expect("^123$", within_ms=100)


def test_lib_deps_that_are_nowhere_fail_before_platformio_is_started(
    platformio: PlatformIO, make_project: MakeProject, tmp_path: Path
) -> None:
    ini = f"{UNO}{LIB_DEPS}    file:///nowhere/Lib\n"
    source = FirmwareSource(
        project_dir=make_project(ini, {"src/main.cpp": MAIN}), environment="uno"
    )
    with pytest.raises(ConfigError) as caught:
        replace(platformio, timeout_s=0.0).build(source, tmp_path / "out")
    assert str(caught.value) == (
        "lib_deps: not here: file:///nowhere/Lib (no such folder), Servo, "
        "adafruit/Adafruit NeoPixel @ ^1.11, "
        "https://github.com/adafruit/DHT-sensor-library.git#1.4; PlatformIO's registry "
        "is out of reach. Other ways: --embedbench-libraries=DIR or `embedbench setup "
        "--libraries DIR` (a folder of libraries), file://PATH or symlink://PATH in "
        "lib_deps, or the project's lib/"
    )


def test_another_version_in_the_folder_of_libraries_is_another_image(
    rig: Rig, make_project: MakeProject, tmp_path: Path
) -> None:
    header = tmp_path / "libraries" / "Servo" / "Servo.h"
    header.parent.mkdir(parents=True)
    main = "#include <Servo.h>\nint main() { return SERVO; }\n"
    project = make_project(f"{BARE}lib_deps = Servo\n", {"src/main.cpp": main})
    settings = replace(rig.builder_settings, libraries=(tmp_path / "libraries",))
    keys: list[str] = []
    for number in (1, 2):
        header.write_text(f"#define SERVO {number}\n")
        theirs = Rig(builder_settings=settings)
        source = theirs.source(project, theirs.registry.board("uno"))
        keys.append(theirs.image(source).sha256)
    assert keys[0] != keys[1]


def test_an_image_does_not_depend_on_where_its_scratch_copy_lies(
    rig: Rig, make_project: MakeProject, tmp_path: Path
) -> None:
    says = "#include <Arduino.h>\nvoid {}() {{ Serial.println(__FILE__); }}\n"
    far = {"Far.h": "#pragma once\nvoid far();\n", "Far.cpp": says.format("far")}
    for name, text in far.items():
        file = tmp_path / "libraries" / "Far" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    files = {
        "src/main.cpp": (
            "#include <Arduino.h>\n#include <Own.h>\n#include <Far.h>\nvoid loop() {}\n"
            "void setup() { Serial.begin(9600); Serial.println(__FILE__); own(); "
            "far(); }"
        ),
        "lib/Own/Own.h": "#pragma once\nvoid own();\n",
        "lib/Own/Own.cpp": says.format("own"),
    }
    project = make_project(f"{UNO}lib_deps = Far\n", files)
    images = set[bytes]()
    for name in ("a", "a-much-longer-name"):
        settings = replace(
            rig.builder_settings,
            cache_dir=tmp_path / name,
            libraries=(tmp_path / "libraries",),
        )
        theirs = Rig(
            builder_settings=settings, images=ImageCache(tmp_path / name / "images")
        )
        source = theirs.source(project, theirs.registry.board("uno"))
        elf = theirs.image(source).elf_path.read_bytes()
        assert b"\0.pio/libdeps/uno/Far/Far.cpp\0" in elf, "as in the checkout"
        assert b"\0lib/Own/Own.cpp\0" in elf
        images.add(theirs.image(source).artifacts["firmware.hex"].read_bytes())
    assert len(images) == 1


@pytest.mark.parametrize("kind", ["firmware.hex", "firmware.elf", "raw.bin"])
def test_a_prebuilt_image_says_what_the_project_says(
    rig: Rig, make_project: MakeProject, tmp_path: Path, simavr: Simavr, kind: str
) -> None:
    del simavr
    project = make_project(UNO, {"src/main.cpp": SAYS.format('"hi"')})
    spec = rig.registry.board("uno")
    image = rig.image(rig.source(project, spec))
    if kind == "raw.bin":
        ((_, data),) = read_segments(image.artifacts["firmware.hex"])
        (tmp_path / kind).write_bytes(data)
    else:
        shutil.copy(image.artifacts[kind], tmp_path)
    prebuilt = rig.image(rig.for_board(prebuilt_source(tmp_path / kind), spec))
    stamps: list[int] = []
    told = ""
    for number, one in enumerate((image, prebuilt)):
        folder = tmp_path / f"{number}"
        folder.mkdir()
        with rig.bench(spec, one, folder=folder) as bench:
            stamps.append(bench.expect("^hi$", within_ms=100).at_us)
            with pytest.raises(ExpectTimeout) as caught:
                bench.expect("^ho$", within_ms=10)
            told = str(caught.value)
    assert stamps[0] == stamps[1]
    lacks = f"({kind} has no symbols)"
    assert (lacks in told) == (kind != "firmware.elf")


def test_doctor_knows_what_can_be_built_for_a_board(
    seeded: CoreSetup, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PLATFORMIO_CORE_DIR", str(tmp_path / "empty"))
    builder = PlatformIO(core_dir=seeded.core_dir)
    kinds = {
        board: {
            kind.name: kind.missing.install if kind.missing else ""
            for kind in builder.buildable(Registry().board(board))
        }
        for board in ("uno", "esp32-devkit", "raspberry-pi")
    }
    assert kinds["uno"]["bare metal"] == ""
    has_core = "framework-arduino-avr" in seeded.packages
    assert (kinds["uno"]["Arduino"] == "") == has_core
    stock = "build once where PlatformIO can reach its registry"
    assert kinds["esp32-devkit"]["ESP-IDF"] == stock
    assert kinds["raspberry-pi"] == {}
