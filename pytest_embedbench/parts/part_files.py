"""Parts of other packages, by the files that they are in, beside those of our own.

Whoever checks a diagram and whoever runs it in another process load the same files, and
neither needs to know how they were found.
"""

from __future__ import annotations

import sys
from importlib.util import module_from_spec, spec_from_file_location
from typing import TYPE_CHECKING, NamedTuple

from pytest_embedbench.errors import ConfigError
from pytest_embedbench.parts import CATALOGUE
from pytest_embedbench.parts.models import MODELS
from pytest_embedbench.wiring.catalogue import PartCatalogue
from pytest_embedbench.wiring.part import Part
from pytest_embedbench.wiring.part_type import HANDLES

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pytest_embedbench.wiring.part_model import MakeModel


class PartFile(NamedTuple):
    """Where a ``Part`` is: a Python file, and its name in there; plain text, to send.

    Args:
        type_name: The type that it is registered as.
        path: The file.
        name: What the file calls it.
    """

    type_name: str
    path: str
    name: str


class AllParts(NamedTuple):
    """Every type that there is, and who makes models of them."""

    catalogue: PartCatalogue
    models: Mapping[str, MakeModel]


def all_parts(files: Iterable[PartFile] = ()) -> AllParts:
    """Return the parts of this package, and those in some files.

    Raises:
        ConfigError: a file cannot be loaded or has no such part, or its type is there
            already.
    """
    types, models = dict(CATALOGUE.types), dict(MODELS)
    for file in files:
        part = load_part(file)
        name = part.kind.name
        if name in types or name in CATALOGUE.boards_elsewhere:
            raise ConfigError(f"{file.path}: {name} is there already; rename this one")
        if hidden := sorted(HANDLES & part.kind.observables.keys()):
            told = f"tests have something else by the name of {', '.join(hidden)}"
            raise ConfigError(f"{file.path}: {name}: {told}; rename what is seen")
        types[name], models[name] = part.kind, part.make
    elsewhere = CATALOGUE.boards_elsewhere
    return AllParts(PartCatalogue(types=types, boards_elsewhere=elsewhere), models)


def load_part(file: PartFile) -> Part:
    """Return the part in a file; what the file imports comes from where we are.

    Raises:
        ConfigError: it cannot be loaded, or has no such part.
    """
    module_name = f"embedbench_part_{file.path}"
    spec = spec_from_file_location(module_name, file.path)
    if spec is None or spec.loader is None:
        raise ConfigError(f"{file.path}: no Python file, and {file.type_name} is in it")
    # Dataclasses look for the module that they are in.
    sys.modules[module_name] = module = module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as error:  # theirs may raise anything
        told = f"cannot be loaded by itself: {type(error).__name__}: {error}"
        raise ConfigError(f"{file.path}: {file.type_name}: {told}") from error
    finally:
        del sys.modules[module_name]
    part = getattr(module, file.name, None)
    if not isinstance(part, Part):
        raise ConfigError(f"{file.path}: {file.name} is no Part, but {part!r}")
    if part.kind.name != file.type_name:
        told = f"is registered as {file.type_name}; give both the same name"
        raise ConfigError(f"{file.path}: {part.kind.name} {told}")
    return part
