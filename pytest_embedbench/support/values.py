"""Hold values that a caller gives against the fields of a dataclass."""

from __future__ import annotations

from dataclasses import Field, fields, is_dataclass
from typing import TYPE_CHECKING, Any

from pytest_embedbench.errors import ConfigError
from pytest_embedbench.support.options import OptionField

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_PLAIN: Mapping[str, type] = {"int": int, "bool": bool, "float": float, "str": str}
_NONE = "None"


def check_fields(kind: object, values: Mapping[str, object], where: str) -> None:
    """Insist that each value is what its field says: type, and range if it has one.

    A field's metadata may have a ``range``, lowest and highest. What is no dataclass,
    or has other types than numbers, text and truth values, judges its values itself.

    Raises:
        ConfigError: naming ``where``, the field, what it may be, and the value.
    """
    if not is_dataclass(kind):
        return
    declared = {entry.name: entry for entry in fields(kind)}
    for name, value in values.items():
        if name in declared:
            _check(declared[name], value, where)


def _check(entry: Field[Any], value: object, where: str) -> None:
    words = _words(entry.type)
    kinds = [_PLAIN[word] for word in words if word != _NONE]
    if not kinds or (value is None and _NONE in words):
        return
    lowest, highest = entry.metadata.get("range", (None, None))
    allowed = [OptionField(kind=kind, lowest=lowest, highest=highest) for kind in kinds]
    if any(each.allows(value) for each in allowed):
        return
    what = " or ".join(each.allowed() for each in allowed)
    raise ConfigError(f"{where}: {entry.name} must be {what}, is {value!r}")


def _words(hint: object) -> Sequence[str]:
    """Return the words of an annotation like ``int | None``; none of any other."""
    text = hint.__name__ if isinstance(hint, type) else str(hint)
    words = [word.strip() for word in text.split("|")]
    return words if all(word in _PLAIN or word == _NONE for word in words) else ()
