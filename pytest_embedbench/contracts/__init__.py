"""The seams: small Protocols that compose, spoken in nouns from ``model``.

Implement these without importing us. ``pytest_embedbench.testing`` has a
``check_*`` function for each kind of thing; what passes it is a citizen. ``Board``,
``Engine``, ``Builder`` and ``Plant`` have to be whole; all others are optional, and
whoever has the methods of one is one.
"""

from __future__ import annotations

from pytest_embedbench.contracts.board import (
    Board,
    BoardUnderTest,
    DrivesPins,
    HasAnalog,
    HasConsole,
    HasNotes,
    HasPins,
    HasPosition,
    HasPower,
    HasReset,
    HasVirtualTime,
    Link,
    ReadsPins,
    SharedBoard,
)
from pytest_embedbench.contracts.builder import (
    Builder,
    KnowsBoardTools,
    SetsUp,
    SetupReport,
    TakesSettings,
)
from pytest_embedbench.contracts.capabilities import PROTOCOLS, capabilities_of
from pytest_embedbench.contracts.console import CommandEnd, HeldConsole, TargetConsole
from pytest_embedbench.contracts.engine import (
    ChecksBoards,
    Engine,
    HasConsoles,
    KnowsCapabilities,
    SharedEngine,
    Snapshot,
    SnapshotEngine,
)
from pytest_embedbench.contracts.parts import lacking, parts_of
from pytest_embedbench.contracts.plant import Figure, Measured, Plant
from pytest_embedbench.model import StateT

__all__ = [
    "PROTOCOLS",
    "Board",
    "BoardUnderTest",
    "Builder",
    "ChecksBoards",
    "CommandEnd",
    "DrivesPins",
    "Engine",
    "Figure",
    "HasAnalog",
    "HasConsole",
    "HasConsoles",
    "HasNotes",
    "HasPins",
    "HasPosition",
    "HasPower",
    "HasReset",
    "HasVirtualTime",
    "HeldConsole",
    "KnowsBoardTools",
    "KnowsCapabilities",
    "Link",
    "Measured",
    "Plant",
    "ReadsPins",
    "SetsUp",
    "SetupReport",
    "SharedBoard",
    "SharedEngine",
    "Snapshot",
    "SnapshotEngine",
    "StateT",
    "TakesSettings",
    "TargetConsole",
    "capabilities_of",
    "lacking",
    "parts_of",
]
