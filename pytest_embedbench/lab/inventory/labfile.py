"""The lab file: which boards a machine has, how to find them, what they are called.

It lies outside the suites, because it says what is on this desk and they do not care.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from functools import cache
from typing import TYPE_CHECKING, Any

from pytest_embedbench.errors import ConfigError, UnknownName
from pytest_embedbench.lab.leases.labgrid import url_of
from pytest_embedbench.lab.ports.discovery import PortQuery
from pytest_embedbench.support.toml_schema import (
    check_items,
    check_keys,
    options,
    read_table,
    subtable,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from pytest_embedbench.model import BoardSpec, Option

ENGINES = ("serial", "linux")
"""The engines that boot the boards of a lab."""
WAIT_S = 600
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_PORT_KEYS = ("port", "usb_serial", "usb_id", "usb_location")
_PLACE_KEYS = ("place", "resource")
_TABLES = ("flash", "reset", "power", "login", "program")
_ADDING = frozenset({"login", "program"})
_BOARD_KEYS = {
    **dict.fromkeys((*_PORT_KEYS, *_PLACE_KEYS), str),
    "labels": list,
    "options": dict,
    **dict.fromkeys(_TABLES, dict),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class LabBoard:
    """One board of the lab.

    ``datasheet`` is the board's kind; ``options`` are laid over the datasheet's, with
    those of its tables among them: ``method`` in ``flash`` is ``flash_method``.
    """

    name: str
    datasheet: str
    query: PortQuery
    labels: tuple[str, ...] = ()
    options: Mapping[str, Option] = field(default_factory=dict[str, "Option"])
    tables: frozenset[str] = frozenset()
    """Those tables that it has."""

    def over(self, datasheet: BoardSpec) -> BoardSpec:
        """Return the datasheet of this very board.

        A table here replaces all that the datasheet has of its kind, except that
        ``login``, ``program``, and ``flash`` without a ``method``, only add to it.
        """
        adds = "flash_method" not in self.options
        replaced = self.tables - (_ADDING | {"flash"} if adds else _ADDING)
        kept = {
            key: value
            for key, value in datasheet.options.items()
            if key.partition("_")[0] not in replaced
        }
        options = {**kept, **self.query.given(), **self.options}
        return replace(datasheet, name=self.name, options=options)


@dataclass(frozen=True, slots=True, kw_only=True)
class Lab:
    """All boards of a lab file, and the names for several of them.

    ``groups`` are its labels and pools: any free board of a group will do.
    """

    file: Path
    boards: Mapping[str, LabBoard]
    groups: Mapping[str, tuple[str, ...]]
    wait_s: int = WAIT_S
    """How long a test waits for a board."""

    def names(self) -> list[str]:
        """Return everything that ``--board`` can name here."""
        return sorted({*self.boards, *self.groups})

    def candidates(self, name: str) -> tuple[LabBoard, ...]:
        """Return the boards that a name stands for: one, or those of a group.

        Raises:
            UnknownName: it stands for nothing here.
            ConfigError: a group's boards cannot run the same firmware.
        """
        if name in self.boards:
            return (self.boards[name],)
        if name not in self.groups:
            raise UnknownName("lab board", name, self.names())
        boards = tuple(self.boards[member] for member in self.groups[name])
        kinds = sorted({board.datasheet for board in boards})
        if len(kinds) > 1:
            raise ConfigError(
                f"{self.file}: {name!r} names boards of several kinds "
                f"({', '.join(kinds)}), so no one firmware fits any of them; "
                "ask for a label or pool whose boards share a datasheet"
            )
        return boards

    def spec(self, name: str, datasheet: Callable[[str], BoardSpec]) -> BoardSpec:
        """Return what ``--board=name`` runs on: a board, or any of a group.

        Which one of a group gets decided when it is booted, so its own options are
        not in what is returned.

        Raises:
            UnknownName: it stands for nothing here.
            ConfigError: its datasheet is not one of a board on a port.
        """
        board = self.candidates(name)[0]
        where = f"{self.file}: boards.{board.name}.board"
        try:
            spec = datasheet(board.datasheet)
        except UnknownName as error:
            raise ConfigError(f"{where}: {error}") from error
        if spec.engine not in ENGINES:
            raise ConfigError(
                f"{where}: {board.datasheet!r} runs on {spec.engine}, not on a port; "
                "choose the datasheet of a real board"
            )
        options = {"wait_s": self.wait_s, **spec.options, "lab": str(self.file)}
        spec = replace(spec, name=name, options=options)
        return board.over(spec) if name in self.boards else spec


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
        required={"boards": dict},
        optional={"pools": dict, "wait_s": int, "labgrid": dict},
    )
    coordinator = _coordinator(where, table.get("labgrid"))
    if not table["boards"]:
        raise ConfigError(
            f"{where}: boards: a lab needs at least one, as [boards.NAME]"
        )
    boards = {
        name: _board(where, name, entry, coordinator)
        for name, entry in table["boards"].items()
    }
    _check_ports_differ(where, boards)
    groups = _labels(where, boards) | _pools(where, boards, table.get("pools", {}))
    wait_s = table.get("wait_s", WAIT_S)
    if wait_s < 0:
        raise ConfigError(f"{where}: wait_s: must be 0 or more seconds, is {wait_s}")
    return Lab(file=file, boards=boards, groups=groups, wait_s=wait_s)


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
    _check_name(file, here, name)
    row = subtable(file, here, entry)
    check_keys(file, f"{here}.", row, required={"board": str}, optional=_BOARD_KEYS)
    for key in ("board", *_PORT_KEYS, *_PLACE_KEYS):
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
        labels=_names(file, f"{here}.labels", row.get("labels")),
        options=_options(file, here, row),
        tables=frozenset(_TABLES).intersection(row),
    )


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
    for table in _TABLES:
        entries = options(file, f"{here}.{table}", row.get(table, {}))
        found |= {f"{table}_{key}": value for key, value in entries.items()}
    return found


def _labels(file: str, boards: Mapping[str, LabBoard]) -> dict[str, tuple[str, ...]]:
    members: dict[str, tuple[str, ...]] = {}
    for board in boards.values():
        for label in board.labels:
            if label in boards:
                raise ConfigError(
                    f"{file}: boards.{board.name}.labels: {label!r} is the name of a "
                    "board; rename one of them"
                )
            members[label] = (*members.get(label, ()), board.name)
    return members


def _pools(
    file: str, boards: Mapping[str, LabBoard], table: Mapping[str, object]
) -> dict[str, tuple[str, ...]]:
    pools: dict[str, tuple[str, ...]] = {}
    labels = {label for board in boards.values() for label in board.labels}
    for name, entry in table.items():
        here = f"pools.{name}"
        _check_name(file, here, name)
        row = subtable(file, here, entry)
        check_keys(file, f"{here}.", row, required={"boards": list})
        if name in boards or name in labels:
            raise ConfigError(
                f"{file}: {here}: is also the name of a board or a label; rename it"
            )
        pools[name] = _names(file, f"{here}.boards", row["boards"])
        for member in pools[name]:
            if member not in boards:
                known = ", ".join(sorted(boards))
                raise ConfigError(
                    f"{file}: {here}.boards: no board {member!r}; there are: {known}"
                )
    return pools


def _names(file: str, where: str, items: list[object] | None) -> tuple[str, ...]:
    if items is None:
        return ()
    check_items(file, where, items, str)
    names = tuple(dict.fromkeys(str(item) for item in items))
    for name in names:
        _check_name(file, where, name)
    return names


def _check_name(file: str, where: str, name: str) -> None:
    if not _NAME.fullmatch(name):
        raise ConfigError(
            f"{file}: {where}: {name!r} is not a name: use letters, digits, '.', '_' "
            "and '-'"
        )


def _check_ports_differ(file: str, boards: Mapping[str, LabBoard]) -> None:
    seen: dict[PortQuery, str] = {}
    for board in boards.values():
        if (twin := seen.setdefault(board.query, board.name)) != board.name:
            raise ConfigError(
                f"{file}: boards.{board.name}: has the same port as boards.{twin} "
                f"({board.query}); one of them is wrong"
            )
