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
    DrivesPulses,
    HasAnalog,
    HasConsole,
    HasNotes,
    HasPins,
    HasPosition,
    HasPower,
    HasReset,
    HasVirtualTime,
    HearsBetween,
    Link,
    ReadsPins,
    RunsAhead,
    RunsOn,
    SwitchesPower,
)
from pytest_embedbench.contracts.builder import (
    Buildable,
    Builder,
    EnvironmentFacts,
    HasUnitTests,
    KnowsBoardTools,
    KnowsEnvironments,
    KnowsFrameworks,
    LendsTools,
    LentTools,
    SetsUp,
    SetupReport,
    TakesSettings,
    UnitTestSuite,
)
from pytest_embedbench.contracts.capabilities import PROTOCOLS, capabilities_of
from pytest_embedbench.contracts.circuit import (
    BoardCircuit,
    HasCircuit,
    ShowsDrives,
    ShowsPictures,
    TakesCardFiles,
    TakesTouches,
)
from pytest_embedbench.contracts.console import CommandEnd, HeldConsole, TargetConsole
from pytest_embedbench.contracts.engine import (
    ChecksBoards,
    ChecksImages,
    Engine,
    HasConsoles,
    HasStandIns,
    KnowsCapabilities,
    KnowsImageKinds,
    LabEngine,
    MayWrite,
    RunsPlainPrograms,
    SharedEngine,
    Snapshot,
    SnapshotEngine,
    VersionsByOptions,
)
from pytest_embedbench.contracts.instrument import Instrument
from pytest_embedbench.contracts.joining import ExchangesBytes, WireByte
from pytest_embedbench.contracts.parts import lacking, parts_of
from pytest_embedbench.contracts.pin_use import HasPinUse
from pytest_embedbench.contracts.plant import Figure, Measured, Plant
from pytest_embedbench.contracts.scripts import RunsScripts, ScriptStep
from pytest_embedbench.contracts.shared import (
    CanBeMissed,
    HasLabRecord,
    IsPluggedIn,
    SharedBoard,
)
from pytest_embedbench.model import StateT

__all__ = [
    "PROTOCOLS",
    "Board",
    "BoardCircuit",
    "BoardUnderTest",
    "Buildable",
    "Builder",
    "CanBeMissed",
    "ChecksBoards",
    "ChecksImages",
    "CommandEnd",
    "DrivesPins",
    "DrivesPulses",
    "Engine",
    "EnvironmentFacts",
    "ExchangesBytes",
    "Figure",
    "HasAnalog",
    "HasCircuit",
    "HasConsole",
    "HasConsoles",
    "HasLabRecord",
    "HasNotes",
    "HasPinUse",
    "HasPins",
    "HasPosition",
    "HasPower",
    "HasReset",
    "HasStandIns",
    "HasUnitTests",
    "HasVirtualTime",
    "HearsBetween",
    "HeldConsole",
    "Instrument",
    "IsPluggedIn",
    "KnowsBoardTools",
    "KnowsCapabilities",
    "KnowsEnvironments",
    "KnowsFrameworks",
    "KnowsImageKinds",
    "LabEngine",
    "LendsTools",
    "LentTools",
    "Link",
    "MayWrite",
    "Measured",
    "Plant",
    "ReadsPins",
    "RunsAhead",
    "RunsOn",
    "RunsPlainPrograms",
    "RunsScripts",
    "ScriptStep",
    "SetsUp",
    "SetupReport",
    "SharedBoard",
    "SharedEngine",
    "ShowsDrives",
    "ShowsPictures",
    "Snapshot",
    "SnapshotEngine",
    "StateT",
    "SwitchesPower",
    "TakesCardFiles",
    "TakesSettings",
    "TakesTouches",
    "TargetConsole",
    "UnitTestSuite",
    "VersionsByOptions",
    "WireByte",
    "capabilities_of",
    "lacking",
    "parts_of",
]
