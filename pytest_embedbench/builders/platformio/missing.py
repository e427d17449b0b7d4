"""What a build wants that is not here, and the one command that brings it."""

from __future__ import annotations

import difflib
import json
import re
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_embedbench.builders.platformio.cores import names_in
from pytest_embedbench.builders.platformio.libraries import is_version
from pytest_embedbench.builders.platformio.packages import (
    LOCAL_PACKAGES,
    local_platforms,
)
from pytest_embedbench.contracts import Buildable
from pytest_embedbench.errors import ToolMissing
from pytest_embedbench.support.compilers import HOST_COMPILER

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pytest_embedbench.builders.platformio.packages import LocalPackage

_NAME = re.compile(r"(?:[\w.-]+/)?([\w.+-]+)")
_DOWNLOAD = "build once where PlatformIO can reach its registry"
_FRAMEWORKS = {
    "arduino": "Arduino",
    "espidf": "ESP-IDF",
    "stm32cube": "STM32Cube",
    "zephyr": "Zephyr",
}
_SUPPORT = "support for "
_SET_UP = f"run `embedbench setup`, or {_DOWNLOAD}"


def package_missing(
    wanted: str, local_packages: Sequence[LocalPackage] = LOCAL_PACKAGES
) -> ToolMissing:
    """Return the error for a package that PlatformIO wants and must not download."""
    if wanted.startswith(("board ", "framework ", _SUPPORT)):
        return not_offline(wanted)
    match = _NAME.match(wanted)
    name = match[1] if match else wanted
    _, _, requirement = wanted.partition("@")
    if name in local_platforms() and not is_version(
        _version(name), requirement.strip()
    ):
        words = f"the package {wanted!r} (the offline platform is {_version(name)})"
        return ToolMissing("platformio", words, _DOWNLOAD)
    install = _install(name, local_packages)
    return ToolMissing("platformio", f"the package {wanted!r}", install)


def not_offline(what: str) -> ToolMissing:
    """Return the error for what the stock platforms may have, and ours have not."""
    kind, _, name = what.rpartition(" ")
    words = f"{kind} {name!r}, which is not in the offline platform"
    hint = _DOWNLOAD
    if kind == "board":
        ids = (path.stem for path in local_boards())
        if near := difflib.get_close_matches(name, ids, n=1):
            words += f" (do you mean {near[0]!r}?)"
        hint += f", or put boards/{name}.json into the project"
    return ToolMissing("platformio", words, hint)


def compiler_missing(name: str, where: str) -> ToolMissing:
    """Return the error for a compiler that is not where it has to be."""
    if name in {"gcc", "g++", "cc"}:
        return ToolMissing("platformio", f"the compiler {name}", HOST_COMPILER)
    return ToolMissing("platformio", f"{name} (it is not {where})", _SET_UP)


def missing_for(environments: Iterable[str], core_dir: Path) -> list[ToolMissing]:
    """Return what the first of the environments that we know of needs and lacks."""
    platform = next(filter(None, map(_platform_of, environments)), None)
    if platform is None:
        return []
    packages = _packages(platform)
    installed = set(names_in(core_dir))
    wanted = (platform, "tool-scons", *packages)
    by_command: dict[str, list[str]] = {}
    for name in wanted:
        if name not in installed:
            by_command.setdefault(_install(name, LOCAL_PACKAGES), []).append(repr(name))
    missing = [
        ToolMissing("platformio", f"the packages {', '.join(names)}", command)
        for command, names in by_command.items()
    ]
    if platform == "native" and shutil.which("gcc") is None:
        missing.append(compiler_missing("gcc", "installed"))
    return missing


def local_boards() -> list[Path]:
    """Return what our own platforms say of boards, a file each."""
    platforms = local_platforms().values()
    return sorted(file for path in platforms for file in path.glob("boards/*.json"))


def buildable(
    environments: Iterable[str], core_dirs: Sequence[Path]
) -> list[Buildable]:
    """Return the kinds of firmware for a board, each with what keeps it from building.

    Args:
        environments: Names that a board's file lists.
        core_dirs: Where a build may find packages: one that has all will do.
    """
    names = tuple(environments)
    known = next(filter(None, map(_platform_of, names)), None)
    if known is None:
        return []
    wanted: dict[str, tuple[str, ...]] = {"programs": ()}
    if known != "native":
        wanted = {"bare metal": _compilers(known, names), **_frameworks(known)}
    return [
        Buildable(name, _lacking(known, packages, core_dirs))
        for name, packages in wanted.items()
    ]


def _compilers(platform: str, environments: Iterable[str]) -> tuple[str, ...]:
    """Return what bare metal takes on a board of a platform, by the board's chip."""
    path = local_platforms()[platform]
    about = json.loads((path / "platform.json").read_bytes())
    by_mcu: dict[str, str] = about.get("toolchains", {})
    files = (path / "boards" / f"{name}.json" for name in environments)
    board = next(filter(Path.is_file, files), None)
    if not by_mcu or board is None:
        return ()
    mcu: str = json.loads(board.read_bytes())["build"]["mcu"]
    return (by_mcu.get(mcu, f"{_SUPPORT}{mcu}"),)


def _frameworks(platform: str) -> dict[str, tuple[str, ...]]:
    about = json.loads((local_platforms()[platform] / "platform.json").read_bytes())
    known: dict[str, dict[str, str]] = about.get("frameworks", {})
    return {
        words: (known[name]["package"],)
        for name, words in _FRAMEWORKS.items()
        if name in known
    }


def _lacking(
    platform: str, packages: Iterable[str], core_dirs: Sequence[Path]
) -> ToolMissing | None:
    """Say what is missing, by the first place that could be completed."""
    found: list[ToolMissing] = []
    for core_dir in core_dirs:
        here = set(names_in(core_dir))
        names = (platform, "tool-scons", *_packages(platform), *packages)
        absent = [name for name in names if name not in here]
        if not absent:
            return None
        found.append(package_missing(absent[-1]))
    return found[0]


def _version(platform: str) -> str:
    """Return the version that one of our own platforms has."""
    about = json.loads((local_platforms()[platform] / "platform.json").read_bytes())
    return str(about["version"])


def _platform_of(environment: str) -> str | None:
    """Return the platform of a board, or the one of that name."""
    for name, path in local_platforms().items():
        if name == environment or (path / "boards" / f"{environment}.json").is_file():
            return name
    return None


def _packages(platform: str) -> list[str]:
    """Return the packages that every build for a platform needs."""
    about = json.loads((local_platforms()[platform] / "platform.json").read_bytes())
    packages: dict[str, dict[str, object]] = about["packages"]
    return [name for name, entry in packages.items() if not entry.get("optional")]


def _install(name: str, local_packages: Sequence[LocalPackage]) -> str:
    if name == "tool-scons" or name in local_platforms():
        return _SET_UP
    for local_package in local_packages:
        if local_package.name == name and local_package.find():
            return _SET_UP
        if local_package.name == name:
            return f"run `{local_package.install}`, then `embedbench setup`"
    return _DOWNLOAD
