"""Devices on I2C with one address: all hear, and each pulls the line for itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pytest_embedbench.wiring.part_model import I2cDevice

_LET_GO = 0xFF


class SharedAddress:
    """Several devices as one: what any of them acknowledges is acknowledged.

    Of what is read, a bit is low if one of them pulls it down.
    """

    def __init__(self, devices: Iterable[I2cDevice]) -> None:
        self._devices = [*devices]
        self._open: list[I2cDevice] = []

    def begin(self, at_ticks: int, *, reads: bool) -> bool:
        """Ask them all; who does not acknowledge hears nothing more."""
        self._open = [it for it in self._devices if it.begin(at_ticks, reads=reads)]
        return bool(self._open)

    def write(self, at_ticks: int, byte: int) -> bool:
        """Tell a byte to those that have acknowledged."""
        answers = [it.write(at_ticks, byte) for it in self._open]
        return any(answers)

    def read(self, at_ticks: int) -> int:
        """Return what the line shows while all of them send."""
        together = _LET_GO
        for device in self._open:
            together &= device.read(at_ticks)
        return together

    def end(self, at_ticks: int) -> None:
        """Tell the end to those that have acknowledged."""
        for device in self._open:
            device.end(at_ticks)
        self._open = []
