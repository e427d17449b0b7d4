"""Copies of our suites: they find boards and libraries of this installation."""

from __future__ import annotations

from pathlib import Path

FIRMWARE = Path(__file__).parents[1] / "firmware"
"""The support libraries that all suites share."""
BOARDS = "boards.ini"
_IN_CHECKOUT = "../../pytest_embedbench/firmware"


def stand_alone(ini: str) -> str:
    """Return a ``platformio.ini`` of our suites for a copy, with ``BOARDS`` beside it.

    It names the support libraries of this installation, for builds by hand.
    """
    ini = ini.replace(f"{_IN_CHECKOUT}/{BOARDS}", BOARDS)
    return ini.replace(_IN_CHECKOUT, str(FIRMWARE))
