"""The key of an image changes with what can change the image, and with nothing else."""

from __future__ import annotations

import os
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings, strategies as st

from pytest_embedbench.builders.platformio.fingerprint import fingerprint
from pytest_embedbench.builders.platformio.project import read_project
from pytest_embedbench.model import FirmwareSource

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

INI = """\
[platformio]
default_envs = uno

[common]
flags = -DCOMMON

[env]
build_flags = ${common.flags}
monitor_speed = 115200

[env:uno]
platform = atmelavr
board = uno

[env:mega]
platform = atmelavr
board = megaatmega2560
"""
FILES = {
    "src/main.c": "int main(void) { return 0; }",
    "src/controller.h": "int step(void);",
    "include/settings.h": "#define LIMIT 3",
    "lib/pump/pump.c": "int pump;",
    "scripts/version.py": "Import('env')",
}


class Workshop:
    """A project, an installed toolchain and an environment to key."""

    def __init__(self, root: Path) -> None:
        self.project = root / "home" / "project"
        self.core = root / "core"
        self.variables: dict[str, str] = {}
        self.overlay: dict[str, Path] = {}
        self.parts: tuple[str, ...] = ()
        self.libraries: list[Path] = []
        for path, text in {"platformio.ini": INI, **FILES}.items():
            self.write(path, text)
        package = self.core / "packages" / "toolchain-atmelavr"
        (package / "bin").mkdir(parents=True)
        (package / ".piopm").write_text('{"version": "1.70300.0"}')
        (package / "bin" / "avr-gcc").write_text("gcc 7.3.0")

    def write(self, path: str, text: str) -> None:
        (self.project / path).parent.mkdir(parents=True, exist_ok=True)
        (self.project / path).write_text(text)

    def edit_ini(self, old: str, new: str) -> None:
        text = (self.project / "platformio.ini").read_text()
        assert old in text
        self.write("platformio.ini", text.replace(old, new))

    def key(self, environment: str = "uno", pio_version: str = "6.2.0") -> str:
        source = FirmwareSource(
            project_dir=self.project,
            environment=environment,
            overlay=self.overlay,
            parts=self.parts,
        )
        return fingerprint(
            read_project(source, self.libraries),
            core_dir=self.core,
            pio_version=pio_version,
            variables=self.variables,
        )


@contextmanager
def workshop() -> Iterator[Workshop]:
    with tempfile.TemporaryDirectory() as root:
        yield Workshop(Path(root).resolve())


@pytest.fixture
def shop(tmp_path: Path) -> Workshop:
    return Workshop(tmp_path)


# Each example reads and writes files, and other tests run beside it.
few = settings(max_examples=40)
texts = st.text(st.characters(codec="utf-8"))


@few
@given(path=st.sampled_from(sorted(FILES)), text=texts)
def test_any_change_of_any_file_changes_the_key(path: str, text: str) -> None:
    # C5
    with workshop() as shop:
        before = shop.key()
        shop.write(path, text)
        same = (shop.project / path).read_bytes() == FILES[path].encode()
        assert (shop.key() == before) == same


@few
@given(
    name=st.from_regex(r"[a-z][a-z0-9]{0,9}", fullmatch=True),
    suffix=st.sampled_from([".c", ".h", ".cpp", ".ld", ""]),
)
def test_a_new_file_and_a_lost_file_change_the_key(name: str, suffix: str) -> None:
    with workshop() as shop:
        before = shop.key()
        path = shop.project / "src" / f"new_{name}{suffix}"
        path.write_text("")
        assert shop.key() != before
        path.unlink()
        assert shop.key() == before
        (shop.project / "src" / "controller.h").unlink()
        assert shop.key() != before


@few
@given(
    option=st.sampled_from(
        ["build_flags", "build_unflags", "build_type", "lib_deps", "board_build.f_cpu",
         "lib_ldf_mode", "custom_name", "build_src_filter", "upload_protocol"]
    ),
    value=st.from_regex(r"[A-Za-z0-9=_-]{1,20}", fullmatch=True),
)  # fmt: skip
def test_any_option_that_builds_changes_the_key(option: str, value: str) -> None:
    # C5: changed option ignored, stale binary.
    with workshop() as shop:
        before = shop.key()
        shop.edit_ini("board = uno\n", f"board = uno\n{option} = {value}\n")
        assert shop.key() != before


@few
@given(
    option=st.sampled_from(
        ["monitor_speed", "monitor_port", "monitor_filters", "upload_port",
         "upload_speed", "test_framework", "test_filter", "check_tool"]
    ),
    value=st.from_regex(r"[A-Za-z0-9=_-]{1,20}", fullmatch=True),
)  # fmt: skip
def test_an_option_that_only_watches_does_not(option: str, value: str) -> None:
    with workshop() as shop:
        before = shop.key()
        shop.edit_ini("board = uno\n", f"board = uno\n{option} = {value}\n")
        assert shop.key() == before


@few
@given(
    name=st.sampled_from(
        ["PLATFORMIO_BUILD_FLAGS", "PLATFORMIO_BUILD_UNFLAGS", "PLATFORMIO_SRC_DIR",
         "CC", "CFLAGS", "LDFLAGS", "CPATH", "LIBRARY_PATH"]
    ),
    value=st.from_regex(r"[A-Za-z0-9=_/-]{1,20}", fullmatch=True),
)  # fmt: skip
def test_a_variable_that_compilers_read_changes_the_key(name: str, value: str) -> None:
    with workshop() as shop:
        before = shop.key()
        shop.variables[name] = value
        assert shop.key() != before


@pytest.mark.parametrize(
    "name",
    ["PLATFORMIO_CORE_DIR", "PLATFORMIO_BUILD_DIR", "PLATFORMIO_RUN_JOBS",
     "PLATFORMIO_NO_ANSI", "PLATFORMIO_SETTING_ENABLE_TELEMETRY", "TERM"],
)  # fmt: skip
def test_a_variable_about_places_and_looks_does_not(shop: Workshop, name: str) -> None:
    before = shop.key()
    shop.variables[name] = "/elsewhere"
    assert shop.key() == before


def test_an_option_that_another_one_uses_counts(shop: Workshop) -> None:
    shop.edit_ini("[env:uno]", "build_flags = -DBAUD=${env.monitor_speed}\n[env:uno]")
    shop.edit_ini("build_flags = ${common.flags}\n", "")
    before = shop.key()
    shop.edit_ini("monitor_speed = 115200", "monitor_speed = 9600")
    assert shop.key() != before


def test_a_variable_of_the_host_that_options_use_counts(
    shop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop.edit_ini("-DCOMMON", "-DVERSION=${sysenv.EMBEDBENCH_TEST_VERSION}")
    monkeypatch.setenv("EMBEDBENCH_TEST_VERSION", "1")
    before = shop.key()
    monkeypatch.setenv("EMBEDBENCH_TEST_VERSION", "2")
    assert shop.key() != before


def test_what_an_environment_inherits_counts(shop: Workshop) -> None:
    before = shop.key()
    shop.edit_ini("-DCOMMON", "-DCHANGED")
    assert shop.key() != before


def test_another_environments_options_do_not_count(shop: Workshop) -> None:
    before = shop.key()
    shop.edit_ini("megaatmega2560", "megaatmega1280")
    assert shop.key() == before


def test_an_environment_that_is_extended_counts(shop: Workshop) -> None:
    shop.edit_ini("board = uno\n", "board = uno\nextends = env:mega\n")
    before = shop.key()
    shop.edit_ini("megaatmega2560", "megaatmega1280")
    assert shop.key() != before


def test_comments_and_spaces_do_not_count(shop: Workshop) -> None:
    before = shop.key()
    shop.edit_ini("[env:uno]", "; a comment\n\n[env:uno]")
    shop.edit_ini("board = uno", "board    =   uno ; the small one")
    assert shop.key() == before


def test_an_extra_config_counts(shop: Workshop) -> None:
    shop.edit_ini("[platformio]", "[platformio]\nextra_configs = more.ini")
    shop.write("more.ini", "[env:uno]\nbuild_type = debug\n")
    before = shop.key()
    shop.write("more.ini", "[env:uno]\nbuild_type = release\n")
    assert shop.key() != before


def test_the_environment_and_platformios_version_count(shop: Workshop) -> None:
    assert shop.key("uno") != shop.key("mega")
    assert shop.key() != shop.key(pio_version="6.1.18")


def test_time_stamps_do_not_count(shop: Workshop) -> None:
    # C5
    before = shop.key()
    for path in shop.project.rglob("*"):
        os.utime(path, (1, 1))
    assert shop.key() == before


@pytest.mark.parametrize(
    "path",
    ["test_tank.py", "conftest.py", "tests/test_x.py", "hidden/test_y.py", "README.md",
     ".embedbench/runs/1/trace.csv", ".pio/build/uno/firmware.elf", "test/test_a/a.c"],
)  # fmt: skip
def test_tests_notes_and_results_do_not_count(shop: Workshop, path: str) -> None:
    before = shop.key()
    shop.write(path, "whatever")
    assert shop.key() == before


def test_a_submissions_file_counts_like_the_one_it_replaces(
    shop: Workshop, tmp_path: Path
) -> None:
    before = shop.key()
    theirs = tmp_path / "theirs.c"
    theirs.write_text(FILES["src/main.c"])
    shop.overlay = {"src/main.c": theirs}
    assert shop.key() == before
    theirs.write_text("int main(void) { return 1; }")
    assert shop.key() != before


def test_the_projects_folder_is_only_a_place(shop: Workshop, tmp_path: Path) -> None:
    before = shop.key()
    shop.project = shop.project.rename(tmp_path / "home" / "elsewhere")
    assert shop.key() == before


def installed(core: Path) -> Mapping[str, Path]:
    package = core / "packages" / "toolchain-atmelavr"
    return {"version": package / ".piopm", "compiler": package / "bin" / "avr-gcc"}


@pytest.mark.parametrize("what", ["version", "compiler"])
def test_another_toolchain_changes_the_key(shop: Workshop, what: str) -> None:
    # C5
    before = shop.key()
    installed(shop.core)[what].write_text("gcc 14.2.0, a longer text")
    assert shop.key() != before


def test_another_host_compiler_changes_the_key(
    shop: Workshop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = shop.key("uno")
    gcc = tmp_path / "bin" / "gcc"
    gcc.parent.mkdir()
    gcc.write_text("#!/bin/sh\n")
    gcc.chmod(0o755)
    monkeypatch.setenv("PATH", f"{gcc.parent}:{os.environ['PATH']}")
    assert shop.key("uno") != before


def test_a_linked_platform_is_keyed_by_what_is_in_it(
    shop: Workshop, tmp_path: Path
) -> None:
    script = tmp_path / "platform" / "builder" / "main.py"
    script.parent.mkdir(parents=True)
    script.write_text("# one")
    (shop.core / "platforms").mkdir()
    (shop.core / "platforms" / "native.pio-link").write_text(
        f'{{"spec": {{"uri": "symlink://{tmp_path}/platform"}}}}'
    )
    before = shop.key()
    script.write_text("# two")
    assert shop.key() != before


@pytest.mark.parametrize(
    "option",
    ["lib_extra_dirs = ../shared", "lib_deps = symlink://../shared/math",
     "build_flags = -I../shared/math", "build_src_filter = +<../../shared/*/*.h>",
     "lib_deps = symlink://{root}/shared/math",
     "lib_deps =\n  math=symlink://{root}/shared/math",
     "lib_extra_dirs = {root}/shared"],
)  # fmt: skip
def test_libraries_outside_the_project_count(shop: Workshop, option: str) -> None:
    root = shop.project.parent
    header = root / "shared" / "math" / "math.h"
    header.parent.mkdir(parents=True)
    header.write_text("#define PI 3")
    option = option.format(root=root)
    shop.edit_ini("build_flags = ${common.flags}", option)
    before = shop.key()
    header.write_text("#define PI 4")
    assert shop.key() != before


def test_a_library_that_has_the_project_among_its_examples(shop: Workshop) -> None:
    library = shop.project.parent
    (library / "src").mkdir()
    (library / "src" / "pump.c").write_text("int pump;")
    shop.edit_ini("build_flags = ${common.flags}", "lib_deps = symlink://..")
    before = shop.key()
    shop.write("tests/test_pump.py", "a test of the example")
    assert shop.key() == before
    (library / "src" / "pump.c").write_text("int changed;")
    assert shop.key() != before


def test_libraries_for_all_projects_count(shop: Workshop, tmp_path: Path) -> None:
    shop.libraries = [tmp_path / "firmware"]
    before = shop.key()
    (tmp_path / "firmware").mkdir()
    (tmp_path / "firmware" / "port.c").write_text("int port;")
    assert shop.key() != before


def test_of_a_project_in_parts_nothing_else_counts(shop: Workshop) -> None:
    shop.parts = ("src", "include", "lib", "boards", "data")
    before = shop.key()
    shop.write("solution/src/main.c", "int main(void) { return 1; }")
    shop.write("notes.c", "int x;")
    shop.edit_ini("[env]", "[env]\nlib_extra_dirs = ../firmware")
    with_extra_dirs = shop.key()
    shop.write("../firmware/port.c", "int port;")
    assert shop.key() == with_extra_dirs
    shop.edit_ini("lib_extra_dirs = ../firmware\n", "")
    assert shop.key() == before
