"""Finding PlatformIO, and making it a core directory that needs no registry."""

from __future__ import annotations

import io
import json
import multiprocessing
import os
import sys
from pathlib import Path

import pytest

from pytest_embedbench.builders.platformio.core_setup import (
    CoreSetup,
    is_set_up,
    set_up_core,
)
from pytest_embedbench.builders.platformio.missing import package_missing
from pytest_embedbench.builders.platformio.packages import (
    LocalPackage,
    folder,
    programs,
    wheel,
)
from pytest_embedbench.builders.platformio.pio import find_pio
from pytest_embedbench.errors import ConfigError, ToolMissing

SCONS = "4.41101.0"


def program(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return path


def compiler(prefix: str = "avr-") -> LocalPackage:
    return LocalPackage(
        name="toolchain-atmelavr",
        version="1.70300.0",
        find=programs(prefix),
        install="apt-get install a-compiler",
    )


def links(root: Path) -> dict[str, str]:
    return {
        path.relative_to(root).as_posix(): str(path.readlink())
        for path in root.rglob("*")
        if path.is_symlink()
    }


@pytest.fixture
def bin_dir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder, first on PATH."""
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{os.environ['PATH']}")
    return tmp_path / "bin"


def test_what_is_here_is_linked_under_platformios_names(
    tmp_path: Path, bin_dir: Path
) -> None:
    gcc = program(bin_dir / "odd-gcc")
    done = set_up_core(tmp_path / "core", SCONS, [compiler("odd-")])
    package = tmp_path / "core" / "packages" / "toolchain-atmelavr@embedbench"
    assert links(package) == {"bin/odd-gcc": str(gcc)}
    about = json.loads((package / ".piopm").read_text())
    assert (about["name"], about["version"]) == ("toolchain-atmelavr", "1.70300.0")
    assert about["spec"]["owner"] == "platformio"
    assert done.packages == ("toolchain-atmelavr",)
    assert done.absent == {}


def test_a_terminal_sees_which_package_is_under_way(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("rich", reason="pip install rich")
    terminal = io.StringIO()
    monkeypatch.setattr(terminal, "isatty", lambda: True, raising=False)
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("CI", raising=False)
    set_up_core(tmp_path / "core", SCONS, [compiler("no-such-thing-")])
    shown = terminal.getvalue()
    assert "setup" in shown
    assert "toolchain-atmelavr" in shown


def test_what_is_not_here_is_reported_with_the_command_that_brings_it(
    tmp_path: Path,
) -> None:
    done = set_up_core(tmp_path / "core", SCONS, [compiler("no-such-thing-")])
    assert done.packages == ()
    assert done.absent == {"toolchain-atmelavr": "apt-get install a-compiler"}


def test_our_platforms_are_linked_where_they_lie(tmp_path: Path) -> None:
    done = set_up_core(tmp_path, SCONS, [])
    assert {"native", "atmelavr", "ststm32", "espressif32"} <= set(done.platforms)
    link = json.loads((tmp_path / "platforms" / "atmelavr.pio-link").read_text())
    platform = Path(link["spec"]["uri"].removeprefix("symlink://"))
    assert json.loads((platform / "platform.json").read_text())["name"] == "atmelavr"
    assert (platform / "builder" / "main.py").is_file()


def test_scons_is_what_platformio_asks_for(tmp_path: Path) -> None:
    set_up_core(tmp_path, SCONS, [])
    package = tmp_path / "packages" / "tool-scons@embedbench"
    assert json.loads((package / "package.json").read_text())["version"] == SCONS
    assert (package / "SCons" / "Script" / "Main.py").is_file()


def test_a_version_that_no_offline_platform_has_is_not_to_be_had_by_a_setup() -> None:
    pinned = str(package_missing("platformio/atmelavr @ 3.4.0"))
    assert "'platformio/atmelavr @ 3.4.0' (the offline platform is 5." in pinned
    assert "embedbench setup" not in pinned
    assert "embedbench setup" in str(package_missing("atmelavr @ ^5.0"))


def test_what_no_build_uses_is_there_for_those_who_ask_for_it(tmp_path: Path) -> None:
    set_up_core(tmp_path, SCONS, [])
    about = tmp_path / "packages" / "tool-simavr@embedbench" / ".piopm"
    assert json.loads(about.read_text())["name"] == "tool-simavr"


def test_a_second_time_nothing_is_written(tmp_path: Path, bin_dir: Path) -> None:
    program(bin_dir / "odd-gcc")
    first = set_up_core(tmp_path / "core", SCONS, [compiler("odd-")])
    stamps = {p: p.lstat().st_mtime_ns for p in (tmp_path / "core").rglob("*")}
    assert set_up_core(tmp_path / "core", SCONS, [compiler("odd-")]) == first
    assert {p: p.lstat().st_mtime_ns for p in (tmp_path / "core").rglob("*")} == stamps


def test_what_went_away_is_taken_out(tmp_path: Path, bin_dir: Path) -> None:
    program(bin_dir / "odd-gcc")
    extra = program(bin_dir / "odd-size")
    set_up_core(tmp_path / "core", SCONS, [compiler("odd-")])
    extra.unlink()
    set_up_core(tmp_path / "core", SCONS, [compiler("odd-")])
    package = tmp_path / "core" / "packages" / "toolchain-atmelavr@embedbench"
    assert set(links(package)) == {"bin/odd-gcc"}
    (bin_dir / "odd-gcc").unlink()
    set_up_core(tmp_path / "core", SCONS, [compiler("odd-")])
    assert not package.exists()


def test_packages_of_platformios_own_are_left_alone(
    tmp_path: Path, bin_dir: Path
) -> None:
    program(bin_dir / "odd-gcc")
    theirs = tmp_path / "core" / "packages" / "toolchain-atmelavr" / "bin" / "odd-gcc"
    program(theirs)
    set_up_core(tmp_path / "core", SCONS, [compiler("odd-")])
    assert not theirs.is_symlink()


def seed_without_packages(core_dir: Path) -> CoreSetup:
    return set_up_core(core_dir, SCONS, [])


def test_several_processes_may_set_up_at_once(tmp_path: Path) -> None:
    core = tmp_path / "core"
    assert not is_set_up(core)
    with multiprocessing.get_context("spawn").Pool(4) as pool:
        done = pool.map(seed_without_packages, [core] * 4, chunksize=1)
    assert done == [done[0]] * 4
    assert is_set_up(core)
    assert not list(core.rglob("*.new"))


def test_a_wheel_is_found_without_importing_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "odd_toolchain"
    program(package / "bin" / "odd-gcc")
    (package / "lib").mkdir()
    (package / "__init__.py").write_text("raise RuntimeError('imported')")
    monkeypatch.syspath_prepend(tmp_path)
    assert set(wheel("odd_toolchain")()) == {"bin", "lib"}
    assert wheel("no_such_wheel")() == {}


def test_a_folder_is_taken_whole_if_it_is_there(tmp_path: Path) -> None:
    (tmp_path / "cores").mkdir()
    assert folder(str(tmp_path))() == {"cores": tmp_path / "cores"}
    assert folder(str(tmp_path / "nowhere"))() == {}


def test_the_pio_that_one_names_is_used(tmp_path: Path, bin_dir: Path) -> None:
    program(bin_dir / "pio")
    other = program(tmp_path / "other-pio")
    assert find_pio(other).argv == (str(other),)


def test_a_pio_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="not a program that can be run"):
        find_pio(tmp_path / "pio")


def test_else_pio_on_path_is_used(bin_dir: Path) -> None:
    pio = program(bin_dir / "pio")
    assert find_pio().argv == (str(pio),)


def test_else_the_module_of_our_own_python(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    (tmp_path / "platformio").mkdir()
    (tmp_path / "platformio" / "__init__.py").touch()
    monkeypatch.syspath_prepend(tmp_path)
    assert find_pio().argv == (str(tmp_path / "python"), "-m", "platformio")


def test_without_pio_it_is_said_how_to_get_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    monkeypatch.setattr(sys, "path", [])
    with pytest.raises(ToolMissing, match="pip install platformio"):
        find_pio()
