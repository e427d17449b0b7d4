"""Boot firmware on real boards: take them, find them, open them."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

import serial

from pytest_embedbench.engines.serial_port.controlled import board_type
from pytest_embedbench.engines.serial_port.more_uarts import WiredUart, WiredUarts
from pytest_embedbench.errors import BoardLost, EmbedbenchError
from pytest_embedbench.flashing import After, flash, park
from pytest_embedbench.lab.inventory.board_options import (
    flash_settings,
    serial_options,
    wired_uarts,
)
from pytest_embedbench.lab.inventory.booting import (
    booted_together,
    candidates_of,
    started,
)
from pytest_embedbench.lab.inventory.controls import controls_for
from pytest_embedbench.lab.ports.connection import Connection
from pytest_embedbench.lab.ports.discovery import attached, find
from pytest_embedbench.lab.ports.opening import open_port
from pytest_embedbench.lab.ports.reader import PortReader
from pytest_embedbench.lab.ports.stream import stream_for

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from contextlib import AbstractContextManager

    from pytest_embedbench.contracts import Board
    from pytest_embedbench.engines.serial_port.board import SerialBoard
    from pytest_embedbench.errors import ToolMissing
    from pytest_embedbench.flashing import FlashSettings
    from pytest_embedbench.lab.inventory.board_options import SerialOptions
    from pytest_embedbench.lab.inventory.booting import TakesFromLab
    from pytest_embedbench.lab.inventory.controls import BoardControls
    from pytest_embedbench.lab.leases.lease import Lease
    from pytest_embedbench.lab.ports.discovery import Attached, ResolvedPort
    from pytest_embedbench.lab.ports.opening import SerialHandle
    from pytest_embedbench.model import BoardSpec, Capability, FirmwareImage


@dataclass(frozen=True, slots=True, kw_only=True)
class SerialPort:
    """Boots boards behind serial ports; ``listed`` says which ports are attached."""

    listed: Callable[[], Sequence[Attached]] = attached

    def boot(self, spec: BoardSpec, image: FirmwareImage) -> SerialBoard:
        """Take one board and start it.

        Raises:
            BoardBusy: it could not be had in time.
            BoardUnreachable: it is not where it should be.
            BoardGivenUp: it was lost earlier in this run.
            BoardLost: it does not answer.
            WrongBoard: another chip is on the port; nothing was written to it.
            FlashFailed: the image could not be written.
            ConfigError: options or lab file are wrong.
        """
        return started(self, spec, lambda mine, lease: self.start(mine, image, lease))

    def booted_together(
        self, wanted: Sequence[tuple[TakesFromLab, BoardSpec, FirmwareImage]]
    ) -> AbstractContextManager[Sequence[Board]]:
        """Have boards of this engine, and of others of the lab, for a block.

        They are all taken before any is touched, and start side by side. Raises what
        ``boot`` raises.
        """
        return booted_together(wanted)

    def options(self, spec: BoardSpec) -> SerialOptions:
        """Return a board's options; say what makes no sense before anybody waits."""
        controls_for(spec)
        flash_settings(spec)
        return serial_options(spec)

    def needs_image(self, spec: BoardSpec) -> bool:
        """Say whether any board that would do is flashed before it starts."""
        return any(flash_settings(choice) is not None for choice in candidates_of(spec))

    def capabilities(self, spec: BoardSpec) -> frozenset[Capability]:
        """Return what any board that would do can do."""
        able = [controls_for(choice).capabilities for choice in candidates_of(spec)]
        return able[0].union(*able)

    def missing(self) -> ToolMissing | None:
        """Say that nothing is: pyserial is always there."""
        return None

    def version(self) -> str:
        """Name pyserial."""
        return f"pyserial {serial.__version__}"

    def start(self, spec: BoardSpec, image: FirmwareImage, lease: Lease) -> SerialBoard:
        """Flash, open and reset a board that is ours."""
        options = serial_options(spec)
        controls = controls_for(spec)
        settings = flash_settings(spec)
        if settings is not None:
            _flash(spec, image, lease, _held(settings, controls))
        try:
            connection = Connection(
                lease.found,
                lambda found: _open(found, spec, options),
                reappears_within_s=options.reappears_within_ms / 1000,
                listed=self.listed,
            )
        except BoardLost as loss:
            lease.give_up(f"{spec.name}: {loss}")
            raise
        make = board_type(controls)
        board = make(spec, lease, connection, controls, _parking(spec, connection))
        try:
            board.more = self._more_uarts(spec, options)
            board.start(
                answers_within_s=options.answers_within_ms / 1000,
                # Nobody has pressed reset since: what it says now is the new firmware.
                fresh=settings is not None and controls.reset is None,
            )
        except EmbedbenchError:
            board.needs_recovery = True
            board.close()
            raise
        return board

    def _more_uarts(self, spec: BoardSpec, options: SerialOptions) -> WiredUarts:
        """Open the ports of the other UARTs of a board that is ours."""
        within_s = options.reappears_within_ms / 1000
        opened = WiredUarts()
        with ExitStack() as undo:
            for name, query in wired_uarts(spec).items():
                connection = Connection(
                    find(query, self.listed()),
                    partial(_open, spec=spec, options=options, uart=name),
                    reappears_within_s=within_s,
                    listed=self.listed,
                )
                undo.callback(connection.close)
                opened[name] = WiredUart(name, connection)
            undo.pop_all()
        return opened


def _held(settings: FlashSettings, controls: BoardControls) -> FlashSettings:
    """Leave the start to our own reset if there is one: then no byte of it is lost."""
    return settings if controls.reset is None else replace(settings, after=After.HOLD)


def _flash(
    spec: BoardSpec, image: FirmwareImage, lease: Lease, settings: FlashSettings
) -> None:
    report = flash(spec, image, lease.found.address, settings=settings)
    lease.tally.retries += report.retries
    if report.retries:
        lease.remarks += (str(report),)


def _parking(spec: BoardSpec, connection: Connection) -> Callable[[], None] | None:
    settings = flash_settings(spec)
    if settings is None or settings.parking is None:
        return None

    def park_it() -> None:
        park(spec, connection.found.address, settings)

    return park_it


def _open(
    found: ResolvedPort, spec: BoardSpec, options: SerialOptions, uart: str = ""
) -> tuple[SerialHandle, PortReader]:
    """Open the port of a UART, the first by default, and listen."""
    its = next((each for each in spec.uarts if each.name == uart), spec.uarts[0])
    port = open_port(found.address, baud_bps=its.baud_bps, lines=options.lines())
    return port, PortReader(stream_for(port), options.takes_within_ms / 1000).start()
