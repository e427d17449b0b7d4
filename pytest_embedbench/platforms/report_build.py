"""SCons script that PlatformIO runs last: write down what is about to be built.

Not imported by us; PlatformIO runs it inside its own Python.
"""

import json
import os
import subprocess
import sys
from itertools import chain
from pathlib import Path

from SCons.Script import DefaultEnvironment

env = DefaultEnvironment()


def toolchains():
    """Return the folders of the platform's own compilers."""
    platform = env.PioPlatform()
    return [
        package.path
        for package in platform.get_installed_packages()
        if platform.get_package_type(package.metadata.name) == "toolchain"
    ]


def refuse_strangers(cc):
    """End the build if there is no compiler, or not the platform's own.

    PlatformIO calls compilers by bare name, so a package with a broken link in it
    is silently replaced by whatever PATH has.
    """
    name = env.subst("$CC")
    folders = toolchains()
    if os.sep in name or " " in name:
        return
    if not cc:
        sys.stderr.write(f"Error: compiler {name} is not installed\n")
    elif folders and "-" in name and not any(cc.startswith(f) for f in folders):
        sys.stderr.write(f"Error: compiler {name} is not in {folders[0]}, but {cc}\n")
    else:
        return
    env.Exit(1)


def psram_size(board):
    """Return how much external RAM a board has; manifests seldom say how much."""
    said = board.get("build.psram_size", "") or board.get("upload.psram_size", "")
    flags = f"{board.get('build.extra_flags', '')} {env.get('BUILD_FLAGS', '')}"
    defines = f"{flags} {env.get('CPPDEFINES', '')}"
    # Of a bigger chip, no more can be mapped on an ESP32.
    return said or ("4MB" if "BOARD_HAS_PSRAM" in defines else "")


def first_line(*argv):
    """Return the first line that a program prints, or nothing."""
    try:
        done = subprocess.run(argv, capture_output=True, text=True, check=False)
    except OSError:
        return ""
    return done.stdout.partition("\n")[0]


def searched_folders():
    """Return where PlatformIO looks for what sources include, to find libraries."""
    own = ("$PROJECT_INCLUDE_DIR", "$PROJECT_SRC_DIR", "$PROJECT_TEST_DIR")
    of_libraries = (lb.get_include_dirs() for lb in env.GetLibBuilders())
    found = [*own, *chain.from_iterable(of_libraries)]
    return list(dict.fromkeys(env.Dir(path).get_abspath() for path in found))


def size_check():
    """Return how PlatformIO sees whether a program fits, if it looks at all."""
    most_bytes = int(board.get("upload.maximum_size", 0) or 0)
    tool, command = env.get("SIZETOOL"), env.get("SIZECHECKCMD")
    pattern = env.get("SIZEPROGREGEXP")
    if not most_bytes or not (tool or command):
        return None
    if not command and not pattern:
        command, pattern = "$SIZETOOL -B -d $SOURCES", r"^(\d+)\s+(\d+)\s+\d+\s"
    if not command or not pattern:
        return None
    words = command if isinstance(command, list) else command.split()
    argv = [env.subst(w.replace("$SOURCES", "$PROGPATH")) for w in words if w]
    return {"argv": argv, "pattern": pattern, "most_bytes": most_bytes}


compiler = env.WhereIs("$CC") or ""
refuse_strangers(compiler)
board = env.BoardConfig() if "BOARD" in env else {}
facts = {
    "program": env.subst("$PROGPATH"),
    "platform": f"{env.PioPlatform().name} {env.PioPlatform().version}",
    "toolchain": first_line(compiler, "--version") if compiler else "",
    "cc": compiler,
    "mcu": env.subst("$BOARD_MCU"),
    "flash_size": board.get("upload.flash_size", ""),
    "psram_size": psram_size(board),
    "application_offset": env.subst("$ESP32_APP_OFFSET"),
    "flash_images": [
        [env.subst(offset), env.subst(path)]
        for offset, path in env.get("FLASH_EXTRA_IMAGES", [])
    ],
}
if "EMBEDBENCH_KEEPS_LINES" in os.environ:
    facts |= {"searched": searched_folders(), "size_check": size_check()}
Path(os.environ["EMBEDBENCH_REPORT"]).write_text(json.dumps(facts), encoding="utf-8")
