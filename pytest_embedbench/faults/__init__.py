"""Faults: pure disturbances of what passes between a plant and a board.

A fault is data; what it does is a pure step per tick; several make a chain. All chance
comes from a seed.
"""

from __future__ import annotations

from pytest_embedbench.faults.board import DutyLimit, Reset
from pytest_embedbench.faults.model import Effect, Fault, InjectionPoint, Message, Tick
from pytest_embedbench.faults.pipeline import FaultPipeline
from pytest_embedbench.faults.seeded_random import SeededRandom
from pytest_embedbench.faults.traffic import (
    BitErrors,
    Coalesce,
    Decimate,
    Delay,
    Drop,
    Fragment,
)
from pytest_embedbench.faults.values import Drift, Noise, Saturate, StuckAt

__all__ = [
    "BitErrors",
    "Coalesce",
    "Decimate",
    "Delay",
    "Drift",
    "Drop",
    "DutyLimit",
    "Effect",
    "Fault",
    "FaultPipeline",
    "Fragment",
    "InjectionPoint",
    "Message",
    "Noise",
    "Reset",
    "Saturate",
    "SeededRandom",
    "StuckAt",
    "Tick",
]
