"""Libraries that lie in folders here, for ``lib_deps`` that a registry would serve.

PlatformIO takes what lies in its folder of installed libraries for installed, if a
small file there says what was asked for; so a project's ``lib_deps`` stay as they are.
"""

from __future__ import annotations

import json
import os
import re
from dataclasses import dataclass, field, replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from pytest_embedbench.builders.platformio.wanted_libraries import (
    WantedLibrary,
    parse_wanted,
    plain_key,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

MANIFESTS = ("library.json", "library.properties")
_VERSION_IN_NAME = re.compile(r"[-_@ ](v?\d[\w.]*|master|main)$")
_NUMBERS = re.compile(r"\d+")
_PROPERTY = re.compile(r"^(\w+)=(.*)$", re.MULTILINE)
_DEPENDS = re.compile(r"([^,(]+)(?:\(([^)]*)\))?")


@dataclass(frozen=True, slots=True)
class FoundLibrary:
    """A library in a folder, and what it says of itself."""

    folder: Path
    name: str
    version: str
    """Empty if it says none."""
    dependencies: tuple[WantedLibrary, ...] = ()
    damage: str = ""
    """Why nobody can tell what it says of itself; empty if one can."""


@dataclass(frozen=True, slots=True)
class Libraries:
    """What a project's ``lib_deps`` come to, each with the library for it."""

    chosen: Mapping[WantedLibrary, FoundLibrary] = field(
        default_factory=dict["WantedLibrary", "FoundLibrary"]
    )
    unresolved: Mapping[WantedLibrary, str] = field(
        default_factory=dict["WantedLibrary", "str"]
    )
    """Those of the project for which there is none, as a message has them."""
    absent: Mapping[WantedLibrary, str] = field(
        default_factory=dict["WantedLibrary", "str"]
    )
    """The same of what libraries want: a project may do without."""

    def folders(self) -> list[Path]:
        """Return where those libraries are."""
        return [library.folder for library in self.chosen.values()]


def find_libraries(folders: Iterable[Path]) -> list[FoundLibrary]:
    """Return the libraries in folders of libraries, by name; those that come first."""
    found: list[FoundLibrary] = []
    for folder in folders:
        if not folder.is_dir():
            continue
        entries = (folder, *sorted(folder.iterdir()))
        found += [
            _read(entry)
            for entry in entries
            if entry.is_dir() and (entry != folder or _has_manifest(entry))
        ]
    return found


def resolve(
    wanted: Iterable[WantedLibrary],
    libraries: Sequence[FoundLibrary],
    *,
    platform: str = "",
    there_already: Iterable[str] = (),
    of_frameworks: Iterable[str] = (),
) -> Libraries:
    """Choose a library for each that is wanted, and for what those want in turn.

    Args:
        wanted: What the project asks for.
        libraries: What there is.
        platform: What it is built for: dependencies for others are left out.
        there_already: Names of libraries that the project may use as they are.
        of_frameworks: Those of them that other libraries may, too.
    """
    built_in = {plain_key(name) for name in of_frameworks}
    there = built_in | {plain_key(name) for name in there_already}
    chosen: dict[WantedLibrary, FoundLibrary] = {}
    unresolved: dict[WantedLibrary, str] = {}
    waiting = list(wanted)
    while waiting:
        one = waiting.pop(0)
        for_others = one.platforms and platform not in one.platforms.split()
        if one in chosen or one.is_local or for_others:
            continue
        known = built_in if one.wanted_by else there
        if not one.owner and not one.uri and known & one.keys():
            continue
        fitting = [library for library in libraries if one.keys() & _keys(library)]
        best = [
            library for library in fitting if is_version(library.version, one.version)
        ]
        if not best:
            by = f" (for {one.wanted_by})" if one.wanted_by else ""
            has = ", ".join(sorted({library.version for library in fitting}))
            unresolved[one] = f"{one.text}{by}{f' (there is {has})' if has else ''}"
            continue
        newest = max(best, key=lambda library: _numbers(library.version))
        if newest.damage:
            unresolved[one] = f"{one.text} ({newest.damage})"
            continue
        chosen[one] = newest
        waiting += chosen[one].dependencies
    return Libraries(
        chosen,
        {one: text for one, text in unresolved.items() if not one.wanted_by},
        {one: text for one, text in unresolved.items() if one.wanted_by},
    )


def installed_note(wanted: WantedLibrary, library: FoundLibrary) -> str:
    """Return what PlatformIO writes of a library that it has installed."""
    spec = {
        "owner": wanted.owner or None,
        "id": int(wanted.number) if wanted.number else None,
        "name": wanted.name or library.name,
        "requirements": None,
        "uri": wanted.uri or None,
    }
    name = wanted.name if wanted.name and not wanted.uri else library.name
    # One that says no version is whatever is asked for.
    version = _plain_version(library.version or wanted.version)
    about = {"type": "library", "name": name, "version": version, "spec": spec}
    return json.dumps(about)


def _read(folder: Path) -> FoundLibrary:
    name, dependencies = _VERSION_IN_NAME.sub("", folder.name), []
    named = _VERSION_IN_NAME.search(folder.name)
    version = named[1] if named and _NUMBERS.search(named[1]) else ""
    described = folder / "library.json"
    if described.is_file():
        try:
            about = json.loads(described.read_text(errors="replace"))
            name = str(about.get("name") or name)
            version = str(about.get("version") or version)
            dependencies = list(_from_json(about.get("dependencies"), name))
        except (ValueError, AttributeError, TypeError) as error:
            damage = f"{described}: is no library.json: {error}"
            return FoundLibrary(folder, name, version, damage=damage)
    elif (folder / "library.properties").is_file():
        text = (folder / "library.properties").read_text(errors="replace")
        about = {key: value.strip() for key, value in _PROPERTY.findall(text)}
        name = about.get("name") or name
        version = about.get("version") or version
        dependencies = [
            parse_wanted(f"{word.strip()}@{needs}" if needs else word.strip(), name)
            for word, needs in _DEPENDS.findall(about.get("depends", ""))
            if word.strip()
        ]
    return FoundLibrary(folder, name, version, tuple(dependencies))


def _from_json(entries: Any, by: str) -> Iterator[WantedLibrary]:  # noqa: ANN401
    """Yield the dependencies of a ``library.json``, in either way of writing them."""
    if isinstance(entries, dict):
        versions = cast("dict[str, Any]", entries)
        for name, version in versions.items():
            yield parse_wanted(f"{name}@{version}", by)
        return
    if isinstance(entries, str):
        raise TypeError("dependencies is text, neither a list nor a table")
    for entry in cast("list[Any]", entries or []):
        if not (isinstance(entry, str) or _is_table(entry)):
            raise TypeError(f"dependencies has {entry!r}, neither text nor a table")
        about = cast("dict[str, Any]", entry if _is_table(entry) else {"name": entry})
        owner, version = about.get("owner"), about.get("version")
        name = f"{owner}/{about.get('name')}" if owner else str(about.get("name"))
        one = parse_wanted(f"{name}@{version}" if version else name, by)
        named: Any = about.get("platforms") or ""
        words = named if isinstance(named, str) else " ".join(map(str, named))
        words = "" if "*" in words else words.replace(",", " ")
        yield replace(one, platforms=words)


def _is_table(value: object) -> bool:
    return isinstance(value, dict)


def _has_manifest(folder: Path) -> bool:
    return any((folder / name).is_file() for name in MANIFESTS)


def _keys(library: FoundLibrary) -> set[str]:
    plain = _VERSION_IN_NAME.sub("", library.folder.name)
    return {plain_key(library.name), plain_key(plain), plain_key(library.folder.name)}


def is_version(version: str, wanted: str) -> bool:
    """Say whether a version is one that is asked for, as PlatformIO judges.

    No version is any, and so is one that cannot be read.
    """
    if not (wanted and _NUMBERS.search(wanted) and version):
        return True
    versions = import_module("semantic_version")  # PlatformIO's own, without types
    try:
        plain = versions.Version(_plain_version(version))
        return bool(versions.SimpleSpec(wanted).match(plain))
    except ValueError:
        return True


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(number) for number in _NUMBERS.findall(version)[:3])


def _plain_version(version: str) -> str:
    """Return a version as three numbers, whatever a library calls it."""
    return ".".join(map(str, (*_numbers(version), 0, 0, 0)[:3]))


def tree_of(folder: Path) -> dict[str, Path]:
    """Return the files of a library, by path in it; hidden folders are left out."""
    found: dict[str, Path] = {}
    for here, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        for name in names:
            file = Path(here, name)
            if file.is_file() and name != ".piopm":
                found[file.relative_to(folder).as_posix()] = file
    return found
