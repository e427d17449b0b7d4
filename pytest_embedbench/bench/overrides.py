"""Options of boards that a user sets from outside the datasheet."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pytest_embedbench.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pytest_embedbench.model import BoardSpec

_FORM = re.compile(r"([\w.@+-]+)\.(\w+)=(.*)", re.DOTALL)
_WORDS = {"true": True, "false": False}


@dataclass(frozen=True, slots=True)
class Override:
    """One option of a board, or of all the boards of an engine, by their name."""

    name: str
    key: str
    value: str | int | bool


def parse_override(text: str) -> Override:
    """Read ``NAME.KEY=VALUE``; a value may be a number, ``true``, ``false`` or text.

    Raises:
        ConfigError: it is nothing of the kind.
    """
    match = _FORM.fullmatch(text)
    if match is None:
        raise ConfigError(
            f"--embedbench-option: {text!r}: must be NAME.KEY=VALUE, with the name of "
            "a board or an engine"
        )
    name, key, value = match.groups()
    if value in _WORDS:
        return Override(name, key, _WORDS[value])
    try:
        return Override(name, key, int(value, 0))
    except ValueError:
        return Override(name, key, value)


def apply_overrides(spec: BoardSpec, overrides: Iterable[Override]) -> BoardSpec:
    """Return ``spec`` with the options that are meant for it or for its engine."""
    options = {
        override.key: override.value
        for override in overrides
        if override.name in (spec.name, spec.engine)
    }
    return replace(spec, options={**spec.options, **options}) if options else spec
