"""TOML tables checked key by key: what is wrong is named by file and key."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from pytest_embedbench.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from importlib.resources.abc import Traversable

    from pytest_embedbench.model import Option

KIND_NAMES: Mapping[type, str] = {
    str: "text",
    Path: "text",
    int: "a whole number",
    float: "a number with a point",
    bool: "true or false",
    list: "a list",
    tuple: "a list",
    dict: "a table",
    object: "anything",
}
"""What a type is called in a message."""


def read_table(file: Traversable | Path) -> dict[str, Any]:
    """Read a TOML file.

    Raises:
        ConfigError: it is not there, not UTF-8, or not TOML.
    """
    cause: Exception | None = None
    try:
        text = file.read_text(encoding="utf-8")
        return tomllib.loads(text.removeprefix("\ufeff"))  # a byte order mark
    except FileNotFoundError:
        why = "there is no such file"
    except IsADirectoryError:
        why = "it is a folder"
    except OSError as error:
        why, cause = f"{error.strerror}", error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        why, cause = f"{error}", error
    raise ConfigError(f"{file}: not a readable TOML file: {why}") from cause


def check_keys(
    file: str,
    prefix: str,
    table: Mapping[str, object],
    *,
    required: Mapping[str, type],
    optional: Mapping[str, type] | None = None,
) -> None:
    """Insist on the required keys, on no unknown ones, and on every type.

    Raises:
        ConfigError: naming ``file`` and the key, with ``prefix`` before it.
    """
    kinds = {**required, **(optional or {})}
    for key in table:
        if key not in kinds:
            raise unknown_key(f"{file}: {prefix}{key}", key, kinds)
    for key in required:
        if key not in table:
            raise ConfigError(f"{file}: {prefix}{key}: missing")
    for key, value in table.items():
        kind = kinds[key]
        if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
            raise ConfigError(
                f"{file}: {prefix}{key}: must be {KIND_NAMES[kind]}, is {value!r}"
            )


def unknown_key(location: str, key: str, known: Iterable[str]) -> ConfigError:
    """Return the error for a key that nobody knows, with the nearest one that is."""
    import difflib  # noqa: PLC0415  # for a mistake only

    listed = ", ".join(sorted(known)) or "none"
    near = difflib.get_close_matches(key, list(known), n=1)
    hint = f"; do you mean {near[0]!r}?" if near else ""
    return ConfigError(f"{location}: unknown key; known keys: {listed}{hint}")


def check_items(file: str, where: str, items: Sequence[object], kind: type) -> None:
    """Insist on a non-empty list of one type."""
    if not items or not all(isinstance(item, kind) for item in items):
        raise ConfigError(
            f"{file}: {where}: must be a non-empty list of {KIND_NAMES[kind]}"
        )


def subtable(file: str, where: str, entry: object) -> Mapping[str, Any]:
    """Insist on a table."""
    if not isinstance(entry, dict):
        raise ConfigError(f"{file}: {where}: must be a table, is {entry!r}")
    return cast("Mapping[str, Any]", entry)


def rows(file: str, where: str, entries: object) -> Iterator[tuple[str, Any]]:
    """Yield the tables of a list of tables, each with its place in the file."""
    if not isinstance(entries, list):
        raise ConfigError(f"{file}: {where}: must be a list of tables")
    for index, entry in enumerate(cast("list[object]", entries)):
        here = f"{where}[{index}]"
        yield here, subtable(file, here, entry)


def options(file: str, where: str, table: Mapping[str, object]) -> dict[str, Option]:
    """Insist on plain values; a list of text becomes a tuple."""
    checked: dict[str, Option] = {}
    for key, value in table.items():
        if isinstance(value, list):
            words = cast("list[object]", value)
            check_items(file, f"{where}.{key}", words, str)
            checked[key] = tuple(str(word) for word in words)
        elif isinstance(value, str | int | float | bool):
            checked[key] = value
        else:
            raise ConfigError(
                f"{file}: {where}.{key}: must be text, a number, true or false, or a "
                "list of text"
            )
    return checked
