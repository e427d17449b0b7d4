"""How a project's options are read, and which core directory serves them."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest

from pytest_embedbench.builders.platformio.cores import (
    choose_core,
    own_core,
    private_core,
)
from pytest_embedbench.builders.platformio.ini import (
    ProjectIni,
    paths_upwards,
    read_ini,
)
from pytest_embedbench.builders.platformio.libraries import Libraries
from pytest_embedbench.builders.platformio.project import read_project
from pytest_embedbench.builders.platformio.scratch import Scratch, empty_unused
from pytest_embedbench.builders.platformio.staging import project_files, sync
from pytest_embedbench.builders.platformio.surroundings import (
    mirror,
    move_workspace_into,
)
from pytest_embedbench.errors import ConfigError
from pytest_embedbench.model import FirmwareSource
from pytest_embedbench.report_page.page import write_page
from pytest_embedbench.report_page.run_folder import read_run
from pytest_embedbench.support.paths import made_cache

INI = """\
[platformio]
extra_configs = more/*.ini

[base]
platform = platformio/atmelavr @ ^5

[env]
framework = arduino

[env:uno]
extends = base
board = uno

[env:idf]
platform = espressif32
framework = espidf

[env:bare]
platform = atmelavr
framework =

[env:far]
platform = https://example.org/platform.git
"""


@pytest.fixture
def ini(tmp_path: Path) -> ProjectIni:
    (tmp_path / "more").mkdir()
    (tmp_path / "platformio.ini").write_text(INI)
    (tmp_path / "more" / "x.ini").write_text("[env:x]\nplatform = native\n")
    return read_ini(tmp_path / "platformio.ini", tmp_path)


@pytest.mark.parametrize(
    ("text", "circle"),
    [
        ("[a]\nextends = b\n[b]\nextends = x, a\n", "a -> b -> a"),
        ("[x]\n[env:e]\nextends = env:e\n", "env:e -> env:e"),
    ],
)
def test_sections_that_extend_each_other_in_a_circle_are_refused(
    text: str, circle: str, tmp_path: Path
) -> None:
    # PlatformIO itself would go round for ever.
    file = tmp_path / "platformio.ini"
    file.write_text(text)
    with pytest.raises(ConfigError, match=f"in a circle.*: {circle}$"):
        read_ini(file, tmp_path)


def test_a_section_may_be_extended_by_several(tmp_path: Path) -> None:
    file = tmp_path / "platformio.ini"
    file.write_text("[a]\n[b]\nextends = a\n[c]\nextends = a\n[d]\nextends = b, c\n")
    assert len(read_ini(file, tmp_path).sections) == 4


def test_environments_come_from_extra_configs_too(ini: ProjectIni) -> None:
    assert ini.environments() == ("uno", "idf", "bare", "far", "x")


def test_a_project_copied_without_its_environments_is_told_where_they_were(
    tmp_path: Path,
) -> None:
    ini = tmp_path / "platformio.ini"
    ini.write_text("[platformio]\nextra_configs = ../../boards.ini\n[env]\n")
    project = read_ini(ini, tmp_path)
    with pytest.raises(ConfigError, match=r"is not there: \.\./\.\./boards\.ini"):
        project.environments()


def test_an_extra_config_of_ones_own_may_be_missing(tmp_path: Path) -> None:
    ini = tmp_path / "platformio.ini"
    ini.write_text("[platformio]\nextra_configs = mine.ini\n[env:uno]\n")
    assert read_ini(ini, tmp_path).environments() == ("uno",)


@pytest.mark.parametrize(
    ("environment", "option", "value"),
    [
        ("uno", "platform", "platformio/atmelavr @ ^5"),
        ("uno", "framework", "arduino"),
        ("idf", "framework", "espidf"),
        ("bare", "framework", ""),
        ("x", "platform", "native"),
        ("uno", "board_build.f_cpu", ""),
    ],
)
def test_an_option_is_inherited_as_platformio_does(
    ini: ProjectIni, environment: str, option: str, value: str
) -> None:
    assert ini.option(environment, option) == value


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ("-I../common -DX=1", ["../common"]),
        ("symlink://../..", ["../.."]),
        ("+<*> -<../../x/*.c>", ["../../x/*.c"]),
        ("${PROJECT_DIR}/../a, ../b", ["../a", "../b"]),
        ("1...2 a..b ... .. ", [".."]),
        ("lib/x.h", []),
    ],
)
def test_paths_that_lead_out_of_a_project_are_found(
    text: str, paths: list[str]
) -> None:
    assert paths_upwards(text) == paths


@pytest.fixture
def seeded_cache(tmp_path: Path) -> Path:
    core = private_core(tmp_path)
    for name in ("native", "atmelavr", "espressif32"):
        link = core / "platforms" / f"{name}.pio-link"
        link.parent.mkdir(parents=True, exist_ok=True)
        link.touch()
    (core / "embedbench-seed.json").touch()
    return tmp_path


def offer(cache_dir: Path, package: str) -> None:
    folder = private_core(cache_dir) / "packages" / package
    folder.mkdir(parents=True)
    (folder / ".piopm").write_text(json.dumps({"name": package}))


@pytest.mark.parametrize(
    ("environment", "lacks"),
    [
        ("bare", None),
        ("x", None),
        ("uno", "framework-arduino-avr"),
        ("idf", "framework-espidf"),
        ("far", "https://example.org/platform.git"),
    ],
)
def test_the_private_core_serves_what_it_can_and_leaves_the_rest_alone(
    ini: ProjectIni,
    seeded_cache: Path,
    environment: str,
    lacks: str | None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("PLATFORMIO_CORE_DIR", raising=False)
    core = choose_core(None, seeded_cache, ini, environment)
    assert core.private_lacks == lacks
    private = private_core(seeded_cache)
    assert core.core_dir == (own_core() if lacks else private)


@pytest.mark.parametrize(
    ("lines", "lacks"),
    [
        ("platform = atmelavr\nboard = unoo", "board unoo"),
        ("platform = atmelavr\nboard = attiny85", None),
        ("platform = ststm32\nboard = nucleo_f446re", None),
        (
            "platform = ststm32\nboard = nucleo_f446re\nframework = arduino",
            "framework-arduinoststm32",
        ),
        (
            "platform = atmelavr\nboard = ATmega328P\nframework = arduino",
            "framework-arduino-avr-minicore",
        ),
        (
            "platform = atmelavr\nboard = uno\nframework = simba",
            "framework simba",
        ),
    ],
)
def test_boards_and_frameworks_that_ours_lack_are_left_to_the_stock_platform(
    tmp_path: Path,
    seeded_cache: Path,
    monkeypatch: pytest.MonkeyPatch,
    lines: str,
    lacks: str | None,
) -> None:
    monkeypatch.delenv("PLATFORMIO_CORE_DIR", raising=False)
    offer(seeded_cache, "framework-arduino-avr")
    project = tmp_path / "platformio.ini"
    project.write_text(f"[env:x]\n{lines}\n")
    core = choose_core(None, seeded_cache, read_ini(project, tmp_path), "x")
    assert core.private_lacks == lacks


def test_a_framework_that_is_there_is_served(
    ini: ProjectIni, seeded_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PLATFORMIO_CORE_DIR", raising=False)
    offer(seeded_cache, "framework-arduino-avr")
    core = choose_core(None, seeded_cache, ini, "uno")
    assert core.core_dir == private_core(seeded_cache)


@pytest.mark.parametrize("installed", [False, True])
def test_a_project_that_can_do_without_its_framework_does_unless_it_is_there(
    tmp_path: Path,
    seeded_cache: Path,
    monkeypatch: pytest.MonkeyPatch,
    installed: bool,  # noqa: FBT001
) -> None:
    monkeypatch.delenv("PLATFORMIO_CORE_DIR", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    if installed:
        stock = own_core() / "platforms" / "espressif32"
        stock.mkdir(parents=True)
        (stock / ".piopm").write_text(json.dumps({"name": "espressif32"}))
    project = tmp_path / "platformio.ini"
    project.write_text(
        "[env:x]\nplatform = espressif32\nframework = espidf\n"
        "custom_embedbench_bare = yes\n"
    )
    core = choose_core(None, seeded_cache, read_ini(project, tmp_path), "x")
    assert core.core_dir == (own_core() if installed else private_core(seeded_cache))


def test_what_the_user_says_goes_before_all(
    ini: ProjectIni, seeded_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PLATFORMIO_CORE_DIR", "/from/variable")
    configured = choose_core(Path("/told"), seeded_cache, ini, "x")
    assert configured.core_dir == Path("/told")


def test_without_setup_platformio_is_used_as_the_user_has_it(
    ini: ProjectIni, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PLATFORMIO_CORE_DIR", raising=False)
    core = choose_core(None, tmp_path, ini, "x")
    assert (core.core_dir, core.private_lacks) == (own_core(), None)


def test_a_copy_holds_the_project_and_nothing_else(tmp_path: Path) -> None:
    main, settings = tmp_path / "main.c", tmp_path / "settings.h"
    main.write_text("int main;")
    settings.write_text("#define X")
    stage = tmp_path / "stage"
    sync({"src/main.c": main, "include/settings.h": settings}, stage)
    (stage / "src" / "made_by_a_build.c").write_text("int old;")
    untouched = (stage / "src" / "main.c").stat().st_mtime_ns
    sync({"src/main.c": main}, stage)
    assert [p for p in stage.rglob("*") if p.is_file()] == [stage / "src" / "main.c"]
    assert not (stage / "include").exists()
    assert (stage / "src" / "main.c").stat().st_mtime_ns == untouched


def test_a_cache_that_lies_in_a_project_is_no_part_of_it(tmp_path: Path) -> None:
    (tmp_path / "platformio.ini").write_text("[env:uno]\nplatform = atmelavr\n")
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "main.c").write_text("int main;")
    cache = made_cache(tmp_path / "out" / "cache")
    (cache / "trees").mkdir()
    (cache / "trees" / "proc").symlink_to("/proc", target_is_directory=True)
    source = FirmwareSource(project_dir=tmp_path, environment="uno")
    files, _ = project_files(source, read_ini(tmp_path / "platformio.ini", tmp_path))
    assert sorted(files) == ["platformio.ini", "src/main.c"]


def test_a_report_page_in_a_project_is_no_part_of_it(tmp_path: Path) -> None:
    (tmp_path / "platformio.ini").write_text("[env:uno]\nplatform = atmelavr\n")
    record = tmp_path / "run" / "t.py" / "a" / "test.json"
    record.parent.mkdir(parents=True)
    record.write_text('{"test": "t.py::a", "outcome": "passed"}')
    write_page(tmp_path / "report.html", [read_run(tmp_path / "run")])
    shutil.rmtree(tmp_path / "run")
    (tmp_path / "index.html").write_text("<p>served by the firmware</p>")
    source = FirmwareSource(project_dir=tmp_path, environment="uno")
    ini = read_ini(tmp_path / "platformio.ini", tmp_path)
    files, _ = project_files(source, ini)
    assert sorted(files) == ["index.html", "platformio.ini"]


def test_above_the_copy_everything_is_where_it_was(tmp_path: Path) -> None:
    project = tmp_path / "home" / "group" / "project"
    project.mkdir(parents=True)
    (tmp_path / "home" / "group" / "common.h").write_text("1")
    (tmp_path / "home" / "shared").mkdir()
    tree = tmp_path / "tree"
    mirror(project, 2, tree)
    stage = tree / "group" / "project"
    stage.mkdir()
    assert (stage / "../common.h").resolve() == project.parent / "common.h"
    assert (stage / "../../shared").resolve() == tmp_path / "home" / "shared"
    (tmp_path / "home" / "group" / "common.h").unlink()
    mirror(project, 2, tree)
    assert not (stage / "../common.h").is_symlink()


def test_scratch_places_that_nobody_uses_are_emptied(tmp_path: Path) -> None:
    for name, used_s in {"old": 0, "new": 30 * 24 * 3600}.items():
        (tmp_path / name / "workspace").mkdir(parents=True)
        (tmp_path / name / "trees").mkdir()
        (tmp_path / name / "lock").touch()
        os.utime(tmp_path / name / "lock", (used_s, used_s))
    (tmp_path / "unlocked").mkdir()
    empty_unused(tmp_path, before_ns=10 * 24 * 3600 * 1_000_000_000)
    assert sorted(p.name for p in (tmp_path / "old").iterdir()) == ["lock"]
    assert len(list((tmp_path / "new").iterdir())) == 3


def test_of_what_lies_above_parts_only_the_shared_boards_are_copied(
    tmp_path: Path,
) -> None:
    suites, task = tmp_path / "suites", tmp_path / "suites" / "tank"
    for path, text in {
        "boards.ini": "[env:native]\nplatform = native\n",
        "other/hidden/secret.py": "",
        "tank/task.toml": "",
        "tank/platformio.ini": "[platformio]\nextra_configs = ../boards.ini\n",
        "tank/src/main.c": "int main(void) { return 0; }",
        "tank/hidden/secret.py": "",
    }.items():
        (suites / path).parent.mkdir(parents=True, exist_ok=True)
        (suites / path).write_text(text)
    source = FirmwareSource(project_dir=task, environment="native", parts=("src",))
    scratch = Scratch(tmp_path / "scratch", read_project(source, ()))
    scratch.fill()
    files = (path for path in scratch.tree.rglob("*") if path.is_file())
    copied = {os.path.relpath(file, scratch.stage) for file in files}
    assert copied == {"platformio.ini", "src/main.c", "../boards.ini"}


def test_libraries_by_path_are_looked_for_only_where_the_path_is_known(
    tmp_path: Path,
) -> None:
    (tmp_path / "near" / "A").mkdir(parents=True)
    (tmp_path / "project").mkdir()
    ini = (
        "[c]\nlib_deps = symlink://../near/A\n[env:x]\nlib_deps =\n"
        "  ${c.lib_deps}\n  symlink://${PROJECT_DIR}/../near/B\n"
        "  file://../near/C\n"
    )
    (tmp_path / "project" / "platformio.ini").write_text(ini)
    source = FirmwareSource(project_dir=tmp_path / "project", environment="x")
    project = read_project(source, ())
    assert list(project.libraries.unresolved.values()) == [
        "file://../near/C (no such folder)"
    ]


def test_a_damaged_library_of_the_projects_own_is_left_to_platformio(
    tmp_path: Path,
) -> None:
    (tmp_path / "platformio.ini").write_text("[env:x]\nplatform = native\n")
    described = tmp_path / "lib" / "calc" / "library.json"
    described.parent.mkdir(parents=True)
    described.write_text('{"name": "calc",}')
    source = FirmwareSource(project_dir=tmp_path, environment="x")
    assert read_project(source, ()).libraries == Libraries()


def test_the_workspace_moves_with_all_that_was_built_into_whichever_copy_is_used(
    tmp_path: Path,
) -> None:
    workspace, one, two = (tmp_path / name for name in ("workspace", "one", "two"))
    (workspace / "build").mkdir(parents=True)
    one.mkdir()
    (one / ".pio").symlink_to("../workspace")  # as it was before
    for stage in (one, one, two, one):
        move_workspace_into(stage, workspace)
        assert (workspace / "..").resolve() == stage
        assert (stage / ".pio" / "build").is_dir()
    shutil.rmtree(one)
    move_workspace_into(two, workspace)
    assert (workspace / "..").resolve() == two
