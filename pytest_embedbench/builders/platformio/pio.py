"""Find the ``pio`` command and ask it about itself; never import it."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from pytest_embedbench.errors import BenchFault, ConfigError, ToolMissing
from pytest_embedbench.processes.pio_environment import quiet_environment

_ANSWER_WITHIN_S = 60
_ASK_FOR_SCONS = (
    "from platformio.dependencies import get_core_dependencies as wanted;"
    "print(wanted()['tool-scons'].lstrip('~^='))"
)


@dataclass(frozen=True, slots=True)
class Pio:
    """A ``pio`` command that is here: the words that start it."""

    argv: tuple[str, ...]

    def version(self) -> str:
        """Return PlatformIO's version, as ``6.2.0``."""
        return _ask(*self.argv, "--version").rpartition(" ")[2]

    def scons_version(self) -> str:
        """Return the version of ``tool-scons`` that this PlatformIO asks for."""
        info = json.loads(_ask(*self.argv, "system", "info", "--json-output"))
        return _ask(info["python_exe"]["value"], "-c", _ASK_FOR_SCONS)


def find_pio(wanted: str | Path | None = None) -> Pio:
    """Return the ``pio`` to use: as wanted, on PATH, or beside our own Python.

    Raises:
        ConfigError: ``wanted`` is not a program.
        ToolMissing: there is no PlatformIO here.
    """
    if wanted:
        program = shutil.which(wanted)
        if program is None:
            raise ConfigError(
                f"no pio at {str(wanted)!r}: not a program that can be run"
            )
        return Pio((os.path.abspath(program),))  # noqa: PTH100  # links stay links
    beside = Path(sys.executable).parent
    program = shutil.which("pio") or shutil.which("pio", path=str(beside))
    if program is not None:
        return Pio((program,))
    if find_spec("platformio") is not None:
        return Pio((sys.executable, "-m", "platformio"))
    raise ToolMissing("platformio", "the pio command", "pip install platformio")


def pio_version(pio: Pio, cache_dir: Path) -> str:
    """Return the version of ``pio``; asked once per change of its program file."""
    program = Path(pio.argv[0]).resolve()
    stat = program.stat()
    return _version(pio, (str(program), stat.st_size, stat.st_mtime_ns), cache_dir)


@cache
def _version(pio: Pio, program: tuple[str, int, int], cache_dir: Path) -> str:
    known = [*pio.argv, *program]
    digest = hashlib.sha256(json.dumps(known).encode()).hexdigest()[:8]
    memo = cache_dir / f"pio-version-{digest}.json"
    try:
        remembered = json.loads(memo.read_text(encoding="utf-8"))
        if remembered["of"] == known:
            return str(remembered["version"])
    except (OSError, ValueError, KeyError, TypeError):
        pass
    version = pio.version()
    cache_dir.mkdir(parents=True, exist_ok=True)
    draft = memo.with_name(f"{memo.name}.{os.getpid()}")
    draft.write_text(json.dumps({"of": known, "version": version}), encoding="utf-8")
    draft.replace(memo)
    return version


def _ask(*argv: str) -> str:
    try:
        done = subprocess.run(
            argv,
            env=quiet_environment(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=_ANSWER_WITHIN_S,
            check=True,
        )
    except (OSError, subprocess.SubprocessError) as error:
        said = getattr(error, "stderr", "") or ""
        raise BenchFault(f"PlatformIO does not answer: {error}\n{said}") from error
    return done.stdout.strip()
