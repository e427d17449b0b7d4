"""Find the programs that flash: as told, on PATH, beside our own Python."""

from __future__ import annotations

import os
import shutil
import sys
from importlib.util import find_spec
from pathlib import Path

from pytest_embedbench.errors import ConfigError, ToolMissing

_SBIN = ("/usr/local/sbin", "/usr/sbin")


def find_program(
    *names: str,
    wanted: str = "",
    module: str = "",
    install: str,
    needed_by: str = "flashing",
) -> tuple[str, ...]:
    """Return the words that start a program.

    Args:
        names: What it may be called, best first.
        wanted: The name or path that the user asked for; nothing else will do then.
        module: What ``python -m`` knows it as.
        install: What to do where it is not here.
        needed_by: What cannot be done then.

    Raises:
        ConfigError: ``wanted`` is not a program.
        ToolMissing: it is not here.
    """
    if wanted:
        program = shutil.which(wanted)
        if program is None:
            raise ConfigError(f"{wanted!r} is not a program that can be run")
        return (program,)
    # Beside our own Python, and where systems keep what talks to hardware.
    elsewhere = os.pathsep.join((str(Path(sys.executable).parent), *_SBIN))
    for name in names:
        program = shutil.which(name) or shutil.which(name, path=elsewhere)
        if program is not None:
            return (program,)
    if module and find_spec(module) is not None:
        return (sys.executable, "-m", module)
    raise ToolMissing(needed_by, names[0], install)
