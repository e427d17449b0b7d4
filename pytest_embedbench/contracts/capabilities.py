"""What a board can do follows from what it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_embedbench.contracts.board import (
    DrivesPins,
    DrivesPulses,
    HasAnalog,
    HasConsole,
    HasPower,
    HasReset,
    HasVirtualTime,
    ReadsPins,
    SwitchesPower,
)
from pytest_embedbench.contracts.circuit import HasCircuit
from pytest_embedbench.model import Capability

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_embedbench.contracts.board import Board

OLD_CAPABILITIES = {"step-time": "virtual-time"}
"""What ``needs(...)`` takes for one release more, and what that is called now."""
PROTOCOLS: Mapping[Capability, type] = {
    Capability.READ_PINS: ReadsPins,
    Capability.DRIVE_PINS: DrivesPins,
    Capability.DRIVE_PULSES: DrivesPulses,
    Capability.ANALOG: HasAnalog,
    Capability.RESET: HasReset,
    Capability.POWER_CYCLE: HasPower,
    Capability.POWER_SWITCH: SwitchesPower,
    Capability.CONSOLE: HasConsole,
    Capability.CIRCUIT: HasCircuit,
}
"""What a board is that has a capability."""


def is_capability(word: str) -> bool:
    """Say whether ``needs(...)`` takes a word for what a board itself can do."""
    return word in OLD_CAPABILITIES or any(word == each.value for each in Capability)


def meant_capability(word: str) -> str:
    """Return the capability that a word is too near to, to be anything else; or ``""``.

    All other words are features: what a lab's boards are wired to.
    """
    import difflib  # noqa: PLC0415  # for words that are no capability only

    known = {capability.value: capability.value for capability in Capability}
    meant = known | OLD_CAPABILITIES
    near = [] if word in meant else difflib.get_close_matches(word, meant, 1, 0.75)
    return meant[near[0]] if near else ""


def capabilities_of(board: Board) -> frozenset[Capability]:
    """Return what a board can do beyond moving bytes."""
    able = {able for able, protocol in PROTOCOLS.items() if isinstance(board, protocol)}
    if isinstance(board, HasVirtualTime) and board.virtual_time:
        able.add(Capability.VIRTUAL_TIME)
    return frozenset(able)
