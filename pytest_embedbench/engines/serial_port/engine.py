"""Boot firmware on real boards: take them, find them, open them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import serial

from pytest_embedbench.engines.serial_port.controlled import board_type
from pytest_embedbench.errors import BoardLost, EmbedbenchError
from pytest_embedbench.flashing import After, flash, park
from pytest_embedbench.lab.inventory.board_options import (
    flash_settings,
    serial_options,
)
from pytest_embedbench.lab.inventory.booting import boot_together, candidates_of
from pytest_embedbench.lab.inventory.controls import controls_for
from pytest_embedbench.lab.ports.connection import Connection
from pytest_embedbench.lab.ports.discovery import attached
from pytest_embedbench.lab.ports.opening import open_port
from pytest_embedbench.lab.ports.reader import PortReader
from pytest_embedbench.lab.ports.stream import stream_for

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pytest_embedbench.engines.serial_port.board import SerialBoard
    from pytest_embedbench.errors import ToolMissing
    from pytest_embedbench.flashing import FlashSettings
    from pytest_embedbench.lab.inventory.board_options import SerialOptions
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
        """Take one board and start it."""
        return self.boot_together([(spec, image)])[0]

    def boot_together(
        self, wanted: Sequence[tuple[BoardSpec, FirmwareImage]]
    ) -> list[SerialBoard]:
        """Take all boards of a test before any is touched, then start each.

        Raises:
            BoardBusy: they could not all be had in time.
            BoardUnreachable: one is not where it should be.
            BoardGivenUp: one was lost earlier in this run.
            BoardLost: one does not answer.
            WrongBoard: another chip is on the port; nothing was written to it.
            FlashFailed: the image could not be written.
            ConfigError: options or lab file are wrong.
        """
        return boot_together(wanted, listed=self.listed, read=_read, start=self._start)

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

    def _start(
        self, spec: BoardSpec, image: FirmwareImage, lease: Lease
    ) -> SerialBoard:
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


def _held(settings: FlashSettings, controls: BoardControls) -> FlashSettings:
    """Leave the start to our own reset if there is one: then no byte of it is lost."""
    return settings if controls.reset is None else replace(settings, after=After.HOLD)


def _flash(
    spec: BoardSpec, image: FirmwareImage, lease: Lease, settings: FlashSettings
) -> None:
    report = flash(spec, image, lease.found.address, settings=settings)
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
    found: ResolvedPort, spec: BoardSpec, options: SerialOptions
) -> tuple[SerialHandle, PortReader]:
    port = open_port(
        found.address, baud_bps=spec.uarts[0].baud_bps, lines=options.lines()
    )
    return port, PortReader(stream_for(port), options.takes_within_ms / 1000).start()


def _read(spec: BoardSpec) -> SerialOptions:
    """Say what makes no sense before anybody waits for a board."""
    controls_for(spec)
    flash_settings(spec)
    return serial_options(spec)
