"""Consoles of Linux targets: log in, run commands, copy files, hand over programs."""

from __future__ import annotations

from pytest_embedbench.console import output
from pytest_embedbench.console.console import CommandResult, Console, how_it_ended
from pytest_embedbench.console.login import Credentials
from pytest_embedbench.console.opening import (
    Access,
    ConnectionConfig,
    HasConsoles,
    HeldConsole,
    enter,
)

__all__ = [
    "Access",
    "CommandResult",
    "Console",
    "Credentials",
    "ConnectionConfig",
    "HasConsoles",
    "HeldConsole",
    "enter",
    "how_it_ended",
    "output",
]
