"""Faults: pure disturbances of what passes between a plant and a board.

A fault is data; what it does is a pure step per tick; several make a chain. All chance
comes from a seed.
"""

from __future__ import annotations

from pytest_embedbench.faults.board import DutyLimit, Reset
from pytest_embedbench.faults.chain import FaultPipeline
from pytest_embedbench.faults.dice import SeededRandom
from pytest_embedbench.faults.nouns import Effect, Fault, Tick, Message, InjectionPoint
from pytest_embedbench.faults.traffic import BitErrors, Delay, Drop, Coalesce, Fragment, Decimate
from pytest_embedbench.faults.values import Saturate, Drift, Noise, StuckAt

__all__ = [
    "BitErrors",
    "FaultPipeline",
    "Saturate",
    "Delay",
    "SeededRandom",
    "Drift",
    "DutyLimit",
    "Effect",
    "Fault",
    "Drop",
    "Coalesce",
    "Tick",
    "Noise",
    "Message",
    "InjectionPoint",
    "Reset",
    "Fragment",
    "StuckAt",
    "Decimate",
]
