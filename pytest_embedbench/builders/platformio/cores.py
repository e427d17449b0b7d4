"""Which of PlatformIO's core directories a build uses."""

from __future__ import annotations

import hashlib
import json
import os
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_embedbench.builders.platformio.core_setup import is_set_up
from pytest_embedbench.builders.platformio.environments import board_manifest
from pytest_embedbench.builders.platformio.fingerprint import linked_platform
from pytest_embedbench.builders.platformio.packages import local_platforms
from pytest_embedbench.support.paths import home_dir

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from pytest_embedbench.builders.platformio.ini import ProjectIni

_CORE = "arduino"
"""The core for AVR that Arduino itself makes; others are packages of their own."""
_BARE = "custom_embedbench_bare"
_STOCK = re.compile(r"(?:platformio/)?([\w-]+)(?:\s*@.*)?$")


@dataclass(frozen=True, slots=True, kw_only=True)
class CoreDirectory:
    """A core directory, and what kept us from using the private one instead."""

    core_dir: Path
    private_lacks: str | None = None


def choose_core(
    configured: Path | None, cache_dir: Path, ini: ProjectIni, environment: str
) -> CoreDirectory:
    """Return the core directory for a build.

    What one is told, else PlatformIO's own (``PLATFORMIO_CORE_DIR``) if that is named
    and has the platform, else the private one if it was made and can serve this
    environment, else PlatformIO's own: with the stock platforms, as the user has them.

    An environment that says ``custom_embedbench_bare = yes`` can do without its
    framework, and does so unless the user has it.
    """
    if configured:
        return CoreDirectory(core_dir=configured)
    private = private_core(cache_dir)
    if not is_set_up(private) or _is_named_and_serves(ini, environment):
        return CoreDirectory(core_dir=own_core())
    lacks = _lacks(private, own_core(), ini, environment)
    if lacks is None:
        return CoreDirectory(core_dir=private)
    return CoreDirectory(core_dir=own_core(), private_lacks=lacks)


def private_core(cache_dir: Path) -> Path:
    """Return the core directory that ``embedbench setup`` makes for this Python.

    Another Python environment has other wheels, so it has another one.
    """
    digest = hashlib.sha256(sys.prefix.encode()).hexdigest()[:8]
    return cache_dir / f"platformio-core-{digest}"


def own_core() -> Path:
    """Return the core directory that PlatformIO uses by itself."""
    if named := os.environ.get("PLATFORMIO_CORE_DIR"):
        return Path(named)
    return home_dir() / ".platformio"


def goes_without_framework(core_dir: Path, ini: ProjectIni, environment: str) -> bool:
    """Say whether a platform of ours builds an environment without its framework."""
    stock = _STOCK.match(ini.option(environment, "platform"))
    folder = local_platforms().get(stock[1]) if stock else None
    if folder is None or ini.option(environment, _BARE) != "yes":
        return False
    link = core_dir / "platforms" / f"{folder.name}.pio-link"
    return link.is_file() and linked_platform(link) == folder


def _is_named_and_serves(ini: ProjectIni, environment: str) -> bool:
    """Say whether the user names a core directory that has the platform."""
    stock = _STOCK.match(ini.option(environment, "platform"))
    named = os.environ.get("PLATFORMIO_CORE_DIR")
    return bool(named) and stock is not None and stock[1] in names_in(own_core())


def names_in(core_dir: Path) -> Iterator[str]:
    """Yield the names of the platforms and packages in a core directory."""
    yield from (link.stem for link in core_dir.glob("platforms/*.pio-link"))
    for about in core_dir.glob("p*/*/.piopm"):
        name: str = json.loads(about.read_bytes())["name"]
        yield name


def _lacks(private: Path, own: Path, ini: ProjectIni, environment: str) -> str | None:
    """Return the platform, board or framework that the private one cannot offer."""
    wanted = ini.option(environment, "platform")
    if not wanted or "$" in wanted:
        return None
    stock = _STOCK.match(wanted)
    folder = local_platforms().get(stock[1]) if stock else None
    if folder is None:
        return wanted
    section = f"env:{environment}"
    board = ini.value(section, "board")
    manifest = board_manifest(board, ini.path.parent, (private,)) if board else {}
    if board and not manifest:
        return f"board {board}"
    if ini.option(environment, _BARE) == "yes" and folder.name not in names_in(own):
        return None
    frameworks = ini.value(section, "framework").replace(",", " ").split()
    core = str(manifest.get("build", {}).get("core", _CORE))
    return next(_lacking(folder, frameworks, core, set(names_in(private))), None)


def _lacking(
    platform: Path, frameworks: Iterable[str], core: str, here: Collection[str]
) -> Iterator[str]:
    """Yield what a platform of ours lacks of frameworks, for one Arduino core."""
    about = json.loads((platform / "platform.json").read_bytes())
    known: dict[str, dict[str, str]] = about.get("frameworks", {})
    for framework in frameworks if known else ():
        if framework not in known:
            yield f"framework {framework}"
            continue
        package = known[framework].get("package", "")
        if package and package not in here:
            yield package
        if platform.name == "atmelavr" and core != _CORE:
            yield f"{package}-{core.lower()}"
