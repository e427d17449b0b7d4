"""A part as a package brings it: what it is, and who makes its model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pytest_embedbench.wiring.part_model import MakeModel
    from pytest_embedbench.wiring.part_type import PartType


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A type of parts and its model, in a file that stands alone.

    An engine loads that file where nothing is installed, so it imports nothing but the
    standard library and ``pytest_embedbench.wiring``, nor from its own package.

    Args:
        kind: The type; its name is the name of the entry point.
        make: Makes a model on its wires, from attributes.
    """

    kind: PartType
    make: MakeModel
