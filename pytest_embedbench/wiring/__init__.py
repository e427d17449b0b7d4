"""What is wired round a board: diagrams, the nets in them, and what is wrong there.

Pure: no simulator, no clock, no files. Which types of parts there are comes in as an
argument; the table of them is ``pytest_embedbench.parts``. The author of a part finds
here what one is made of.
"""

from __future__ import annotations

from pytest_embedbench.pins import Level
from pytest_embedbench.wiring.drives import RELEASED, Drive, Strength, drive
from pytest_embedbench.wiring.part import Part
from pytest_embedbench.wiring.part_model import (
    I2cDevice,
    MakeModel,
    Powered,
    Reading,
    ShiftsIn,
    SpiDevice,
    TakesBytes,
    TakesFiles,
    Wires,
)
from pytest_embedbench.wiring.part_type import (
    NamedBy,
    OnlyIf,
    PartAttribute,
    PartControl,
    PartPin,
    PartType,
    PinPair,
    PinRole,
)

__all__ = [
    "RELEASED",
    "Drive",
    "I2cDevice",
    "Level",
    "MakeModel",
    "NamedBy",
    "OnlyIf",
    "Part",
    "PartAttribute",
    "PartControl",
    "PartPin",
    "PartType",
    "PinPair",
    "PinRole",
    "Powered",
    "Reading",
    "ShiftsIn",
    "SpiDevice",
    "Strength",
    "TakesBytes",
    "TakesFiles",
    "Wires",
    "drive",
]
