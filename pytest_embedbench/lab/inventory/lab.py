"""A lab: which boards a machine has, how to find them, what they are called."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from pytest_embedbench.errors import ConfigError, UnknownName

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from pytest_embedbench.lab.ports.discovery import PortQuery
    from pytest_embedbench.model import BoardSpec, Option

ENGINES = ("serial", "linux")
"""The engines that boot the boards of a lab."""
WAIT_S = 600
_ADDING = frozenset({"login", "program"})


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
