"""The table of part types: what a diagram can have round a board.

Names of types, pins, attributes and controls are Wokwi's, so a diagram of theirs is one
here; what they lack has a name that begins with ``embedbench-``. Data alone.
"""

from __future__ import annotations

from pytest_embedbench.parts.boards import BOARDS, BOARDS_ELSEWHERE
from pytest_embedbench.parts.breadboards import BREADBOARDS
from pytest_embedbench.parts.displays import DISPLAYS
from pytest_embedbench.parts.lights import LIGHTS
from pytest_embedbench.parts.modules import MODULES
from pytest_embedbench.parts.motors import MOTORS
from pytest_embedbench.parts.passives import PASSIVES
from pytest_embedbench.parts.pixels import PIXELS
from pytest_embedbench.parts.plant_parts import PLANT_PARTS
from pytest_embedbench.parts.sensors import SENSORS
from pytest_embedbench.parts.switches import SWITCHES
from pytest_embedbench.wiring.catalogue import PartCatalogue

CATALOGUE = PartCatalogue(
    types={
        part.name: part
        for family in (
            *(BOARDS, BREADBOARDS, DISPLAYS, LIGHTS, MODULES),
            *(MOTORS, PASSIVES, PIXELS, PLANT_PARTS, SENSORS, SWITCHES),
        )
        for part in family
    },
    boards_elsewhere=BOARDS_ELSEWHERE,
)
"""Every type that is known here."""
