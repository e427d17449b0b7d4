"""Put firmware on real boards, and bring boards back to life.

``flash`` asks a board who it is before it writes, skips what is there already, tries
again and slower, and reports every command. ``RESETS`` are the ways to press reset
over a serial port's control lines.
"""

from __future__ import annotations

from pytest_embedbench.flashing.flow import flash, identify, park
from pytest_embedbench.flashing.methods import METHODS, check_keys_of_any, read_settings
from pytest_embedbench.flashing.model import (
    After,
    Attempt,
    Erase,
    FlashMethod,
    FlashReport,
    FlashSettings,
    Identity,
)
from pytest_embedbench.flashing.recovery import reset_until_heard, run_command, uhubctl
from pytest_embedbench.flashing.reset import RESETS, Press, check_sequence, press

__all__ = [
    "METHODS",
    "RESETS",
    "After",
    "Attempt",
    "Erase",
    "FlashMethod",
    "FlashReport",
    "FlashSettings",
    "Identity",
    "Press",
    "check_keys_of_any",
    "check_sequence",
    "flash",
    "identify",
    "park",
    "press",
    "read_settings",
    "reset_until_heard",
    "run_command",
    "uhubctl",
]
