"""A front door: names that a package hands out, loaded when somebody takes them."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


def take(package: str, homes: Mapping[str, str], name: str) -> object:
    """Return what ``name`` stands for: the ``__getattr__`` of ``package``.

    Args:
        package: The package that hands it out, by its full name.
        homes: Modules by their full names, each with the names that are from there,
            in one text; ``package`` itself has the modules in it that are public.
        name: What is asked for.

    Raises:
        AttributeError: nothing of that name is handed out.
    """
    door = sys.modules[package]
    home = next((home for home in homes if name in homes[home].split()), None)
    if home is None:
        message = f"module {package!r} has no attribute {name!r}"
        raise AttributeError(message, name=name, obj=door)
    if home == package:
        return import_module(f"{package}.{name}")
    found: object = getattr(import_module(home), name)
    setattr(door, name, found)  # whoever asks next finds it without us
    return found
