"""A program on a Linux target, started over its console, in host time."""

from __future__ import annotations

from pytest_embedbench.engines.linux.board import LinuxBoard
from pytest_embedbench.engines.linux.engine import Linux

__all__ = ["Linux", "LinuxBoard"]
