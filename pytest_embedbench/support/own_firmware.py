"""Copies of our suites: they find boards and libraries of this installation."""

from __future__ import annotations

import re
from pathlib import Path

FIRMWARE = Path(__file__).parents[1] / "firmware"
"""The support libraries that all suites share."""
BOARDS = "boards.ini"
_IN_CHECKOUT = re.compile(r"(?:\.\./)+pytest_embedbench/firmware")


def stand_alone(ini: str) -> str:
    """Return a ``platformio.ini`` of our suites for a copy, with ``BOARDS`` beside it.

    It names the support libraries of this installation, for builds by hand.
    """
    ini = _IN_CHECKOUT.sub(lambda _: str(FIRMWARE), ini)
    return ini.replace(str(FIRMWARE / BOARDS), BOARDS)
