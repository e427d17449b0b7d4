"""Finding a QEMU, and telling what it is; nothing is ever downloaded."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_embedbench.errors import ConfigError, ToolMissing

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_ASK_LIMIT_S = 20
_ENVIRONMENT = ("ESPRESSIF_QEMU_PATH", "QEMU_BIN_PATH")
_NUMBERS = re.compile(r"\d+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Qemu:
    """A QEMU program, by its own account."""

    path: Path
    version: str
    machines: frozenset[str]


def find_qemu(
    program: str,
    machine: str,
    chosen: str = "",
    environ: Mapping[str, str] = os.environ,
) -> Qemu | None:
    """Return the first ``program`` that knows ``machine``.

    Looked for in this order: ``chosen`` (a program, or a folder with it), the folders
    or programs that ESPRESSIF_QEMU_PATH and QEMU_BIN_PATH name, PATH, and where
    ESP-IDF installs its tools, newest first.

    Raises:
        ConfigError: ``chosen`` is not such a program.
    """
    if chosen:
        path = _in_folder(Path(chosen).expanduser(), program)
        found = ask(path)
        if found is None or machine not in found.machines:
            why = cannot_start(path) if found is None else ""
            raise ConfigError(
                f"option qemu = {chosen!r}: no {program} that knows machine {machine}"
                f"{why and f'; it {why}'}"
            )
        return found
    here = all_qemus(program, environ)
    return next((found for found in here if machine in found.machines), None)


def all_qemus(program: str, environ: Mapping[str, str] = os.environ) -> Iterator[Qemu]:
    """Yield every ``program`` that is where ``find_qemu`` looks, in its order."""
    return filter(None, map(ask, _candidates(program, environ)))


def broken_qemus(program: str, environ: Mapping[str, str] = os.environ) -> str:
    """Return a remark on each ``program`` that is there and cannot start."""
    return "".join(
        f"; {path} {why}"
        for path in _candidates(program, environ)
        if ask(path) is None and (why := cannot_start(path))
    )


@cache
def cannot_start(path: Path) -> str:
    """Return, in its own words, why a program does not start; nothing if there is none.

    A library that is missing, mostly.
    """
    if not path.is_file():
        return ""
    try:
        done = subprocess.run(
            [str(path), "--version"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_ASK_LIMIT_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return f"says nothing within {_ASK_LIMIT_S} s"
    except OSError as error:
        return f"cannot be started: {error.strerror}"
    said = (done.stderr or done.stdout).decode(errors="replace").strip()
    last = said.splitlines()[-1] if said else "nothing"
    if done.returncode == 0:
        return f"is no QEMU: it says {last!r}"
    return f"cannot start (exit code {done.returncode}): {last}"


def posix_missing(engine: str) -> ToolMissing:
    """Return what to say where there are no pipes with names."""
    return ToolMissing(engine, "a POSIX system", "run it on Linux, macOS or WSL")


@cache
def ask(path: Path) -> Qemu | None:
    """Return what a program says of itself; ``None`` if it is no QEMU."""
    version = _said([str(path), "--version"])
    if "QEMU emulator" not in version:
        return None
    listed = _said([str(path), "-machine", "help"])
    names = (line.split(maxsplit=1)[0] for line in listed.splitlines()[1:] if line)
    return Qemu(
        path=path,
        version=version.partition("\n")[0].removeprefix("QEMU emulator version "),
        machines=frozenset(names),
    )


def _candidates(program: str, environ: Mapping[str, str]) -> Iterator[Path]:
    for variable in _ENVIRONMENT:
        for entry in environ.get(variable, "").split(os.pathsep):
            if entry:
                yield _in_folder(Path(entry), program)
    on_path = shutil.which(program, path=environ.get("PATH"))
    if on_path is not None:
        yield Path(on_path)
    tools = Path(environ.get("IDF_TOOLS_PATH") or Path.home() / ".espressif")
    name = program.replace("-system", "")
    yield from sorted(
        tools.glob(f"tools/{name}/*/qemu/bin/{program}"),
        key=lambda path: [int(text) for text in _NUMBERS.findall(str(path))],
        reverse=True,
    )


def _in_folder(path: Path, program: str) -> Path:
    return path / program if path.is_dir() else path


def _said(argv: list[str]) -> str:
    try:
        done = subprocess.run(
            argv,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_ASK_LIMIT_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.decode(errors="replace")
