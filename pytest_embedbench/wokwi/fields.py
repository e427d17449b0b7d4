"""Reading what a frame holds, key by key: what is wrong is named by place and key."""

from __future__ import annotations

import base64
import binascii
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeGuard

from pytest_embedbench.errors import BadFrame

if TYPE_CHECKING:
    from collections.abc import Mapping

_SHOWN_LENGTH = 80
_MOST_BYTE = 0xFF


def shown(value: object) -> str:
    """Return how a message quotes what came: not all of what is long."""
    text = repr(value)
    return text if len(text) <= _SHOWN_LENGTH else f"{text[: _SHOWN_LENGTH - 3]}..."


@dataclass(frozen=True, slots=True)
class Fields:
    """A JSON object with the words that messages call it by.

    ``key in fields`` is true of what is there and not null. All methods raise
    ``BadFrame`` for what is missing or of another kind, unless a default is given
    and the key is missing or null.
    """

    where: str
    values: Mapping[str, Any]

    def __contains__(self, key: str) -> bool:
        return self.values.get(key) is not None

    def text(self, key: str, default: str | None = None) -> str:
        """Return a text."""
        if key not in self and default is not None:
            return default
        value = self.values.get(key)
        if isinstance(value, str):
            return value
        raise self.wrong(key, "text")

    def flag(self, key: str, *, default: bool | None = None) -> bool:
        """Return true or false."""
        if key not in self and default is not None:
            return default
        value = self.values.get(key)
        if isinstance(value, bool):
            return value
        raise self.wrong(key, "true or false")

    def number(self, key: str, default: float | None = None) -> float:
        """Return a number."""
        if key not in self and default is not None:
            return default
        value = self.values.get(key)
        if isinstance(value, int | float) and not isinstance(value, bool):
            return value
        raise self.wrong(key, "a number")

    def whole(self, key: str, default: int | None = None) -> int:
        """Return a whole number, 0 or more; JSON may have it as ``2.0``."""
        if key not in self and default is not None:
            return default
        value = self.number(key)
        if value >= 0 and value == value // 1:
            return int(value)
        raise self.wrong(key, "a whole number, 0 or more")

    def table(self, key: str) -> Fields:
        """Return an object; an empty one if there is none."""
        if key not in self:
            return Fields(f"{self.where}.{key}", {})
        return fields_of(f"{self.where}.{key}", self.values[key])

    def items(self, key: str) -> list[Any]:
        """Return a list; an empty one if there is none."""
        if key not in self:
            return []
        value: object = self.values[key]
        if _is_list(value):
            return value
        raise self.wrong(key, "a list")

    def octets(self, key: str) -> bytes:
        """Return the bytes of a list of numbers, 0 to 255."""
        found = self.items(key)
        if key in self and all(
            type(it) is int and 0 <= it <= _MOST_BYTE for it in found
        ):
            return bytes(found)
        raise self.wrong(key, "a list of bytes")

    def base64(self, key: str) -> bytes:
        """Return the bytes of a text in base64."""
        try:
            return base64.b64decode(self.text(key), validate=True)
        except (binascii.Error, ValueError) as error:
            raise self.wrong(key, "base64") from error

    def wrong(self, key: str, wanted: str) -> BadFrame:
        """Return the error of a key whose value is something else."""
        value = self.values.get(key)
        what = "is missing" if value is None else f"is {shown(value)}"
        return BadFrame(f"{self.where}: {key} {what}, and must be {wanted}")


def fields_of(where: str, value: object) -> Fields:
    """Return a JSON object as fields.

    Raises:
        BadFrame: it is none.
    """
    if _is_table(value):
        return Fields(where, value)
    raise BadFrame(f"{where}: must be a JSON object, is {shown(value)}")


def _is_list(value: object) -> TypeGuard[list[Any]]:
    return isinstance(value, list)


def _is_table(value: object) -> TypeGuard[dict[str, Any]]:
    return isinstance(value, dict)
