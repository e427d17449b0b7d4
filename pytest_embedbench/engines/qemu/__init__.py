"""Firmware on QEMU, in lockstep: exact virtual time over the gdb stub, unpatched."""

from __future__ import annotations

from pytest_embedbench.engines.qemu.arm import QemuArm
from pytest_embedbench.engines.qemu.board import QemuBoard
from pytest_embedbench.engines.qemu.esp import QemuEsp, esp32, esp32c3, esp32s3

__all__ = ["QemuArm", "QemuBoard", "QemuEsp", "esp32", "esp32c3", "esp32s3"]
