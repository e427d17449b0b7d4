"""What can be wrong with a build, and the one clear thing that is said about it."""

from __future__ import annotations

import fcntl
import os
import shutil
import socket
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from pytest_embedbench.builders.platformio import PlatformIO
from pytest_embedbench.builders.platformio.core_setup import set_up_core
from pytest_embedbench.builders.platformio.packages import LocalPackage
from pytest_embedbench.builders.platformio.pio import find_pio
from pytest_embedbench.builders.platformio.run import reachable
from pytest_embedbench.errors import BenchFault, BuildError, ConfigError, ToolMissing
from pytest_embedbench.model import BoardSpec, FirmwareSource, UartSpec

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pytest_embedbench.builders.platformio.core_setup import CoreSetup

    MakeProject = Callable[..., Path]

UNO = "[env:uno]\nplatform = atmelavr\nboard = uno\n"
RETURN_0 = "int main(void) { return 0; }\n"
# PlatformIO itself needs a minute to give up on its registry.
NO_WAITING_FOR_NETWORKS = pytest.mark.timeout(40)


@pytest.mark.parametrize(
    ("ini", "files", "said"),
    [
        pytest.param(
            UNO,
            {"src/main.c": "int f(void);\nint main(void) { return f(); }\n"},
            ["ltrans0.o: In function `main':", "undefined reference to `f'"],
            id="undefined function",
        ),
        pytest.param(
            UNO,
            {"src/a.c": RETURN_0, "src/b.c": RETURN_0},
            ["multiple definition of `main'"],
            id="two mains",
        ),
        pytest.param(
            UNO,
            {"src/main.c": '#include "nope.h"\n'},
            ["src/main.c:1:10: fatal error: nope.h: No such file or directory"],
            id="missing header",
        ),
        pytest.param(
            UNO,
            {
                "src/main.c": "const __flash char a[30000] = {1}, b[9000] = {1};\n"
                "int main(void) { volatile int i = 0; return a[i] + b[i]; }\n"
            },
            ["program size", "is greater than maximum allowed (32256 bytes)"],
            id="does not fit",
        ),
        pytest.param(UNO, {}, ["Nothing to build"], id="no sources"),
        pytest.param(
            UNO + "extra_scripts = pre:scripts/broken.py\n",
            {"src/main.c": RETURN_0, "scripts/broken.py": "x = 1\nspam()\n"},
            ["NameError: name 'spam' is not defined", 'File "scripts/broken.py"'],
            id="broken script",
        ),
        pytest.param(
            UNO + "extra_scripts = pre:nowhere.py\n",
            {"src/main.c": RETURN_0},
            ["missing SConscript file 'nowhere.py'"],
            id="missing script",
        ),
        pytest.param(
            UNO + "build_flags = -fno-such-thing\n",
            {"src/main.c": RETURN_0},
            ["avr-gcc: error: unrecognized command line option '-fno-such-thing'"],
            id="unknown flag",
        ),
    ],
)
def test_a_submission_that_does_not_build(
    platformio: PlatformIO,
    make_project: MakeProject,
    tmp_path: Path,
    ini: str,
    files: dict[str, str],
    said: list[str],
) -> None:
    source = FirmwareSource(project_dir=make_project(ini, files), environment="uno")
    with pytest.raises(BuildError) as caught:
        platformio.build(source, tmp_path / "out")
    diagnostics = caught.value.diagnostics
    assert all(words in diagnostics for words in said), diagnostics
    assert str(tmp_path) not in diagnostics
    assert "platformio" not in diagnostics.lower()
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("ini", "said"),
    [
        pytest.param(
            "[env:uno]\nboard = uno\n",
            "platformio.ini: env:uno: Please specify platform for 'uno' environment",
            id="no platform",
        ),
        pytest.param(
            f"{UNO}build_flags = ${{nope.x}}\n",
            "platformio.ini: env:uno: 'No section: 'nope''",
            id="no such section",
        ),
        pytest.param(
            f"[platformio]\ndefault_envs = nope\n{UNO}",
            "platformio.ini: env:uno: Unknown environment names 'nope'. Valid names",
            id="no such environment",
        ),
        pytest.param("[env:uno\n", "platformio.ini: not a readable", id="not an ini"),
        pytest.param(UNO + UNO, "section 'env:uno' already exists", id="said twice"),
    ],
)
def test_a_project_that_is_set_up_wrong(
    platformio: PlatformIO,
    make_project: MakeProject,
    tmp_path: Path,
    ini: str,
    said: str,
) -> None:
    project = make_project(ini, {"src/main.c": RETURN_0})
    source = FirmwareSource(project_dir=project, environment="uno")
    with pytest.raises(ConfigError) as caught:
        platformio.build(source, tmp_path / "out")
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("ini", "said"),
    [
        (
            UNO.replace("= uno", "= unoo"),
            "board 'unoo', which is not in the offline platform (do you mean 'uno'?)",
        ),
        (f"{UNO}framework = zephyr\n", "framework 'zephyr', which is not in the off"),
        (
            f"{UNO}framework = arduino\n".replace("= uno", "= ATmega328P"),
            "'MiniCore', which is not in the offline platform",
        ),
        (
            "[env:uno]\nplatform = espressif32\nboard = esp32-s3-devkitc-1\n",
            "'esp32s3', which is not in the offline platform",
        ),
    ],
)
def test_what_our_own_platforms_lack_is_said_as_ours(
    platformio: PlatformIO,
    make_project: MakeProject,
    tmp_path: Path,
    ini: str,
    said: str,
) -> None:
    project = make_project(ini, {"src/main.c": RETURN_0})
    source = FirmwareSource(project_dir=project, environment="uno")
    with pytest.raises(ToolMissing) as caught:
        platformio.build(source, tmp_path / "out")
    assert said in str(caught.value)
    assert "build once where PlatformIO can reach its registry" in str(caught.value)


def test_a_folder_without_a_project(platformio: PlatformIO, tmp_path: Path) -> None:
    source = FirmwareSource(project_dir=tmp_path, environment="uno")
    with pytest.raises(
        ConfigError, match=r"not a PlatformIO project: no platformio\.ini"
    ):
        platformio.fingerprint(source)


def test_an_overlay_that_leads_out_of_the_project(
    platformio: PlatformIO, make_project: MakeProject, tmp_path: Path
) -> None:
    project = make_project(UNO, {"src/main.c": RETURN_0})
    overlay = {"../main.c": project / "src" / "main.c"}
    source = FirmwareSource(project_dir=project, environment="uno", overlay=overlay)
    with pytest.raises(ConfigError, match="must be a path inside the project"):
        platformio.build(source, tmp_path / "out")


@NO_WAITING_FOR_NETWORKS
@pytest.mark.parametrize(
    ("options", "wanted", "advice"),
    [
        ("platform = native", "'native'", "run `embedbench setup`"),
        ("platform = siliconlabsefm32", "'siliconlabsefm32'", "reach its registry"),
    ],
)
def test_in_an_empty_core_directory_the_platform_is_missing(
    make_project: MakeProject, tmp_path: Path, options: str, wanted: str, advice: str
) -> None:
    platformio = PlatformIO(
        core_dir=tmp_path / "empty", cache_dir=tmp_path / "cache", offline=True
    )
    project = make_project(f"[env:x]\n{options}\n", {"src/main.c": RETURN_0})
    source = FirmwareSource(project_dir=project, environment="x")
    with pytest.raises(ToolMissing) as caught:
        platformio.build(source, tmp_path / "out")
    assert f"platformio needs the package {wanted}" in str(caught.value)
    assert advice in str(caught.value)


@NO_WAITING_FOR_NETWORKS
def test_a_library_that_is_not_here_is_named(
    platformio: PlatformIO, make_project: MakeProject, tmp_path: Path
) -> None:
    ini = UNO + "lib_deps = bblanchon/ArduinoJson@^6\n"
    project = make_project(ini, {"src/main.c": RETURN_0})
    source = FirmwareSource(project_dir=project, environment="uno")
    with pytest.raises(ConfigError, match=r"not here: bblanchon/ArduinoJson@\^6"):
        platformio.build(source, tmp_path / "out")


def test_a_cross_compiler_is_never_replaced_by_a_stranger(
    make_project: MakeProject, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # PlatformIO takes any avr-gcc on PATH where its package has a broken link.
    broken = LocalPackage(
        name="toolchain-atmelavr",
        version="1.70300.0",
        find=lambda: {"bin/avr-gcc": tmp_path / "uninstalled"},
        install="",
    )
    core_dir = tmp_path / "core"
    set_up_core(core_dir, find_pio().scons_version(), local_packages=[broken])
    stranger = tmp_path / "bin" / "avr-gcc"
    stranger.parent.mkdir()
    stranger.write_text("#!/bin/sh\n")
    stranger.chmod(0o755)
    monkeypatch.setenv("PATH", f"{stranger.parent}:{os.environ['PATH']}")
    platformio = PlatformIO(
        core_dir=core_dir, cache_dir=tmp_path / "cache", offline=True
    )
    project = make_project(UNO, {"src/main.c": RETURN_0})
    source = FirmwareSource(project_dir=project, environment="uno")
    with pytest.raises(ToolMissing, match=rf"avr-gcc .it is not in .* but {stranger}"):
        platformio.build(source, tmp_path / "out")


def test_without_a_host_compiler_it_is_said_how_to_get_one(
    platformio: PlatformIO,
    make_project: MakeProject,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    native = "[env:native]\nplatform = native\n"
    project = make_project(native, {"src/main.c": RETURN_0})
    source = FirmwareSource(project_dir=project, environment="native")
    pio = find_pio().argv[0]
    (tmp_path / "bin").mkdir()
    for name in ("sh", "bash", "dirname"):
        (tmp_path / "bin" / name).symlink_to(str(shutil.which(name)))
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    with pytest.raises(ToolMissing, match=r"the compiler gcc, .* apt-get install gcc"):
        replace(platformio, pio=pio).build(source, tmp_path / "out")


def test_a_compiler_without_its_c_library_is_no_fault_of_the_submissions(
    platformio: PlatformIO, make_project: MakeProject, tmp_path: Path
) -> None:
    ini = "[env:native]\nplatform = native\nbuild_flags = --sysroot=/nowhere\n"
    project = make_project(ini, {"src/main.c": "#include <stdio.h>\n" + RETURN_0})
    source = FirmwareSource(project_dir=project, environment="native")
    with pytest.raises(ToolMissing, match=r"a whole compiler .*stdio\.h: No such file"):
        platformio.build(source, tmp_path / "out")


def test_a_compiler_that_does_not_run_is_no_fault_of_the_submissions(
    platformio: PlatformIO,
    make_project: MakeProject,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("GCC_EXEC_PREFIX", "/nowhere/")
    native = "[env:native]\nplatform = native\n"
    project = make_project(native, {"src/main.c": RETURN_0})
    source = FirmwareSource(project_dir=project, environment="native")
    with pytest.raises(ToolMissing, match=r"a whole compiler .*cannot execute .cc1"):
        platformio.build(source, tmp_path / "out")


@pytest.mark.parametrize(
    "line",
    [
        "#error No space left on device",
        '_Static_assert(0, "OSError: x: No space left on device");',
        '#error "src/x.c:1:1: fatal error: stdio.h: No such file or directory"',
        '#pragma message "gcc: fatal error: cannot execute cc1"\nint',
    ],
)
def test_a_submission_cannot_pass_its_errors_off_as_ours(
    platformio: PlatformIO, make_project: MakeProject, tmp_path: Path, line: str
) -> None:
    project = make_project(UNO, {"src/main.c": line + "\n"})
    source = FirmwareSource(project_dir=project, environment="uno")
    with pytest.raises(BuildError):
        platformio.build(source, tmp_path / "out")


def test_someone_else_holding_platformios_lock_is_named(
    platformio: PlatformIO, seeded: CoreSetup, make_project: MakeProject, tmp_path: Path
) -> None:
    # C3: PlatformIO waits 3600 s for its lock, and says nothing meanwhile.
    (tmp_path / "tool").mkdir()
    tool = f"platform_packages = platformio/tool-x@symlink://{tmp_path}/tool\n"
    project = make_project(UNO + tool, {"src/main.c": RETURN_0})
    source = FirmwareSource(project_dir=project, environment="uno")
    lock = seeded.core_dir / "packages.lock"
    with lock.open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        with pytest.raises(BenchFault, match=f"another process holds its lock {lock}"):
            replace(platformio, timeout_s=3.0).build(source, tmp_path / "out")


def test_a_build_that_never_ends_is_ended(
    platformio: PlatformIO, make_project: MakeProject, tmp_path: Path
) -> None:
    ini = UNO + "extra_scripts = pre:wait.py\n"
    script = "import signal\nsignal.pause()\n"
    project = make_project(ini, {"src/main.c": RETURN_0, "wait.py": script})
    source = FirmwareSource(project_dir=project, environment="uno")
    with pytest.raises(BuildError, match="the build was ended after 3 s"):
        replace(platformio, timeout_s=3.0).build(source, tmp_path / "out")


UNO_BOARD = BoardSpec(
    name="uno",
    engine="simavr",
    mcu="atmega328p",
    cpu_hz=16_000_000,
    uarts=(UartSpec(name="uart0", baud_bps=115_200),),
    environments=("uno",),
)


def test_what_a_board_needs_is_known_before_a_build(
    platformio: PlatformIO, tmp_path: Path
) -> None:
    assert platformio.missing_for(UNO_BOARD) == []
    empty = replace(platformio, core_dir=tmp_path / "empty")
    (missing,) = empty.missing_for(UNO_BOARD)
    assert missing.tool == "the packages 'atmelavr', 'tool-scons', 'toolchain-atmelavr'"
    assert missing.install.startswith("run `embedbench setup`")


def test_of_an_environment_of_the_users_own_nothing_is_said(
    platformio: PlatformIO, tmp_path: Path
) -> None:
    empty = replace(platformio, core_dir=tmp_path / "empty")
    assert empty.missing_for(replace(UNO_BOARD, environments=("their-own",))) == []


def test_a_registry_that_answers_is_reachable(
    answering: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("https_proxy", "")
    assert reachable(("127.0.0.1", answering))
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        assert not reachable(silent.getsockname())


def test_behind_a_proxy_it_is_the_proxy_that_answers(
    answering: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("https_proxy", f"http://127.0.0.1:{answering}")
    assert reachable(("registry.invalid", 443))
