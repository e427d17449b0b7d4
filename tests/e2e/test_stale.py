"""What has changed is in the next image, whatever reads it; all else is found."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_embedbench.bench.images import ImageCache
from pytest_embedbench.builders.platformio import builder
from pytest_embedbench.clock import wall_now_ns
from pytest_embedbench.digests import Memo
from pytest_embedbench.model import FirmwareSource

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pytest_embedbench.builders.platformio import PlatformIO

    MakeProject = Callable[..., Path]

INI = "[env:native]\nplatform = native\n"
PRINT = '#include <stdio.h>\nint main(void) { printf("%d", LIMIT); }\n'
ASKS = '#if __has_include("config.h")\n#include "config.h"\n#endif\n'
SCRIPT = 'Import("env")\nimport os\nenv.Append(CPPDEFINES=[("LIMIT", {})])\n'


@dataclass(frozen=True)
class Input:
    """A project in which one file, or one variable, holds the number that is printed.

    ``OUT`` in options stands for a folder outside of it.
    """

    flags: str = ""
    main: str = ""
    files: Mapping[str, str] = field(default_factory=dict[str, str])
    changes: str = ""
    text: str = "#define LIMIT {}\n"
    variable: str = ""
    by_script: bool = False


INPUTS = {
    "a header that a macro names": Input(
        flags="build_flags = -D CONFIG_FILE='\"config.h\"'",
        main="#include CONFIG_FILE\n",
        changes="include/config.h",
    ),
    "a folder outside": Input(
        flags="build_flags = -I OUT",
        main='#include "config.h"\n',
        changes="OUT/config.h",
    ),
    "a folder named by a variable": Input(
        flags="build_flags = -I ${sysenv.EMBEDBENCH_TEST_SDK}",
        main='#include "config.h"\n',
        changes="OUT/config.h",
    ),
    "a header before all others": Input(
        flags="build_flags = -include OUT/config.h", changes="OUT/config.h"
    ),
    "macros before all others": Input(
        flags="build_flags = -imacros OUT/config.h", changes="OUT/config.h"
    ),
    "a folder that only the compiler knows of": Input(
        main='#include "config.h"\n', changes="CPATH/config.h"
    ),
    "options in a file": Input(
        flags="build_flags = -specs=OUT/specs",
        changes="OUT/specs",
        text="*cc1_options:\n+ -DLIMIT={}\n\n",
    ),
    "above the project": Input(
        main='#include "../../shared.h"\n', changes="../shared.h"
    ),
    "beside the firmware": Input(
        main='#include "../tests/shared.h"\n', changes="tests/shared.h"
    ),
    "a file for the assembler, outside": Input(
        main='__asm__(".global text\\ntext: .incbin \\"" BLOB "\\"\\n.byte 0");\n'
        "#include <stdlib.h>\nextern char text[];\n#define LIMIT atoi(text)\n",
        flags="build_flags = -D BLOB='\"OUT/text\"'",
        changes="OUT/text",
        text="{}",
    ),
    "a file for the assembler": Input(
        main='__asm__(".global text\\ntext: .incbin \\"data/text\\"\\n.byte 0");\n'
        "#include <stdlib.h>\nextern char text[];\n#define LIMIT atoi(text)\n",
        changes="data/text",
        text="{}",
    ),
    "a linker script outside": Input(
        main="extern char from[], to[];\n#define LIMIT (int)(to - from)\n",
        flags="build_flags = -Wl,OUT/sym.ld",
        changes="OUT/sym.ld",
        text="from = 100;\nto = 100 + {};\n",
    ),
    "what a linker script includes": Input(
        main="extern char from[], to[];\n#define LIMIT (int)(to - from)\n",
        flags="build_flags = -Wl,OUT/sym.ld",
        files={"OUT/sym.ld": "INCLUDE OUT/more.ld\n"},
        changes="OUT/more.ld",
        text="from = 100;\nto = 100 + {};\n",
    ),
    "a library that is copied": Input(
        flags="lib_deps = file://OUT/limit",
        files={"OUT/limit/library.json": '{"name": "limit", "version": "1.0.0"}'},
        main='#include "limit.h"\n',
        changes="OUT/limit/src/limit.h",
    ),
    "a library of the project's that is copied": Input(
        flags="lib_deps = file://vendor/limit",
        files={"vendor/limit/library.json": '{"name": "limit", "version": "1.0.0"}'},
        main='#include "limit.h"\n',
        changes="vendor/limit/src/limit.h",
    ),
    "a variable that a script reads": Input(
        flags="extra_scripts = pre:a.py",
        files={"a.py": SCRIPT.format('os.environ["EMBEDBENCH_TEST_LIMIT"]')},
        variable="EMBEDBENCH_TEST_LIMIT",
        by_script=True,
    ),
    "a file that a script reads": Input(
        flags="extra_scripts = pre:a.py",
        files={"a.py": SCRIPT.format('open("OUT/limit").read()')},
        changes="OUT/limit",
        text="{}",
        by_script=True,
    ),
    "what a command says": Input(
        flags="build_flags = !cat OUT/limit",
        changes="OUT/limit",
        text="-DLIMIT={}",
        by_script=True,
    ),
    "an option that a script reads": Input(
        flags="extra_scripts = pre:a.py\n"
        "custom_limit = ${sysenv.EMBEDBENCH_TEST_LIMIT}",
        files={"a.py": SCRIPT.format('env.GetProjectOption("custom_limit")')},
        variable="EMBEDBENCH_TEST_LIMIT",
        by_script=True,
    ),
    "what a library's script reads": Input(
        flags="lib_ldf_mode = chain",
        files={
            "lib/limit/library.json": '{"name": "limit", "version": "1.0.0",'
            ' "build": {"extraScript": "a.py"}}',
            "lib/limit/a.py": 'Import("projenv")\nprojenv.Append(CPPDEFINES='
            '[("LIMIT", open("OUT/limit").read())])\n',
            "lib/limit/src/limit.h": "",
        },
        main='#include "limit.h"\n',
        changes="OUT/limit",
        text="{}",
        by_script=True,
    ),
}


class Bench:
    """One project, and runs that ask for its image."""

    def __init__(self, platformio: PlatformIO, root: Path) -> None:
        self.platformio = platformio
        self.root = root
        self.project = root / "group" / "project"
        self.builds = 0

    def write(self, path: str, text: str) -> None:
        file = self.project / path
        if path.startswith(("OUT/", "CPATH/")):
            file = self.root / path.replace("OUT", "out").replace("CPATH", "cpath")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text.replace("OUT", str(self.root / "out")))

    def says(self) -> str:
        """Return what the image of a new run prints."""
        images = ImageCache(self.root / "images")
        source = FirmwareSource(project_dir=self.project, environment="native")
        image = images.image(self.platformio, source)
        self.builds += images.asked.built
        assert images.asked.built + images.asked.found == 1
        return subprocess.check_output([image.elf_path], text=True)


@pytest.fixture
def bench(
    platformio: PlatformIO, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Bench:
    monkeypatch.setenv("CPATH", str(tmp_path / "cpath"))
    monkeypatch.setenv("EMBEDBENCH_TEST_SDK", str(tmp_path / "out"))
    monkeypatch.setenv("EMBEDBENCH_TEST_LIMIT", "0")
    (tmp_path / "out").mkdir()
    return Bench(platformio, tmp_path)


@pytest.mark.parametrize("name", INPUTS)
def test_a_change_of_what_a_build_reads_is_in_the_next_image(
    bench: Bench, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # C5
    which = INPUTS[name]
    bench.write("platformio.ini", f"{INI}{which.flags}\n")
    bench.write("src/main.c", which.main + PRINT)
    for path, text in which.files.items():
        bench.write(path, text)
    for number in ("11", "22", "22", "11"):
        if which.variable:
            monkeypatch.setenv(which.variable, number)
        else:
            bench.write(which.changes, which.text.format(number))
        assert bench.says() == number
    assert bench.builds == (4 if which.by_script else 2)


def test_a_header_that_would_now_be_found_first_is(bench: Bench) -> None:
    flags = "build_flags = -I OUT/one -I OUT/two"
    bench.write("platformio.ini", f"{INI}{flags}\n")
    bench.write("src/main.c", f'#include "config.h"\n{PRINT}')
    bench.write("OUT/two/config.h", "#define LIMIT 2\n")
    assert (bench.says(), bench.says()) == ("2", "2")
    bench.write("OUT/one/config.h", "#define LIMIT 1\n")
    assert bench.says() == "1"
    assert bench.builds == 2


def test_a_header_that_a_program_can_do_without_is_used_when_it_comes(
    bench: Bench,
) -> None:
    bench.write("platformio.ini", f"{INI}build_flags = -I OUT\n")
    fallback = "#ifndef LIMIT\n#define LIMIT 0\n#endif\n"
    bench.write("src/main.c", f"{ASKS}{fallback}{PRINT}")
    assert (bench.says(), bench.says()) == ("0", "0")
    bench.write("OUT/config.h", "#define LIMIT 1\n")
    assert bench.says() == "1"
    assert bench.builds == 2


def test_a_copy_elsewhere_is_no_older_than_the_project(bench: Bench) -> None:
    which = INPUTS["a header that a macro names"]
    bench.write("platformio.ini", f"{INI}{which.flags}\n")
    bench.write("src/main.c", which.main + PRINT)
    for number in ("1", "2"):
        bench.write("include/config.h", f"#define LIMIT {number}\n")
        assert bench.says() == number
    bench.project = Path(shutil.copytree(bench.project, bench.root / "copy"))
    assert bench.says() == "2"


def test_objects_that_platformio_caches_for_the_user_are_not_taken(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    # SCons finds them by what it has seen them read, which is not all.
    monkeypatch.setenv("PLATFORMIO_BUILD_CACHE_DIR", str(bench.root / "objects"))
    which = INPUTS["a header that a macro names"]
    bench.write("platformio.ini", f"{INI}{which.flags}\n")
    bench.write("src/main.c", which.main + PRINT)
    for number in ("1", "2"):
        bench.write("include/config.h", f"#define LIMIT {number}\n")
        assert bench.says() == number
    assert not (bench.root / "objects").exists()


def test_an_edit_compiles_what_it_has_to_and_no_more(
    bench: Bench, platformio: PlatformIO
) -> None:
    bench.write("platformio.ini", INI)
    bench.write("src/main.c", f'#include "config.h"\n{PRINT}')
    bench.write("src/other.c", "int other(void) { return 1; }\n")
    bench.write("include/config.h", "#define LIMIT 1\n")
    assert bench.says() == "1"
    assert platformio.cache_dir is not None
    built = platformio.cache_dir.glob("builds/*/workspace/build/native/src/*.o")
    objects = {path.name: path for path in built}
    assert objects.keys() == {"main.o", "other.o"}
    made = {name: path.stat().st_mtime_ns for name, path in objects.items()}
    bench.write("include/config.h", "#define LIMIT 2\n")
    assert bench.says() == "2"
    again = {name for name in made if objects[name].stat().st_mtime_ns != made[name]}
    assert again == {"main.o"}


def test_a_remembered_fingerprint_is_the_one_that_would_be_taken(
    bench: Bench, platformio: PlatformIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Files that were written just now are not trusted; here they are of an hour ago.
    later_ns = wall_now_ns() + 3600 * 1_000_000_000
    monkeypatch.setattr(builder, "wall_now_ns", lambda: later_ns)
    theirs = bench.root / "theirs.c"
    bench.write("platformio.ini", f"{INI}[platformio]\nextra_configs = more/*.ini\n")
    bench.write("src/main.c", PRINT)
    bench.write("suite/test_it.py", "")
    (bench.project / "lib" / "empty").mkdir(parents=True)
    theirs.write_text("int theirs;\n")
    source = FirmwareSource(
        project_dir=bench.project, environment="native", overlay={"src/x.c": theirs}
    )
    changes: list[Callable[[], object]] = [
        lambda: bench.write("src/main.c", PRINT.upper()),
        lambda: bench.write("lib/empty/new.h", ""),
        lambda: theirs.write_text("int others;\n"),
        lambda: bench.write("more/a.ini", "[env:native]\nbuild_flags = -DX\n"),
        lambda: bench.write("suite/data.c", ""),
        (bench.project / "suite" / "test_it.py").unlink,
        lambda: bench.write("top.c", ""),
        lambda: (bench.project / "top.c").rename(bench.project / "src" / "top.c"),
        lambda: monkeypatch.setenv("CPATH", str(bench.root)),
        lambda: bench.write("platformio.ini", f"{INI}build_flags = -DY\n"),
    ]
    seen = set[str]()
    for change in changes:
        monkeypatch.setattr(builder, "MEMO", memo := Memo[str]())
        seen.add(platformio.fingerprint(source))
        assert platformio.fingerprint(source) in seen
        assert memo.recalled == 1
        change()
        remembered = platformio.fingerprint(source)
        monkeypatch.setattr(builder, "MEMO", Memo())
        assert remembered == platformio.fingerprint(source)
    assert len(seen) == len(changes) - 1, "data beside a test is no part of a project"


# As stock platforms are: with user's own lists asked for, and compilers by any name.
PLATFORM = {
    "platform.json": """
{"name": "stocklike", "version": "1.0.0", "title": "", "packages": {}, "frameworks": {}}
""",
    "builder/main.py": """
from SCons.Script import AlwaysBuild, Default, DefaultEnvironment
env = DefaultEnvironment()
env.Tool("gcc")
env.Replace(CC=COMPILER, LINK=COMPILER)
env.Append(CCFLAGS=["-MMD", "-isystem", "OUT"])
program = env.BuildProgram()
AlwaysBuild(env.Alias("buildprog", program))
Default(program)
""",
}


@pytest.mark.parametrize(("compiler", "builds"), [("gcc", 2), ("OUT/mycc", 4)])
def test_a_platform_of_anybodys_is_served_no_less_right(
    bench: Bench, compiler: str, builds: int
) -> None:
    for path, text in PLATFORM.items():
        bench.write(f"OUT/platform/{path}", text.replace("COMPILER", repr(compiler)))
    bench.write("OUT/mycc", '#!/bin/sh\nexec gcc "$@"\n')
    (bench.root / "out" / "mycc").chmod(0o755)
    bench.write("platformio.ini", "[env:native]\nplatform = symlink://OUT/platform\n")
    bench.write("src/main.c", f"#define FILE <config.h>\n#include FILE\n{PRINT}")
    for number in ("1", "2", "2", "1"):
        bench.write("OUT/config.h", f"#define LIMIT {number}\n#undef FILE\n")
        assert bench.says() == number
    assert bench.builds == builds
