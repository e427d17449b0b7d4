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
from pytest_embedbench.builders.platformio.packages import local_platforms

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_embedbench.builders.platformio.ini import ProjectIni

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

    What one is told, else the one in ``PLATFORMIO_CORE_DIR``, else the private one if
    it was made and can serve this environment, else PlatformIO's own: with the stock
    platforms, as the user has them.

    An environment that says ``custom_embedbench_bare = yes`` can do without its
    framework, and does so unless the user has it.
    """
    from_variable = os.environ.get("PLATFORMIO_CORE_DIR")
    if configured or from_variable:
        return CoreDirectory(core_dir=configured or Path(str(from_variable)))
    private = private_core(cache_dir)
    if not is_set_up(private):
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
    return Path.home() / ".platformio"


def names_in(core_dir: Path) -> Iterator[str]:
    """Yield the names of the platforms and packages in a core directory."""
    yield from (link.stem for link in core_dir.glob("platforms/*.pio-link"))
    for about in core_dir.glob("p*/*/.piopm"):
        name: str = json.loads(about.read_bytes())["name"]
        yield name


def _lacks(private: Path, own: Path, ini: ProjectIni, environment: str) -> str | None:
    """Return the platform or framework that the private directory cannot offer."""
    wanted = ini.option(environment, "platform")
    if not wanted or "$" in wanted:
        return None
    stock = _STOCK.match(wanted)
    folder = local_platforms().get(stock[1]) if stock else None
    if folder is None:
        return wanted
    about = json.loads((folder / "platform.json").read_bytes())
    here = set(names_in(private))
    if ini.option(environment, _BARE) == "yes" and folder.name not in names_in(own):
        return None
    for framework in ini.option(environment, "framework").replace(",", " ").split():
        package: str = about.get("frameworks", {}).get(framework, {}).get("package", "")
        if package and package not in here:
            return package
    return None
