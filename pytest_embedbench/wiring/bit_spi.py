"""SPI by the edges of its lines, for devices that know bytes alone.

Mode 0 or 3, the highest bit first: data is taken as the clock rises, and what goes out
changes as it falls.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_embedbench.pins import Level
from pytest_embedbench.wiring.bit_lines import BitLine
from pytest_embedbench.wiring.drives import RELEASED, Strength, drive
from pytest_embedbench.wiring.part_model import ShiftsIn

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_embedbench.wiring.part_model import SpiDevice, Wires

_LOW = drive(Strength.OUTPUT, Level.LOW)
_HIGH = drive(Strength.OUTPUT, Level.HIGH)
_BITS = 8


def _nothing() -> None:
    """Nothing was kept."""


class BitSpi:
    """What puts a device on three or four lines.

    Its select line counts a tick later, so that a clock that rises at the same moment
    belongs to what was before.

    Args:
        wires: What the device's part hangs on.
        clock: The pin of the clock.
        data_in: The pin that bits come in at.
        select: The pin that is low while it is selected.
        device: Who is told.
        data_out: The pin that bits go out at, or none.
    """

    def __init__(
        self,
        wires: Wires,
        clock: str,
        data_in: str,
        select: str,
        device: SpiDevice,
        *,
        data_out: str = "",
    ) -> None:
        self._wires, self._device, self._data_out = wires, device, data_out
        self._clock = BitLine(is_high=False)
        self._data = BitLine(is_high=False)
        self._select = BitLine(is_high=True)
        self._selected_at_ticks: int | None = None
        self._is_selected = False
        self._bits = self._in = self._out = 0
        self.is_heard = bool(data_out)
        """Whether what goes out as a byte comes to anybody."""
        self.catch_up: Callable[[], None] = _nothing
        """Has told what was kept, before bits and the select line are."""
        wires.on_level(clock, self._on_clock)
        wires.on_level(data_in, self._on_data)
        wires.on_level(select, self._on_select)

    def exchange(self, at_ticks: int, byte: int) -> int | None:
        """Take a byte whose bits are not heard; return what went out, if it did.

        It does while the device is selected, if it is heard.
        """
        if self._selected_at_ticks is not None:
            self._settle(at_ticks)
        out = self._out if self._is_selected and self.is_heard else None
        self._out = self._device.transfer(at_ticks, byte)
        return out

    @property
    def is_patient(self) -> bool:
        """Whether bytes may be told late: nobody hears what becomes of them."""
        return not self.is_heard and isinstance(self._device, ShiftsIn)

    def shift_in(self, first_ends_ticks: int, data: bytes) -> None:
        """Take bytes late whose bits are not heard."""
        self._settle(first_ends_ticks)
        assert isinstance(self._device, ShiftsIn)
        self._out = self._device.shift_in(data)

    def _on_data(self, at_ticks: int, level: Level) -> None:
        self._data.move(at_ticks, level)

    def _on_select(self, at_ticks: int, level: Level) -> None:
        self.catch_up()
        self._settle(at_ticks)
        if self._select.move(at_ticks, level):
            self._selected_at_ticks = at_ticks
            self._wires.at(at_ticks + 1, self._settle)

    def _settle(self, at_ticks: int) -> None:
        """Take what the select line did at an earlier moment."""
        since_ticks = self._selected_at_ticks
        if since_ticks is None or since_ticks >= at_ticks:
            return
        self._selected_at_ticks = None
        self._is_selected = not self._select.is_high
        if self._is_selected:
            self._bits = self._in = 0
        self._out = self._device.select(since_ticks, is_selected=self._is_selected)
        self._put()

    def _on_clock(self, at_ticks: int, level: Level) -> None:
        self.catch_up()
        self._settle(at_ticks)
        if not self._clock.move(at_ticks, level):
            return
        if not self._clock.is_high:
            self._put()
            return
        self._in = self._in << 1 | self._data.was_high(at_ticks)
        self._bits += 1
        if self._bits == _BITS:
            byte, self._bits, self._in = self._in, 0, 0
            self._out = self._device.transfer(at_ticks, byte)

    def _put(self) -> None:
        if not self._data_out:
            return
        due = RELEASED
        if self._is_selected:
            due = _HIGH if self._out >> (_BITS - 1 - self._bits) & 1 else _LOW
        self._wires.drive(self._data_out, due)
