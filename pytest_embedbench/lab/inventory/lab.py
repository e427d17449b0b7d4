"""A lab: which boards a machine has, how to find them, what they are called."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from pytest_embedbench.errors import ConfigError, UnknownName
from pytest_embedbench.lab.leases.lease import QUARANTINE_AFTER
from pytest_embedbench.model import UartSpec
from pytest_embedbench.support.uart_speeds import at_speeds

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from pytest_embedbench.lab.ports.discovery import PortQuery
    from pytest_embedbench.model import BoardSpec, Option

ENGINES = ("serial", "linux")
"""The engines that boot the boards of a lab."""
WAIT_S = 600
WIRED = "uarts."
"""How options begin that say where a further UART is: ``uarts.NAME.port``."""
_WIRED_BPS = 115_200
"""What a UART speaks at that only the lab file knows, unless that says more."""
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
    speeds_bps: Mapping[str, int] = field(default_factory=dict[str, int])
    """Baud rates by UART; that of the first one by ``""``."""
    uarts: Mapping[str, PortQuery] = field(default_factory=dict[str, "PortQuery"])
    """Those that are wired to ports of their own, by name."""
    disabled: str = ""
    """Why no test has it; ``""`` if tests do."""

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
        wired = {
            f"{WIRED}{uart}.{fact}": value
            for uart, query in self.uarts.items()
            for fact, value in query.given().items()
        }
        options = {**kept, **self.query.given(), **wired, **self.options}
        known = {uart.name for uart in datasheet.uarts}
        more = (
            UartSpec(name=name, baud_bps=_WIRED_BPS)
            for name in self.uarts
            if name not in known
        )
        uarts = (*datasheet.uarts, *more)
        spec = replace(datasheet, name=self.name, options=options, uarts=uarts)
        if any(uart.said_by == "test" for uart in spec.uarts):
            return spec
        return at_speeds(spec, self.speeds_bps, said_by="lab")


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
    quarantine_after: int = QUARANTINE_AFTER
    """After how many faults in a run no test has a board any more."""
    _sheets: dict[str, BoardSpec] = field(
        default_factory=dict[str, "BoardSpec"], init=False, repr=False, compare=False
    )
    """The datasheets that have been asked for, by name."""

    def names(self) -> list[str]:
        """Return everything that ``--board`` can name here."""
        return sorted({*self.boards, *self.groups})

    def candidates(self, name: str) -> tuple[LabBoard, ...]:
        """Return the boards that a name stands for: one, or those of a group.

        Raises:
            UnknownName: it stands for nothing here.
        """
        if name in self.boards:
            return (self.boards[name],)
        if name not in self.groups:
            raise UnknownName("lab board", name, self.names())
        return tuple(self.boards[member] for member in self.groups[name])

    def over(self, board: LabBoard, spec: BoardSpec) -> BoardSpec:
        """Return the datasheet of one board of a group that ``spec`` returned.

        What the group has been given since (by a test, an option) stays, over what is
        the board's own kind.
        """
        first = self._sheets.get(self.candidates(spec.name)[0].datasheet)
        own = self._sheets.get(board.datasheet)
        if first is None or own is None or own is first:
            return board.over(spec)
        given = {
            key: value
            for key, value in spec.options.items()
            if first.options.get(key) != value
        }
        spoken = {uart.name: uart for uart in spec.uarts if uart.said_by}
        spec = replace(
            spec,
            options={**own.options, **given},
            uarts=tuple(spoken.get(uart.name, uart) for uart in own.uarts),
            pins=own.pins,
        )
        return board.over(spec)

    def spec(self, name: str, datasheet: Callable[[str], BoardSpec]) -> BoardSpec:
        """Return what ``--board=name`` runs on: a board, or any of a group.

        Which one of a group gets decided when it is booted, so its own options are
        not in what is returned.

        Raises:
            UnknownName: it stands for nothing here.
            ConfigError: a datasheet is not one of a board on a port, or a group's
                boards cannot run the same firmware.
        """
        boards = self.candidates(name)
        for board in boards:
            self._sheets[board.datasheet] = self._sheet(board, datasheet)
        first = self._sheets[boards[0].datasheet]
        options = {
            "wait_s": self.wait_s,
            "quarantine_after": self.quarantine_after,
            **first.options,
            "lab": str(self.file),
        }
        environments = self._common(name, boards)
        spec = replace(first, name=name, options=options, environments=environments)
        return boards[0].over(spec) if name in self.boards else spec

    def _common(self, name: str, boards: Sequence[LabBoard]) -> tuple[str, ...]:
        """Return the environments that all boards of a name can run, best first."""
        kinds = list(dict.fromkeys(board.datasheet for board in boards))
        sheets = [self._sheets[kind] for kind in kinds]
        chips = {(sheet.engine, sheet.mcu, sheet.cpu_hz) for sheet in sheets}
        common = tuple(
            environment
            for environment in sheets[0].environments
            if all(environment in sheet.environments for sheet in sheets)
        )
        if len(chips) > 1 or not common:
            raise ConfigError(
                f"{self.file}: {name!r} names boards of several kinds "
                f"({', '.join(sorted(kinds))}), so no one firmware fits any of them; "
                "ask for a label or pool whose boards share a chip, its clock and an "
                "environment"
            )
        return common

    def _sheet(
        self, board: LabBoard, datasheet: Callable[[str], BoardSpec]
    ) -> BoardSpec:
        """Return the datasheet of a board's kind, and look at what the lab adds."""
        where = f"{self.file}: boards.{board.name}"
        try:
            spec = datasheet(board.datasheet)
        except UnknownName as error:
            raise ConfigError(f"{where}.board: {error}") from error
        if spec.engine not in ENGINES:
            raise ConfigError(
                f"{where}.board: {board.datasheet!r} runs on {spec.engine}, not on a "
                "port; choose the datasheet of a real board"
            )
        known = [uart.name for uart in spec.uarts]
        for uart in (*board.speeds_bps, *board.uarts):
            if uart in board.uarts and uart == known[0]:
                raise ConfigError(
                    f"{where}.uarts.{uart}: is the first UART of the board, which is "
                    "on the board's own port"
                )
            if uart and uart not in (*known, *board.uarts):
                raise ConfigError(
                    f"{where}.uarts: {board.datasheet} has no UART {uart!r}; it has: "
                    f"{', '.join(known)}"
                )
        return spec
