"""Builds beside each other, killed halfway, from sources that cannot be written."""

from __future__ import annotations

import multiprocessing
import os
import select
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_embedbench.bench.images import ImageCache
from pytest_embedbench.builders.platformio import PlatformIO
from pytest_embedbench.errors import BuildError
from pytest_embedbench.model import FirmwareSource
from pytest_embedbench.processes import wait_gone

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_embedbench.builders.platformio.core_setup import CoreSetup

    MakeProject = Callable[..., Path]

GONE_WITHIN_S = 2.0
HELLO = '#include <stdio.h>\nint main(void) { printf("hello\\n"); return 0; }\n'
INI = """\
[env:native]
platform = native
extra_scripts = pre:count.py

[env:uno]
platform = atmelavr
board = uno
extra_scripts = pre:count.py
"""


def counting(log: Path) -> str:
    """Return a build script that notes in ``log`` each time that it runs."""
    return f"with open({str(log)!r}, 'a') as log:\n    log.write('built\\n')\n"


def ask(core_dir: Path, cache_dir: Path, source: FirmwareSource) -> str:
    platformio = PlatformIO(core_dir=core_dir, cache_dir=cache_dir, offline=True)
    return ImageCache(cache_dir, session="run 1").image(platformio, source).sha256


def ask_at_once(order: list[tuple[Path, Path, FirmwareSource]]) -> list[str]:
    with multiprocessing.get_context("spawn").Pool(len(order)) as pool:
        return pool.starmap(ask, order, chunksize=1)


def test_two_workers_build_two_environments_of_one_project(
    seeded: CoreSetup, make_project: MakeProject, tmp_path: Path
) -> None:
    # C1: a shared .pio/build is wiped by the other worker's build.
    log = tmp_path / "log"
    project = make_project(INI, {"src/main.c": HELLO, "count.py": counting(log)})
    sources = [
        FirmwareSource(project_dir=project, environment=environment)
        for environment in ("native", "uno", "native", "uno")
    ]
    digests = ask_at_once([(seeded.core_dir, tmp_path / "cache", s) for s in sources])
    assert len(set(digests)) == 2
    assert log.read_text().splitlines() == ["built", "built"]


def test_eight_workers_build_an_image_once(
    seeded: CoreSetup, make_project: MakeProject, tmp_path: Path
) -> None:
    # X3
    log = tmp_path / "log"
    project = make_project(INI, {"src/main.c": HELLO, "count.py": counting(log)})
    source = FirmwareSource(project_dir=project, environment="native")
    digests = ask_at_once([(seeded.core_dir, tmp_path / "cache", source)] * 8)
    assert len(set(digests)) == 1
    assert log.read_text().splitlines() == ["built"]


def test_a_build_that_fails_never_gives_out_the_last_one_that_did_not(
    platformio: PlatformIO, make_project: MakeProject, tmp_path: Path
) -> None:
    # C5: PlatformIO leaves the previous firmware where it was.
    cache = ImageCache(tmp_path / "cache")
    project = make_project(INI, {"src/main.c": HELLO, "count.py": ""})
    source = FirmwareSource(project_dir=project, environment="native")
    good = cache.image(platformio, source)
    (project / "src" / "main.c").write_text("int main(void) { return nope; }\n")
    with pytest.raises(BuildError, match=r"nope.* undeclared"):
        cache.image(platformio, source)
    (project / "src" / "main.c").write_text(HELLO)
    assert cache.image(platformio, source) == good


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("platformio.ini", INI.replace("native\n", "native\nbuild_flags = -DWORD=1\n")),
        ("include/word.h", "#define WORD 1\n"),
        ("lib/word/word.h", "#define WORD 1\n"),
    ],
)
def test_one_change_anywhere_is_in_the_next_image(
    platformio: PlatformIO,
    make_project: MakeProject,
    tmp_path: Path,
    path: str,
    text: str,
) -> None:
    # C5: change one -D, one header, one library.
    main = (
        '#include <stdio.h>\n#if __has_include("word.h")\n#include "word.h"\n#endif\n'
        '#ifndef WORD\n#define WORD 0\n#endif\nint main(void) { printf("%d", WORD); }\n'
    )
    cache = ImageCache(tmp_path / "cache")
    project = make_project(INI, {"src/main.c": main, "count.py": ""})
    source = FirmwareSource(project_dir=project, environment="native")
    assert subprocess.check_output([cache.image(platformio, source).elf_path]) == b"0"
    (project / path).parent.mkdir(parents=True, exist_ok=True)
    (project / path).write_text(text)
    assert subprocess.check_output([cache.image(platformio, source).elf_path]) == b"1"


def test_a_read_only_project_builds_even_if_its_scripts_write(
    platformio: PlatformIO, make_project: MakeProject, tmp_path: Path
) -> None:
    # C7: sdkconfig and managed_components are made in the source folder.
    script = (
        "Import('env')\nfrom pathlib import Path\n"
        "root = Path(env.subst('$PROJECT_DIR'))\n"
        "(root / 'sdkconfig').write_text('made')\n"
        "(root / 'src' / 'made.c').write_text('int made;')\n"
    )
    project = make_project(INI, {"src/main.c": HELLO, "count.py": script})
    for path in (*project.rglob("*"), project):
        path.chmod(path.stat().st_mode & ~0o222)
    before = sorted(project.rglob("*"))
    source = FirmwareSource(project_dir=project, environment="native")
    try:
        image = platformio.build(source, tmp_path / "out")
        again = platformio.build(source, tmp_path / "again")
    finally:
        for path in (project, *project.rglob("*")):
            path.chmod(path.stat().st_mode | 0o200)
    assert sorted(project.rglob("*")) == before
    assert image.sha256 == again.sha256


def test_what_lies_outside_the_project_is_found_from_the_scratch_copy(
    platformio: PlatformIO, make_project: MakeProject, tmp_path: Path
) -> None:
    ini = (
        "[env:native]\nplatform = native\nbuild_flags = -I../common/include\n"
        "lib_extra_dirs = ../libraries\nlib_deps = symlink://../../linked\n"
    )
    main = (
        '#include "common.h"\n#include "extra.h"\n#include "linked.h"\n'
        "int main(void) { return COMMON + extra() + linked(); }\n"
    )
    project = make_project(ini, {"src/main.c": main}, at="home/projects/this")
    for path, text in {
        "projects/common/include/common.h": "#define COMMON 1\n",
        "projects/libraries/extra/extra.h": "int extra(void);\n",
        "projects/libraries/extra/extra.c": "int extra(void) { return 2; }\n",
        "linked/library.json": '{"name": "linked", "version": "1.0.0"}',
        "linked/src/linked.h": "int linked(void);\n",
        "linked/src/linked.c": "int linked(void) { return 4; }\n",
    }.items():
        file = tmp_path / "home" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    source = FirmwareSource(project_dir=project, environment="native")
    image = platformio.build(source, tmp_path / "out")
    assert subprocess.run([image.elf_path], check=False).returncode == 7
    # The same project may stop reaching outside: nothing of the last copy is left.
    (project / "platformio.ini").write_text("[env:native]\nplatform = native\n")
    (project / "src" / "main.c").write_text("int main(void) { return 8; }\n")
    image = platformio.build(source, tmp_path / "out")
    assert subprocess.run([image.elf_path], check=False).returncode == 8


BUILD = """
import sys
from pathlib import Path
from pytest_embedbench.bench.images import ImageCache
from pytest_embedbench.builders.platformio import PlatformIO
from pytest_embedbench.model import FirmwareSource
core_dir, cache_dir, project_dir = map(Path, sys.argv[1:])
platformio = PlatformIO(core_dir=core_dir, cache_dir=cache_dir, offline=True)
source = FirmwareSource(project_dir=project_dir, environment="native")
ImageCache(cache_dir).image(platformio, source)
"""
# A compiler that says it is up and then never ends, as a child of SCons.
SLOW_COMPILER = """\
#!/bin/sh
[ "$1" = --version ] && exec gcc --version
exec 9>{fifo}
echo compiling >&9
exec sleep 1000
"""
USE_IT = """
Import("projenv")
import os
if os.path.exists({fifo!r}):
    projenv.Replace(CC={compiler!r})
"""


@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_killing_the_one_who_builds_kills_pio_and_compilers(
    seeded: CoreSetup, make_project: MakeProject, tmp_path: Path, end: signal.Signals
) -> None:
    # E2: no compiler is left, and no lock is held, 2 s after kill -9.
    fifo, compiler, cache_dir = tmp_path / "fifo", tmp_path / "slow-gcc", tmp_path / "c"
    os.mkfifo(fifo)
    compiler.write_text(SLOW_COMPILER.format(fifo=fifo))
    compiler.chmod(0o755)
    script = USE_IT.format(fifo=str(fifo), compiler=str(compiler))
    ini = INI.replace("pre:count.py", "post:slow.py")
    project = make_project(ini, {"src/main.c": HELLO, "slow.py": script})
    argv = [sys.executable, "-c", BUILD, str(seeded.core_dir), str(cache_dir)]
    reader = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
    asking = subprocess.Popen([*argv, str(project)], stderr=subprocess.DEVNULL)
    try:
        assert select.select([reader], [], [], 60)[0], "the compiler never started"
        below = mentioning(str(cache_dir)) - {asking.pid}
        assert below, "pio runs, and names the scratch copy"
        asking.send_signal(end)
        asking.wait()
        assert all(wait_gone(pid, GONE_WITHIN_S) for pid in below)
        assert select.select([reader], [], [], GONE_WITHIN_S)[0]
    finally:
        asking.kill()
        asking.wait()
        os.close(reader)
    fifo.unlink()
    source = FirmwareSource(project_dir=project, environment="native")
    assert ask(seeded.core_dir, cache_dir, source)


def mentioning(text: str) -> set[int]:
    """Return the processes with ``text`` on their command line."""
    found: set[int] = set()
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            if text.encode() in (entry / "cmdline").read_bytes():
                found.add(int(entry.name))
        except OSError:
            continue
    return found


# PlatformIO as far as installing goes: says so, and must be alone while it does.
INSTALLER = """
import fcntl, json, os, sys
from pathlib import Path
if sys.argv[1:] == ["--version"]:
    print("PlatformIO Core, version 6.2.0")
    sys.exit()
core = Path(os.environ["PLATFORMIO_CORE_DIR"])
if not (core / "installed").exists():
    print("Tool Manager: Installing platformio/tool-x @ ~1.0", flush=True)
    alone = (core / "installing").open("w")
    fcntl.flock(alone, fcntl.LOCK_EX | fcntl.LOCK_NB)
    sys.stdout.write("".join(f"Downloading {n}%\\n" for n in range(100)))
    (core / "installs").open("a").write("once\\n")
    (core / "installed").touch()
build = Path(os.environ["PLATFORMIO_BUILD_DIR"])
build.mkdir(parents=True, exist_ok=True)
(build / "program").write_text(sys.argv[-1])
report = {"program": str(build / "program"), "platform": "p 1", "toolchain": "t 1",
          "cc": "cc", "application_offset": "", "flash_images": []}
Path(os.environ["EMBEDBENCH_REPORT"]).write_text(json.dumps(report))
"""


def build_with(pio: Path, core_dir: Path, cache_dir: Path, environment: str) -> str:
    source = FirmwareSource(project_dir=pio.parent / "project", environment=environment)
    platformio = PlatformIO(pio=pio, core_dir=core_dir, cache_dir=cache_dir)
    return ImageCache(cache_dir).image(platformio, source).elf_path.read_text()


def test_packages_are_installed_by_one_process_at_a_time(
    make_project: MakeProject,
    tmp_path: Path,
    answering: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # C2: "platformio has no way to make concurrent execution safe".
    monkeypatch.setenv("https_proxy", f"http://127.0.0.1:{answering}")
    pio = tmp_path / "pio"
    pio.write_text(f"#!{sys.executable} -IS\n{INSTALLER}")
    pio.chmod(0o755)
    names = [f"env{number}" for number in range(4)]
    make_project("".join(f"[env:{name}]\n" for name in names))
    (tmp_path / "core").mkdir()
    order = [(pio, tmp_path / "core", tmp_path / "cache", name) for name in names]
    with multiprocessing.get_context("spawn").Pool(len(order)) as pool:
        assert pool.starmap(build_with, order, chunksize=1) == names
    assert (tmp_path / "core" / "installs").read_text().splitlines() == ["once"]
