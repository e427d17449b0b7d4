"""What a person does to one board, under the same locks as any test."""

from __future__ import annotations

from contextlib import ExitStack, closing, contextmanager
from typing import TYPE_CHECKING

from pytest_embedbench.errors import BenchFault, ConfigError, ToolMissing
from pytest_embedbench.lab.inventory.board_options import (
    flash_settings,
    serial_options,
)
from pytest_embedbench.lab.leases.blamed import named
from pytest_embedbench.lab.leases.lease import BoardRequest
from pytest_embedbench.lab.ports.opening import open_port

if TYPE_CHECKING:
    from collections.abc import Generator

    from pytest_embedbench.flashing import FlashSettings
    from pytest_embedbench.lab.inventory.controls import BoardControls
    from pytest_embedbench.lab.inventory.lab import LabBoard
    from pytest_embedbench.lab.leases.acquire import Leases
    from pytest_embedbench.lab.leases.lease import Lease
    from pytest_embedbench.lab.ports.opening import SerialHandle
    from pytest_embedbench.model import BoardSpec


@contextmanager
def taken(board: LabBoard, leases: Leases, *, wait_s: float) -> Generator[Lease]:
    """Have a board for the block, in turn with all that wait for it.

    Raises:
        BoardBusy: it did not come free in time, or somebody else holds it by hand.
        BoardUnreachable: it is not there.
        BenchFault: what failed in the block, with the name of the board.
    """
    request = BoardRequest(name=board.name, boards=((board.name, board.query),))
    (lease,) = leases.acquire([request], wait_s=wait_s)
    try:
        yield lease
    except ToolMissing:
        raise
    except BenchFault as fault:
        raise named(fault, board.name) from fault
    finally:
        lease.release()


def open_board(spec: BoardSpec, lease: Lease, *, baud_bps: int = 0) -> SerialHandle:
    """Open a board's port, with the modem lines as its options have them."""
    return open_port(
        lease.found.address,
        baud_bps=baud_bps or spec.uarts[0].baud_bps,
        lines=serial_options(spec).lines(),
    )


def press_reset(spec: BoardSpec, controls: BoardControls, lease: Lease) -> None:
    """Reset a board as a test does.

    Raises:
        ConfigError: it has no way to press reset.
    """
    if controls.reset is None:
        raise ConfigError(
            f"{spec.name} has no way to press reset: give it 'reset' in the lab file"
        )
    with ExitStack() as opened:
        port = None
        if controls.resets_by_port:
            port = opened.enter_context(closing(open_board(spec, lease)))
        controls.reset(port, lease.found.address, _nothing)


def switch_power(
    spec: BoardSpec, controls: BoardControls, lease: Lease, action: str
) -> None:
    """Switch a board's power ``on`` or ``off``, or ``cycle`` it.

    Raises:
        ConfigError: it has no switch.
    """
    ways = {
        "on": controls.power_on,
        "off": controls.power_off,
        "cycle": controls.power_cycle,
    }
    if (way := ways[action]) is None:
        raise ConfigError(
            f"{spec.name} has no way to switch its power: give it 'power' in the lab "
            "file"
        )
    way(None, lease.found.address, _nothing)


def insist_on_flashing(spec: BoardSpec) -> FlashSettings:
    """Return how a board is flashed.

    Raises:
        ConfigError: it is not.
    """
    settings = flash_settings(spec)
    if settings is None:
        raise ConfigError(
            f"{spec.name} runs what is on it: its lab file or datasheet has no flash "
            "method"
        )
    return settings


def _nothing() -> None:
    """Hear nothing: nobody listens to the board meanwhile."""
