"""A real board behind a serial port, in host time."""

from __future__ import annotations

from pytest_embedbench.engines.serial_port.board import SerialBoard
from pytest_embedbench.engines.serial_port.engine import SerialPort

__all__ = ["SerialBoard", "SerialPort"]
