"""The same C firmware as a process of this machine, in virtual time."""

from __future__ import annotations

from pytest_embedbench.engines.native.board import NativeBoard
from pytest_embedbench.engines.native.engine import Native, NativeForkServer

__all__ = ["Native", "NativeBoard", "NativeForkServer"]
