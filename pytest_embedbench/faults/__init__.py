"""Faults: pure disturbances of what passes between a plant and a board.

A fault is data; what it does is a pure step per tick; several make a chain. All chance
comes from a seed.
"""

from __future__ import annotations

from pytest_embedbench.faults.board import DutyLimit, Reset
from pytest_embedbench.faults.chain import Chain
from pytest_embedbench.faults.dice import Dice
from pytest_embedbench.faults.nouns import Effect, Fault, Moment, Passing, Place
from pytest_embedbench.faults.traffic import BitErrors, Delay, Loss, Merge, Split, Thin
from pytest_embedbench.faults.values import Clamp, Drift, Noise, Stuck

__all__ = [
    "BitErrors",
    "Chain",
    "Clamp",
    "Delay",
    "Dice",
    "Drift",
    "DutyLimit",
    "Effect",
    "Fault",
    "Loss",
    "Merge",
    "Moment",
    "Noise",
    "Passing",
    "Place",
    "Reset",
    "Split",
    "Stuck",
    "Thin",
]
