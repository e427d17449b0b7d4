"""A board's TOML file, checked key by key, as a ``BoardSpec``."""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING, cast

from pytest_embedbench.errors import ConfigError
from pytest_embedbench.model import BoardSpec, PinSpec, UartSpec

if TYPE_CHECKING:
    from collections.abc import Mapping
    from importlib.resources.abc import Traversable
    from pathlib import Path

_REQUIRED = {"engine": str, "mcu": str, "cpu_hz": int, "environments": list}
_OPTIONAL = {"description": str, "uarts": dict, "pins": dict, "options": dict}


def load_board(file: Traversable | Path) -> BoardSpec:
    """Read one datasheet; its file name without ``.toml`` is the board's name.

    Raises:
        ConfigError: not TOML, or a key is missing, unknown or of the wrong type;
            the message names file and key.
    """
    try:
        table = tomllib.loads(file.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as error:
        raise ConfigError(f"{file}: not a readable TOML file: {error}") from error
    _check_keys(str(file), "", table, required=_REQUIRED, optional=_OPTIONAL)
    _check_items(str(file), "environments", table["environments"], str)
    options = table.get("options", {})
    for key, value in options.items():
        if not isinstance(value, str | int | bool):
            raise ConfigError(f"{file}: options.{key}: must be text, number or boolean")
    return BoardSpec(
        name=file.name.removesuffix(".toml"),
        engine=table["engine"],
        mcu=table["mcu"],
        cpu_hz=table["cpu_hz"],
        environments=tuple(table["environments"]),
        description=table.get("description", ""),
        uarts=_uarts(str(file), table.get("uarts", {})),
        pins=_pins(str(file), table.get("pins", {})),
        options=options,
    )


def _uarts(file: str, table: Mapping[str, object]) -> tuple[UartSpec, ...]:
    specs: list[UartSpec] = []
    for name, entry in table.items():
        row = _subtable(file, f"uarts.{name}", entry)
        _check_keys(file, f"uarts.{name}.", row, required={"baud_bps": int})
        specs.append(UartSpec(name=name, baud_bps=row["baud_bps"]))  # type: ignore[arg-type]
    if not specs:
        raise ConfigError(f"{file}: uarts: a board needs at least one, as [uarts.NAME]")
    return tuple(specs)


def _pins(file: str, table: Mapping[str, object]) -> dict[str, PinSpec]:
    pins: dict[str, PinSpec] = {}
    for name, entry in table.items():
        row = _subtable(file, f"pins.{name}", entry)
        _check_keys(
            file, f"pins.{name}.", row, required={"port": str}, optional={"adc": int}
        )
        pins[name] = PinSpec(name=name, port=row["port"], adc=row.get("adc"))  # type: ignore[arg-type]
    return pins


def _subtable(file: str, where: str, entry: object) -> Mapping[str, object]:
    if not isinstance(entry, dict):
        raise ConfigError(f"{file}: {where}: must be a table")
    return cast("Mapping[str, object]", entry)


def _check_items(file: str, where: str, items: list[object], kind: type) -> None:
    if not items or not all(isinstance(item, kind) for item in items):
        raise ConfigError(f"{file}: {where}: must be a non-empty list of {_name(kind)}")


def _check_keys(
    file: str,
    prefix: str,
    table: Mapping[str, object],
    *,
    required: Mapping[str, type],
    optional: Mapping[str, type] | None = None,
) -> None:
    kinds = {**required, **(optional or {})}
    for key in table:
        if key not in kinds:
            known = ", ".join(sorted(kinds))
            raise ConfigError(
                f"{file}: {prefix}{key}: unknown key; known keys: {known}"
            )
    for key in required:
        if key not in table:
            raise ConfigError(f"{file}: {prefix}{key}: missing")
    for key, value in table.items():
        kind = kinds[key]
        if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
            raise ConfigError(
                f"{file}: {prefix}{key}: must be {_name(kind)}, is {value!r}"
            )


def _name(kind: type) -> str:
    return {str: "text", int: "a whole number", list: "a list", dict: "a table"}[kind]
