"""Firmware on QEMU, in lockstep: exact virtual time over the gdb stub, unpatched."""

from __future__ import annotations

from pytest_embedbench.engines.qemu.board import QemuBoard
from pytest_embedbench.engines.qemu.engine import QemuArm

__all__ = ["QemuArm", "QemuBoard"]
