"""What is known already, as long as nothing that it came from has moved.

A run asks for the same source's image before each of its tests. Looking whether files
and folders have changed costs a tenth of reading and listing them.
"""

from __future__ import annotations

import os
import shutil
from itertools import chain, product
from typing import TYPE_CHECKING

from pytest_embedbench.builders.platformio.fingerprint import (
    HOST_COMPILERS,
    entries,
    linked_platform,
)
from pytest_embedbench.builders.platformio.libraries import MANIFESTS
from pytest_embedbench.digests import Memo

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from pytest_embedbench.builders.platformio.project import Project

_ABOUT = ("", *MANIFESTS)
"""What tells that a library has become another one."""
MEMO = Memo[str]()
"""Fingerprints that this process knows."""


def witnesses(project: Project, cores: Iterable[Path], pio: str) -> set[str]:
    """Return every file and folder that a project's fingerprint comes from.

    Folders are those whose lists matter, so that what comes or goes is noticed, and
    where there is nothing yet, the folder in which it would be.
    """
    ini, root = project.ini, project.source.project_dir
    configs = [ini.path, *ini.extra_configs]
    configs += [root / named for named in ini.absent_configs]
    found = {root, *configs, *(path.parent for path in configs)}
    found |= {*project.files.values(), *project.folders}
    found |= {entry for entry in root.iterdir() if entry.is_dir()}
    found |= {*project.source.overlay.values()}
    for folder in project.library_dirs:
        found.add(folder)
        found |= {entry / name for entry in entries(folder) for name in _ABOUT}
    search = os.environ.get("PATH", "").split(os.pathsep)
    programs = (os.path.basename(pio), *HOST_COMPILERS)  # noqa: PTH119  # as it is named
    return {
        *map(str, found),
        *chain.from_iterable(_below(str(path)) for path in project.outside),
        *chain.from_iterable(_of_core(core) for core in cores),
        *(f"{folder}/{name}" for folder, name in product(search, programs)),
        *filter(None, map(shutil.which, (pio, *HOST_COMPILERS))),
    }


def _of_core(core: Path) -> Iterator[str]:
    yield str(core)
    for kind in ("platforms", "packages"):
        yield f"{core}/{kind}"
        for entry in entries(core / kind):
            yield from (str(entry), f"{entry}/.piopm", f"{entry}/bin")
            yield from map(str, entry.glob("bin/*-gcc"))
            if (linked := linked_platform(entry)) is not None:
                yield from _below(str(linked))


def _below(path: str) -> Iterator[str]:
    yield path
    for folder, _, names in os.walk(path):
        yield folder
        yield from (f"{folder}/{name}" for name in names)
