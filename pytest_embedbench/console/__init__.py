"""Consoles of Linux targets: log in, run commands, copy files, hand over programs."""

from __future__ import annotations

from pytest_embedbench.console import output
from pytest_embedbench.console.connection import (
    Access,
    ConnectionConfig,
    HasConsoles,
    HeldConsole,
    enter,
)
from pytest_embedbench.console.console import CommandResult, Console, how_it_ended
from pytest_embedbench.console.login import Credentials

__all__ = [
    "Access",
    "CommandResult",
    "ConnectionConfig",
    "Console",
    "Credentials",
    "HasConsoles",
    "HeldConsole",
    "enter",
    "how_it_ended",
    "output",
]
