"""What a board can do follows from what it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_embedbench.contracts.board import (
    DrivesPins,
    HasAnalog,
    HasConsole,
    HasPower,
    HasReset,
    HasVirtualTime,
    ReadsPins,
)
from pytest_embedbench.model import Capability

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_embedbench.contracts.board import Board

PROTOCOLS: Mapping[Capability, type] = {
    Capability.READ_PINS: ReadsPins,
    Capability.DRIVE_PINS: DrivesPins,
    Capability.ANALOG: HasAnalog,
    Capability.RESET: HasReset,
    Capability.POWER_CYCLE: HasPower,
    Capability.CONSOLE: HasConsole,
}
"""What a board is that has a capability."""


def capabilities_of(board: Board) -> frozenset[Capability]:
    """Return what a board can do beyond moving bytes."""
    able = {able for able, protocol in PROTOCOLS.items() if isinstance(board, protocol)}
    if isinstance(board, HasVirtualTime) and board.virtual_time:
        able.add(Capability.VIRTUAL_TIME)
    return frozenset(able)
