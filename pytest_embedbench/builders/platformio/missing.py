"""What a build wants that is not here, and the one command that brings it."""

from __future__ import annotations

import json
import re
import shutil
from typing import TYPE_CHECKING

from pytest_embedbench.builders.platformio.cores import names_in
from pytest_embedbench.builders.platformio.packages import (
    LOCAL_PACKAGES,
    local_platforms,
)
from pytest_embedbench.errors import ToolMissing
from pytest_embedbench.support.compilers import HOST_COMPILER

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from pytest_embedbench.builders.platformio.packages import LocalPackage

_NAME = re.compile(r"(?:[\w.-]+/)?([\w.+-]+)")
_DOWNLOAD = "build once where PlatformIO can reach its registry"
_SET_UP = f"run `embedbench setup`, or {_DOWNLOAD}"


def package_missing(
    wanted: str, local_packages: Sequence[LocalPackage] = LOCAL_PACKAGES
) -> ToolMissing:
    """Return the error for a package that PlatformIO wants and must not download."""
    match = _NAME.match(wanted)
    name = match[1] if match else wanted
    install = _install(name, local_packages)
    return ToolMissing("platformio", f"the package {wanted!r}", install)


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
