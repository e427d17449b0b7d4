"""Bytes of I2C to a device that acknowledges them all: kept, and told in a row.

An I2C bus at 400 kHz has up to 44,000 of them a second, which told one by one would
take longer than the chip takes to send them.
"""

from __future__ import annotations

from array import array
from itertools import chain
from typing import TYPE_CHECKING

from pytest_embedbench.wiring.net_log import BusKind
from pytest_embedbench.wiring.part_model import TakesBytes

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_embedbench.wiring.net_log import NetLog

_ACK = int(BusKind.I2C_ACK)


class I2cBacklog:
    """Whoever drives the bus adds to ``begins`` and ``values``, and catches up in time.

    That is before anything else is told of the bus or its devices.

    Args:
        log: Where bytes are written down.
        devices: Those on the bus, by address.
    """

    def __init__(self, log: NetLog, devices: Mapping[int, object]) -> None:
        self.begins = array("Q")
        self.values = bytearray()
        self.lasts_ticks = 0
        """How long each byte takes."""
        self._log, self._devices = log, devices
        self._device: TakesBytes | None = None

    def opens(self, address: int) -> bool:
        """Say whether bytes to an address can be kept, and take them from now on."""
        device = self._devices.get(address)
        self._device = device if isinstance(device, TakesBytes) else None
        return self._device is not None

    def go_over(self, lasts_ticks: int) -> None:
        """Take bytes from now on to take so long."""
        self.catch_up()
        self.lasts_ticks = lasts_ticks

    def catch_up(self) -> None:
        """Tell all that is kept."""
        if not self.values:
            return
        data, rest = bytes(self.values), self.lasts_ticks << 24 | _ACK
        words = [rest | each << 16 for each in data]
        self._log.add_bytes(chain.from_iterable(zip(self.begins, words, strict=True)))
        del self.begins[:]
        self.values.clear()
        assert self._device is not None
        self._device.take_bytes(data)
