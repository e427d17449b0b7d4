"""Membrane keypad: a switch where each row meets a column; its contacts are clean."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_embedbench.errors import ConfigError
from pytest_embedbench.parts.models.contact import Contact

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_embedbench.wiring.part_model import Wires

_HALF = 0.5
_ROWS = range(1, 5)


class MembraneKeypad:
    """A keypad of four rows and three or four columns."""

    def __init__(self, wires: Wires, attrs: Mapping[str, str]) -> None:
        self._columns = int(attrs["columns"])
        self._keys = {
            f"row{row}column{column}": Contact(
                wires, (f"R{row}", f"C{column}"), bounce="0"
            )
            for row in _ROWS
            for column in range(1, self._columns + 1)
        }

    def control(self, at_ticks: int, name: str, value: float) -> None:
        """Press a key with 1, let go of it with 0.

        Raises:
            ConfigError: the keypad has three columns, and the key is in the fourth.
        """
        if name not in self._keys:
            raise ConfigError(f"a keypad of {self._columns} columns has no {name}")
        self._keys[name].move(at_ticks, closed=value >= _HALF)
