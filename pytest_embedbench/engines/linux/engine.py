"""Take Linux targets, put programs on them and start those."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pexpect

from pytest_embedbench.console import connect
from pytest_embedbench.console.ssh import SCHEME
from pytest_embedbench.engines.linux.board import LinuxBoard, LinuxBoardWithConsole
from pytest_embedbench.engines.linux.options import linux_options
from pytest_embedbench.engines.linux.target import LinuxTarget
from pytest_embedbench.errors import BoardLost, EmbedbenchError
from pytest_embedbench.lab.inventory.booting import (
    booted_together,
    candidates_of,
    started,
)
from pytest_embedbench.lab.inventory.controls import controls_by_command
from pytest_embedbench.lab.ports.connection import Connection
from pytest_embedbench.lab.ports.discovery import PortQuery, attached, find
from pytest_embedbench.lab.ports.opening import open_port
from pytest_embedbench.lab.ports.reader import PortReader
from pytest_embedbench.lab.ports.stream import stream_for
from pytest_embedbench.model import Capability

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from contextlib import AbstractContextManager

    from pytest_embedbench.console import Console, TargetSession
    from pytest_embedbench.contracts import Board
    from pytest_embedbench.engines.linux.options import LinuxOptions
    from pytest_embedbench.errors import ToolMissing
    from pytest_embedbench.lab.inventory.booting import TakesFromLab
    from pytest_embedbench.lab.leases.lease import Lease
    from pytest_embedbench.lab.ports.discovery import Attached, ResolvedPort
    from pytest_embedbench.lab.ports.opening import SerialHandle
    from pytest_embedbench.model import BoardSpec, FirmwareImage

_ALONE = frozenset({Capability.RESET})


@dataclass(frozen=True, slots=True, kw_only=True)
class Linux:
    """Boots programs on Linux targets; ``listed`` says which ports are attached."""

    listed: Callable[[], Sequence[Attached]] = attached

    def boot(self, spec: BoardSpec, image: FirmwareImage) -> LinuxBoard:
        """Take one target and start the program on it.

        Raises:
            BoardBusy: it could not be had in time.
            BoardUnreachable: it is not there, or does not let us in.
            BoardGivenUp: it was lost earlier in this run.
            FlashFailed: the program cannot be copied to it.
            ConfigError: options or lab file are wrong.
        """
        return started(self, spec, lambda mine, lease: self.start(mine, image, lease))

    def booted_together(
        self, wanted: Sequence[tuple[TakesFromLab, BoardSpec, FirmwareImage]]
    ) -> AbstractContextManager[Sequence[Board]]:
        """Have targets, and boards of other engines of the lab, for a block.

        They are all taken before any is touched, and start side by side. Raises what
        ``boot`` raises.
        """
        return booted_together(wanted)

    def options(self, spec: BoardSpec) -> LinuxOptions:
        """Return a target's options; say what makes no sense before anybody waits."""
        options = linux_options(spec)
        controls_by_command(spec, options)
        return options

    def open_console(self, spec: BoardSpec) -> ConsoleLease:
        """Take one target and log in to it; raises what ``boot`` raises."""
        return started(
            self, spec, lambda mine, lease: ConsoleLease(lease, _enter(mine, lease))
        )

    def needs_image(self, spec: BoardSpec) -> bool:
        """Say whether any target that would do has a program copied to it."""
        return any(linux_options(choice).takes_image for choice in candidates_of(spec))

    def capabilities(self, spec: BoardSpec) -> frozenset[Capability]:
        """Return what a target can do: start its program anew, and over SSH more."""
        ports = [linux_options(choice).port for choice in candidates_of(spec)]
        # Where none is named it will only be known when the target is found.
        beside = any(not port or port.startswith(SCHEME) for port in ports)
        return _ALONE | {Capability.CONSOLE} if beside else _ALONE

    def missing(self) -> ToolMissing | None:
        """Say that nothing is: whether ssh is needed only a target says."""
        return None

    def version(self) -> str:
        """Name pexpect."""
        return f"pexpect {pexpect.__version__}"

    def start(self, spec: BoardSpec, image: FirmwareImage, lease: Lease) -> LinuxBoard:
        """Log in to a target that is ours, and start the program on it."""
        options = linux_options(spec)
        access = _enter(spec, lease)
        target = LinuxTarget(spec.name, access, options, spec.uarts[0].baud_bps)
        open_uart = self._uart_of(spec, options) if options.program_uart else None
        make = LinuxBoard if access.link is None else LinuxBoardWithConsole
        board = make(spec, lease, target, open_uart)
        try:
            target.install(image.elf_path if options.takes_image else None)
            board.start()
        except EmbedbenchError:
            board.close()
            raise
        return board

    def _uart_of(
        self, spec: BoardSpec, options: LinuxOptions
    ) -> Callable[[], Connection]:
        def open_reader(found: ResolvedPort) -> tuple[SerialHandle, PortReader]:
            port = open_port(found.address, baud_bps=spec.uarts[0].baud_bps)
            takes_within_s = options.program_takes_within_ms / 1000
            return port, PortReader(stream_for(port), takes_within_s).start()

        def open_uart() -> Connection:
            found = find(PortQuery(port=options.program_uart), self.listed())
            return Connection(
                found, open_reader, reappears_within_s=0.0, listed=self.listed
            )

        return open_uart


@dataclass(slots=True, eq=False)
class ConsoleLease:
    """A console of a target that is ours until ``close``."""

    lease: Lease
    access: TargetSession

    @property
    def console(self) -> Console:
        """Its shell."""
        return self.access.console

    def close(self) -> None:
        """Log out, and let the target go; safe to call twice."""
        try:
            self.access.close()
        finally:
            self.lease.release()


def _enter(spec: BoardSpec, lease: Lease) -> TargetSession:
    try:
        return connect(linux_options(spec).config(lease.found.address))
    except BoardLost as loss:
        lease.give_up(f"{spec.name}: {loss}")
        raise
