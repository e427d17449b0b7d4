"""The types of parts that somebody knows, by name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_embedbench.wiring.part_type import PartType

CUSTOM_CHIP = "chip-"
"""What the types of chips that somebody wrote for Wokwi's cloud begin with."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PartCatalogue:
    """Part types by name; of ``boards_elsewhere`` no more is known than that they are.

    Those are boards that circuits do not run on here.
    """

    types: Mapping[str, PartType]
    boards_elsewhere: frozenset[str] = frozenset()

    @property
    def boards(self) -> Mapping[str, PartType]:
        """The types that are boards, by the board's name (``uno``)."""
        return {part.board: part for part in self.types.values() if part.board}
