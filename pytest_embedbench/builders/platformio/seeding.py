"""Put libraries from folders here where PlatformIO keeps those that it installs."""

from __future__ import annotations

import json
import re
import shutil
from typing import TYPE_CHECKING, Any

from pytest_embedbench.builders.platformio.libraries import (
    MANIFESTS,
    installed_note,
    tree_of,
)
from pytest_embedbench.builders.platformio.staging import sync
from pytest_embedbench.builders.platformio.surroundings import plain_name
from pytest_embedbench.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from pytest_embedbench.builders.platformio.libraries import (
        FoundLibrary,
        Libraries,
    )
    from pytest_embedbench.builders.platformio.wanted_libraries import WantedLibrary

_OURS, _NOTE = ".embedbench-library", ".piopm"
_DEPENDS = re.compile(r"^depends=.*$", re.MULTILINE)
WAYS = (
    "--embedbench-libraries=DIR or `embedbench setup --libraries DIR` (a folder of "
    "libraries), file://PATH or symlink://PATH in lib_deps, or the project's lib/"
)


def seed_libraries(libraries: Libraries, where: Path) -> None:
    """Make the folder of an environment hold those, and none that we put in before."""
    wanted: dict[str, WantedLibrary] = {}
    for one, library in libraries.chosen.items():
        wanted.setdefault(plain_name(library.name), one)
    for entry in where.glob(f"*/{_OURS}"):
        if entry.parent.name not in wanted:
            shutil.rmtree(entry.parent)
    for name, one in wanted.items():
        library = libraries.chosen[one]
        sync(tree_of(library.folder), where / name)
        _leave_out(where / name, library, libraries.absent)
        note = installed_note(one, library)
        (where / name / _NOTE).write_text(note)
        if not any((where / name / manifest).is_file() for manifest in MANIFESTS):
            # PlatformIO writes one, too, for what it has fetched without.
            about = json.loads(note)
            plain = {"name": about["name"], "version": about["version"]}
            (where / name / MANIFESTS[0]).write_text(json.dumps(plain))
        (where / name / _OURS).touch()


def _leave_out(
    copy: Path, library: FoundLibrary, absent: Iterable[WantedLibrary]
) -> None:
    """Have a copy of a library not ask for what is not here: PlatformIO would wait."""
    names = {one.name for one in absent if one.wanted_by == library.name}
    if not names:
        return
    described = copy / "library.json"
    if described.is_file():
        about: dict[str, Any] = json.loads(described.read_text(errors="replace"))
        about["dependencies"] = [
            {"owner": one.owner, "name": one.name, "version": one.version or "*"}
            for one in library.dependencies
            if one.name not in names
        ]
        described.write_text(json.dumps(about))
        return
    kept = ",".join(one.text for one in library.dependencies if one.name not in names)
    manifest = copy / "library.properties"
    text = manifest.read_text(errors="replace")
    manifest.write_text(_DEPENDS.sub(f"depends={kept}", text))


def check_resolved(libraries: Libraries, where: Path) -> None:
    """Insist that all libraries are here, or that PlatformIO has them already.

    Raises:
        ConfigError: some are not; the message says how they could come here.
    """
    known = list(_installed(where))
    unresolved = [
        text
        for one, text in libraries.unresolved.items()
        if not any(_is(note, one) for note in known)
    ]
    if unresolved:
        raise ConfigError(
            f"lib_deps: not here: {', '.join(unresolved)}; PlatformIO's registry is "
            f"out of reach. Other ways: {WAYS}"
        )


def _installed(where: Path) -> Iterable[dict[str, Any]]:
    for note in where.glob(f"*/{_NOTE}"):
        about: dict[str, Any] = json.loads(note.read_bytes())
        yield about


def _is(note: dict[str, Any], one: WantedLibrary) -> bool:
    spec: dict[str, Any] = note.get("spec") or {}
    if one.uri:
        return bool(spec.get("uri") == one.uri)
    if one.number:
        return str(spec.get("id")) == one.number
    return str(note.get("name", "")).lower() == one.name.lower()
