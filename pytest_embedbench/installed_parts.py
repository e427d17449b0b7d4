"""Which parts installed packages bring, by the entry point ``embedbench.parts``."""

from __future__ import annotations

import sys
from functools import cache
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_embedbench.errors import ConfigError
from pytest_embedbench.parts.part_files import PartFile, all_parts

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    from pytest_embedbench.wiring.catalogue import PartCatalogue

GROUP = "embedbench.parts"


def installed_parts() -> tuple[PartFile, ...]:
    """Return the files of all installed parts, in order of their types' names.

    Raises:
        ConfigError: two packages bring the same type, or there is no such file.
    """
    return _on_path(tuple(sys.path))


@cache  # looking at all that is installed takes a while
def _on_path(_path: tuple[str, ...]) -> tuple[PartFile, ...]:
    found = entry_points(group=GROUP)
    entries = sorted(found, key=lambda entry: (entry.name, entry.value))
    files = tuple(map(_file, entries))
    for index, entry in enumerate(entries[1:]):
        if entry.name == entries[index].name:
            told = f"{entries[index].value} and {entry.value}"
            raise ConfigError(f"{GROUP}: {entry.name} is there twice: {told}")
    return files


def installed_catalogue() -> PartCatalogue:
    """Return the types of this package and of all installed ones.

    Raises:
        ConfigError: a part that is installed cannot be loaded.
    """
    return all_parts(installed_parts()).catalogue


def _file(entry: EntryPoint) -> PartFile:
    try:
        spec = find_spec(entry.module)
    except Exception as error:  # their package may raise anything
        told = f"{entry.value} cannot be found: {type(error).__name__}: {error}"
        raise ConfigError(f"{GROUP}: {entry.name}: {told}") from error
    path = spec.origin if spec is not None else None
    if path is None or not Path(path).is_file() or not entry.attr:
        wanted = "it has to be MODULE:NAME of a Python file"
        raise ConfigError(f"{GROUP}: {entry.name} cannot be {entry.value!r}: {wanted}")
    return PartFile(entry.name, path, entry.attr)
