"""Instruments that a board is wired to: a kind by entry point, settings by lab file.

A kind is a dataclass with ``open`` and ``close``, whose fields are the settings (see
``pytest_embedbench.option``). What it can do beyond that is its own.
"""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import is_dataclass
from importlib.metadata import entry_points
from typing import TYPE_CHECKING, Any

from pytest_embedbench.contracts import Instrument, lacking
from pytest_embedbench.errors import (
    BoardLost,
    BoardUnreachable,
    ConfigError,
    UnknownName,
)
from pytest_embedbench.support.options import check_options, option_fields

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_embedbench.model import BoardSpec, Option

GROUP = "embedbench.instruments"
PREFIX = "instruments."
"""How options of a board begin that are an instrument's: ``instruments.NAME.KEY``."""


def make_instruments(spec: BoardSpec) -> dict[str, Instrument]:
    """Return the instruments of a board by their names in the lab file, none open.

    Raises:
        ConfigError: a kind is not installed or is none, or its settings are wrong.
    """
    tables: dict[str, dict[str, Option]] = {}
    for key, value in spec.options.items():
        if key.startswith(PREFIX):
            name, _, setting = key.removeprefix(PREFIX).partition(".")
            tables.setdefault(name, {})[setting] = value
    where = f"{spec.options.get('lab', spec.name)}: boards.{spec.name}.{PREFIX}"
    return {name: _make(f"{where}{name}", table) for name, table in tables.items()}


def open_instruments(instruments: Mapping[str, Instrument], board: str) -> ExitStack:
    """Open them all; closing what is returned closes them, the last one first.

    Raises:
        BoardUnreachable: one cannot be opened; then none is.
    """
    with ExitStack() as opened:
        for name, instrument in instruments.items():
            try:
                instrument.open()
            except Exception as error:  # theirs may raise anything
                raise BoardUnreachable(
                    f"{board}: its instrument {name!r} cannot be opened: "
                    f"{_worded(error)}"
                ) from error
            opened.callback(_close, instrument, f"{board}: its instrument {name!r}")
        return opened.pop_all()


def _close(instrument: Instrument, which: str) -> None:
    try:
        instrument.close()
    except Exception as error:  # theirs may raise anything
        raise BoardLost(f"{which} was lost: {_worded(error)}") from error


def _worded(error: Exception) -> str:
    """Return an error in words; what is no error of the system with its name."""
    return str(error) if isinstance(error, OSError) else repr(error)


def _make(where: str, table: Mapping[str, Option]) -> Instrument:
    kinds = {entry.name: entry for entry in entry_points(group=GROUP)}
    name = str(table.get("kind", ""))
    if name not in kinds:
        raise ConfigError(f"{where}.kind: {UnknownName('instrument', name, kinds)}")
    try:
        kind: Any = kinds[name].load()
    except Exception as error:  # a module of theirs may raise anything
        raise ConfigError(f"{where}.kind: {name!r} cannot load: {error!r}") from error
    if not (isinstance(kind, type) and is_dataclass(kind)):
        raise ConfigError(f"{where}.kind: {name!r} is no dataclass of settings")
    settings = {key: value for key, value in table.items() if key != "kind"}
    known = option_fields(kind).items()
    fields = {key: about for key, about in known if not key.startswith("_")}
    values = check_options(settings, fields, lambda key: f"{where}.{key}")
    try:
        made: Any = kind(**values)
    except Exception as error:  # it may check its settings together
        raise ConfigError(f"{where}: {name!r} refuses that: {error!r}") from error
    if absent := lacking(made, Instrument):
        raise ConfigError(f"{where}.kind: {name!r} has no {', '.join(absent)}")
    instrument: Instrument = made
    return instrument
