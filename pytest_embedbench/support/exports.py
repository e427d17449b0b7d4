"""A front door: names that a package hands out, loaded when somebody takes them."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


def take(package: str, homes: Mapping[str, str], name: str) -> object:
    """Return what ``name`` stands for, one of the names that ``package`` hands out.

    Args:
        package: The package, by its full name.
        homes: Modules by their full names, each with the names that are from there,
            in one text; ``package`` itself has the modules in it that are public.
        name: What is asked for.
    """
    home = next(home for home, names in homes.items() if name in names.split())
    if home == package:
        return import_module(f"{package}.{name}")
    found: object = getattr(import_module(home), name)
    setattr(sys.modules[package], name, found)  # whoever asks next finds it there
    return found
