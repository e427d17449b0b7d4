"""Consoles of Linux targets: log in, run commands, copy files, hand over programs."""

from __future__ import annotations

from pytest_embedbench.console import output
from pytest_embedbench.console.connection import (
    ConnectionConfig,
    TargetSession,
    connect,
)
from pytest_embedbench.console.console import Console
from pytest_embedbench.console.login import Credentials
from pytest_embedbench.console.result import CommandResult, describe_exit

__all__ = [
    "CommandResult",
    "ConnectionConfig",
    "Console",
    "Credentials",
    "TargetSession",
    "connect",
    "describe_exit",
    "output",
]
