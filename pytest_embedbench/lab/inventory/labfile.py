"""Read a lab file.

It lies outside the suites, because it says what is on this desk and they do not care.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Any

from pytest_embedbench.errors import ConfigError
from pytest_embedbench.lab.inventory.instruments import PREFIX
from pytest_embedbench.lab.inventory.lab import WAIT_S, Lab, LabBoard
from pytest_embedbench.lab.inventory.lab_names import (
    check_name,
    features_of,
    labels_of,
    names_of,
    pools_of,
)
from pytest_embedbench.lab.leases.labgrid import url_of
from pytest_embedbench.lab.leases.lease import QUARANTINE_AFTER
from pytest_embedbench.lab.ports.discovery import PortQuery
from pytest_embedbench.support.toml_schema import (
    check_keys,
    options,
    read_table,
    subtable,
)
from pytest_embedbench.support.uart_speeds import FASTEST_BPS, SLOWEST_BPS

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from pytest_embedbench.model import Option

_PORT_KEYS = ("port", "usb_serial", "usb_id", "usb_location")
_UART_KEYS = {**dict.fromkeys(_PORT_KEYS, str), "baud_bps": int}
_PLACE_KEYS = ("place", "resource")
_TABLES = ("flash", "reset", "power", "login", "program")
_BOARD_KEYS = {
    **dict.fromkeys((*_PORT_KEYS, *_PLACE_KEYS), str),
    "disabled": str,
    "features": list,
    "baud_bps": int,
    "uarts": dict,
    "labels": list,
    "instruments": dict,
    "options": dict,
    **dict.fromkeys(_TABLES, dict),
}


@cache
def load_lab(file: Path) -> Lab:
    """Read a lab file, once: a run has the lab that there was when it began.

    What is changed in the file meanwhile is for the next run: a test would else be
    built for one lab and booted in another. A new registry is a new run.

    Raises:
        ConfigError: something is wrong with it; the message names file, key and cure.
    """
    where = str(file)
    table = read_table(file)
    check_keys(
        where,
        "",
        table,
        required={},
        optional={
            "boards": dict,
            "pools": dict,
            "wait_s": int,
            "quarantine_after": int,
            "labgrid": dict,
        },
    )
    coordinator = _coordinator(where, table.get("labgrid"))
    if not table.get("boards"):
        raise ConfigError(
            f"{where}: boards: a lab needs at least one, as [boards.NAME]"
        )
    boards = {
        name: _board(where, name, entry, coordinator)
        for name, entry in table["boards"].items()
    }
    _check_ports_differ(where, boards)
    groups = labels_of(where, boards) | pools_of(where, boards, table.get("pools", {}))
    wait_s = table.get("wait_s", WAIT_S)
    if wait_s < 0:
        raise ConfigError(f"{where}: wait_s: must be 0 or more seconds, is {wait_s}")
    quarantine_after = table.get("quarantine_after", QUARANTINE_AFTER)
    if quarantine_after < 1:
        raise ConfigError(
            f"{where}: quarantine_after: must be 1 or more faults, is "
            f"{quarantine_after}"
        )
    return Lab(
        file=file,
        boards=boards,
        groups=groups,
        wait_s=wait_s,
        quarantine_after=quarantine_after,
    )


def _coordinator(file: str, entry: object) -> str:
    """Return where the labgrid coordinator is; ``""`` if there is none."""
    if entry is None:
        return ""
    row = subtable(file, "labgrid", entry)
    check_keys(file, "labgrid.", row, required={"coordinator": str})
    coordinator: str = row["coordinator"]
    if not re.fullmatch(r"[^/\s]+:\d+", coordinator):
        raise ConfigError(
            f"{file}: labgrid.coordinator: must be like 'lab.example:20408', is "
            f"{coordinator!r}"
        )
    return coordinator


def _board(file: str, name: str, entry: object, coordinator: str) -> LabBoard:
    here = f"boards.{name}"
    check_name(file, here, name)
    row = subtable(file, here, entry)
    check_keys(file, f"{here}.", row, required={"board": str}, optional=_BOARD_KEYS)
    for key in ("board", "disabled", *_PORT_KEYS, *_PLACE_KEYS):
        if key in row and not row[key].strip():
            raise ConfigError(
                f"{file}: {here}.{key}: is empty; give it a value or leave it out"
            )
    port = {key: row[key] for key in _PORT_KEYS if key in row}
    try:
        query = PortQuery(**(_place(row, port, coordinator) or port))
    except ConfigError as error:
        raise ConfigError(f"{file}: {here}: {error}") from error
    return LabBoard(
        name=name,
        datasheet=row["board"],
        query=query,
        labels=names_of(file, f"{here}.labels", row.get("labels")),
        options=_options(file, here, row),
        uarts=_wired(file, here, row),
        tables=frozenset(_TABLES).intersection(row),
        speeds_bps=_speeds_bps(file, here, row),
        disabled=row.get("disabled", ""),
    )


def _speeds_bps(file: str, here: str, row: Mapping[str, Any]) -> dict[str, int]:
    """Return the baud rates of ``baud_bps`` and ``uarts.NAME.baud_bps``."""
    found = {"": row["baud_bps"]} if "baud_bps" in row else {}
    for name, entry in row.get("uarts", {}).items():
        uart = subtable(file, f"{here}.uarts.{name}", entry)
        place = f"{here}.uarts.{name}."
        check_keys(file, place, uart, required={}, optional=_UART_KEYS)
        if not uart:
            raise ConfigError(f"{file}: {place[:-1]}: give it baud_bps, or a port")
        if "baud_bps" in uart:
            found[name] = uart["baud_bps"]
    for name, baud_bps in found.items():
        key = f"uarts.{name}.baud_bps" if name else "baud_bps"
        if not SLOWEST_BPS <= baud_bps <= FASTEST_BPS:
            raise ConfigError(
                f"{file}: {here}.{key}: must be from {SLOWEST_BPS} to {FASTEST_BPS}, "
                f"is {baud_bps}"
            )
    return found


def _wired(file: str, here: str, row: Mapping[str, Any]) -> dict[str, PortQuery]:
    """Return the UARTs that have a port of their own."""
    found: dict[str, PortQuery] = {}
    for name, uart in row.get("uarts", {}).items():
        if port := {key: uart[key] for key in _PORT_KEYS if key in uart}:
            check_name(file, f"{here}.uarts", name)
            try:
                found[name] = PortQuery(**port)
            except ConfigError as error:
                message = f"{file}: {here}.uarts.{name}: {error}"
                raise ConfigError(message) from error
    return found


def _place(
    row: Mapping[str, Any], port: Mapping[str, str], coordinator: str
) -> dict[str, str]:
    """Return the address of a board that labgrid lends; nothing if it is none."""
    if not any(key in row for key in _PLACE_KEYS):
        return {}
    if port or "place" not in row:
        raise ConfigError("a labgrid 'place' says where the board is: name it, alone")
    if not coordinator:
        raise ConfigError("'place' needs a coordinator, in a table [labgrid]")
    return {"port": url_of(coordinator, row["place"], row.get("resource", ""))}


def _options(file: str, here: str, row: Mapping[str, Any]) -> dict[str, Option]:
    found = options(file, f"{here}.options", row.get("options", {}))
    if features := features_of(file, f"{here}.features", row.get("features")):
        found["features"] = features
    for name, entry in row.get("instruments", {}).items():
        place = f"{here}.instruments.{name}"
        check_name(file, place, name)
        settings = subtable(file, place, entry)
        if "." in name or "kind" not in settings:
            raise ConfigError(f"{file}: {place}: has a name without '.', and a 'kind'")
        for key, value in options(file, place, settings).items():
            found[f"{PREFIX}{name}.{key}"] = value
    for table in _TABLES:
        entries = options(file, f"{here}.{table}", row.get(table, {}))
        found |= {f"{table}_{key}": value for key, value in entries.items()}
    return found


def _check_ports_differ(file: str, boards: Mapping[str, LabBoard]) -> None:
    seen: dict[PortQuery, str] = {}
    for board in boards.values():
        places = {
            f"boards.{board.name}": board.query,
            **{
                f"boards.{board.name}.uarts.{uart}": query
                for uart, query in board.uarts.items()
            },
        }
        for place, query in places.items():
            if (twin := seen.setdefault(query, place)) != place:
                raise ConfigError(
                    f"{file}: {place}: has the same port as {twin} ({query}); one of "
                    "them is wrong"
                )
