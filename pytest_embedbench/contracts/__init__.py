"""The seams: one small Protocol per room, spoken in nouns from ``model``.

Implement these without importing us. ``pytest_embedbench.testing`` has a
``check_*`` function for each; an implementation that passes it is a citizen.
"""

from __future__ import annotations

from pytest_embedbench.contracts.board import Board, Link, SharedBoard
from pytest_embedbench.contracts.builder import Builder
from pytest_embedbench.contracts.engine import (
    Engine,
    SharedEngine,
    Snapshot,
    SnapshotEngine,
)
from pytest_embedbench.contracts.plant import Figure, Measured, Plant
from pytest_embedbench.model import StateT

__all__ = [
    "Board",
    "Builder",
    "Engine",
    "Figure",
    "Link",
    "Measured",
    "Plant",
    "SharedBoard",
    "SharedEngine",
    "Snapshot",
    "SnapshotEngine",
    "StateT",
]
