"""Bytes of SPI that nobody answers: kept, and told when somebody looks at what they do.

A flat-out bus has 700,000 of them a second, which told one by one would take three
times as long as all else that a chip does.
"""

from __future__ import annotations

from array import array
from itertools import chain
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_embedbench.wiring.bit_spi import BitSpi
    from pytest_embedbench.wiring.net_log import NetLog

_NOTHING_CAME = 0xFF
_REVERSED = bytes(int(f"{byte:08b}"[::-1], 2) for byte in range(0x100))


class SpiBacklog:
    """Whoever drives the bus adds to ``begins`` and ``values``, and catches up in time.

    Args:
        log: Where bytes are written down.
        devices: Who is told; all of them ``ShiftsIn``.
    """

    def __init__(self, log: NetLog, devices: Sequence[BitSpi]) -> None:
        self.begins = array("Q")
        self.values = bytearray()
        self._log, self._devices = log, devices
        self._lasts_ticks = 0
        self._is_low_first = False
        self._words: list[int] = []

    def go_over(self, kind: int, lasts_ticks: int, *, is_low_first: bool) -> None:
        """Take bytes from now on to be of a ``BusKind``, and to take so long."""
        self.catch_up()
        self._lasts_ticks, self._is_low_first = lasts_ticks, is_low_first
        sent = _REVERSED if is_low_first else bytes(range(0x100))
        rest = lasts_ticks << 24 | _NOTHING_CAME << 8 | kind
        self._words = [rest | each << 16 for each in sent]

    def catch_up(self) -> None:
        """Tell all that is kept."""
        if not self.values:
            return
        data = bytes(self.values)
        words = map(self._words.__getitem__, data)
        self._log.add_bytes(chain.from_iterable(zip(self.begins, words, strict=True)))
        first_ends = self.begins[0] + self._lasts_ticks
        if self._is_low_first:
            data = data.translate(_REVERSED)
        # Before anybody is told, who may ask for what is kept.
        del self.begins[:]
        self.values.clear()
        for device in self._devices:
            device.shift_in(first_ends, data)
