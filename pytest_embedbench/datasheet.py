"""A board's TOML file, checked key by key, as a ``BoardSpec``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_embedbench.errors import ConfigError
from pytest_embedbench.model import BoardSpec, PinSpec, UartSpec
from pytest_embedbench.support.toml_schema import (
    check_items,
    check_keys,
    options,
    read_table,
    subtable,
)
from pytest_embedbench.support.uart_speeds import FASTEST_BPS, SLOWEST_BPS

if TYPE_CHECKING:
    from collections.abc import Mapping
    from importlib.resources.abc import Traversable
    from pathlib import Path

_REQUIRED = {"engine": str, "mcu": str, "cpu_hz": int, "environments": list}
_CPU_HZ = range(1, 10_000_000_001)
_BAUD_BPS = range(SLOWEST_BPS, FASTEST_BPS + 1)
_ADC_CHANNELS = range(64)
_OPTIONAL = {"description": str, "uarts": dict, "pins": dict, "options": dict}


def load_board(file: Traversable | Path) -> BoardSpec:
    """Read one datasheet; its file name without ``.toml`` is the board's name.

    Raises:
        ConfigError: not TOML, or a key is missing, unknown or of the wrong type;
            the message names file and key.
    """
    table = read_table(file)
    check_keys(str(file), "", table, required=_REQUIRED, optional=_OPTIONAL)
    check_items(str(file), "environments", table["environments"], str)
    _check_range(str(file), "cpu_hz", table["cpu_hz"], _CPU_HZ)
    return BoardSpec(
        name=file.name.removesuffix(".toml"),
        engine=table["engine"],
        mcu=table["mcu"],
        cpu_hz=table["cpu_hz"],
        environments=tuple(table["environments"]),
        description=table.get("description", ""),
        uarts=_uarts(str(file), table.get("uarts", {})),
        pins=_pins(str(file), table.get("pins", {})),
        options=options(str(file), "options", table.get("options", {})),
    )


def _uarts(file: str, table: Mapping[str, object]) -> tuple[UartSpec, ...]:
    specs: list[UartSpec] = []
    for name, entry in table.items():
        row = subtable(file, f"uarts.{name}", entry)
        check_keys(file, f"uarts.{name}.", row, required={"baud_bps": int})
        _check_range(file, f"uarts.{name}.baud_bps", row["baud_bps"], _BAUD_BPS)
        specs.append(UartSpec(name=name, baud_bps=row["baud_bps"]))
    if not specs:
        raise ConfigError(f"{file}: uarts: a board needs at least one, as [uarts.NAME]")
    return tuple(specs)


def _pins(file: str, table: Mapping[str, object]) -> dict[str, PinSpec]:
    pins: dict[str, PinSpec] = {}
    for name, entry in table.items():
        row = subtable(file, f"pins.{name}", entry)
        check_keys(
            file, f"pins.{name}.", row, required={"port": str}, optional={"adc": int}
        )
        _check_range(file, f"pins.{name}.adc", row.get("adc", 0), _ADC_CHANNELS)
        pins[name] = PinSpec(name=name, port=row["port"], adc=row.get("adc"))
    return pins


def _check_range(file: str, where: str, number: int, allowed: range) -> None:
    if number not in allowed:
        raise ConfigError(
            f"{file}: {where}: must be from {allowed[0]} to {allowed[-1]}, is {number}"
        )
