"""The SPI of an AVR in a circuit: bytes, or bits at pins."""

from __future__ import annotations

from pytest_embedbench.wiring.chip_pin import PinDrive
from pytest_embedbench.wiring.net_log import BusKind

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_embedbench.engines.simavr.core.machine import AvrMachine
    from pytest_embedbench.engines.simavr.core.pins import AvrPort
    from pytest_embedbench.engines.simavr.core.spi import Spi, SpiByte
    from pytest_embedbench.wiring.chip_pin import ChipPin
    from pytest_embedbench.wiring.live_circuit import LiveCircuit

_BITS = 8
_SPI_MODES = BusKind.SPI_0, BusKind.SPI_1, BusKind.SPI_2, BusKind.SPI_3


class SpiInCircuit:
    """The SPI master on its pins: in bytes for those who know bytes, else in bits."""

    def __init__(
        self,
        machine: AvrMachine,
        live: LiveCircuit,
        spi: Spi,
        pins: Mapping[str, ChipPin],
        ports: Mapping[str, AvrPort],
    ) -> None:
        self._live = live
        sck, mosi, miso = machine.mcu.spi_pins
        self._port = ports[sck[1]]
        self._sck, self._mosi = int(sck[2]), int(mosi[2])
        self._clock, self._data = pins.get(sck), pins.get(mosi)
        self._data_in = pins.get(miso)
        self._spi = spi
        self._received: int | None = None  # while a byte goes over in bits
        self._is_leaving_bits = False
        self._switched = 0  # how often SPI was, so that bits of before are forgotten
        if self._clock or self._data:
            live.nets.on_ears = self._on_ears
            self._on_ears()
            spi.lines.on_end = self._forget_bits

    def _exchange(self, byte: SpiByte) -> int | None:
        """Return what came back for a byte that has just gone over."""
        value = _reversed(byte.value) if byte.is_low_first else byte.value
        if self._received is not None:
            back = self._received if self._data_in else None
            self._received = None
            if self._is_leaving_bits:
                self._on_ears()
        else:
            nets = self._live.nets
            back = self._live.buses.exchange(byte.ends_at, value)
            if not nets.network.is_settled:
                nets.settle(byte.ends_at)
            kind = _SPI_MODES[byte.mode]
            ends, other = byte.ends_at, 0xFF if back is None else back
            nets.log.add_byte(kind, byte.begins_at, ends, value, other)
        if back is not None and byte.is_low_first:
            return _reversed(back)
        return back

    def _forget_bits(self) -> None:
        """Do not move pins that are about to be the port's."""
        self._switched += 1
        self._received = None

    def _on_ears(self) -> None:
        """Go over to bits, or back to bytes, from the next byte on."""
        buses = self._live.buses
        buses.backlog.catch_up()
        needs_bits = buses.spi_needs_edges(self._clock, self._data)
        is_in_bits = self._received is not None
        self._is_leaving_bits = is_in_bits and not needs_bits
        if needs_bits:
            self._spi.connect(begun=self._plan_bits, exchange=self._exchange)
        elif is_in_bits or not buses.is_patient:
            self._spi.connect(exchange=self._exchange)
        else:
            self._spi.connect(backlog=buses.backlog)

    def _plan_bits(self, byte: SpiByte) -> None:
        """Plan the edges of a byte: data changes at every other one of the clock's."""
        value = _reversed(byte.value) if byte.is_low_first else byte.value
        bit_cycles = (byte.ends_at - byte.begins_at) // _BITS
        half_cycles = bit_cycles // 2
        self._received = 0
        idle = PinDrive.HIGH if byte.clock_idles_high else PinDrive.LOW
        busy = PinDrive.LOW if byte.clock_idles_high else PinDrive.HIGH
        for index in range(_BITS):
            data = PinDrive.HIGH if value >> (_BITS - 1 - index) & 1 else PinDrive.LOW
            begins_at = byte.begins_at + index * bit_cycles
            middle = begins_at + half_cycles
            if byte.late:
                self._plan(begins_at, self._clock, busy)
                self._plan(begins_at, self._data, data)
                self._plan(middle, self._clock, idle, samples=True)
            else:
                if index:
                    self._plan(begins_at, self._clock, idle)
                self._plan(begins_at, self._data, data)
                self._plan(middle, self._clock, busy, samples=True)
        if not byte.late:
            self._plan(byte.ends_at, self._clock, idle)

    def _plan(
        self, at_ticks: int, pin: ChipPin | None, code: int, *, samples: bool = False
    ) -> None:
        switched = self._switched

        def go(now_ticks: int) -> None:
            if self._switched != switched:
                return
            if samples and self._data_in:
                level = self._live.nets.network.level(self._data_in.net)
                self._received = (self._received or 0) << 1 | (level.value == 1)
            bit = self._sck if pin is self._clock else self._mosi
            if pin and self._port.direction >> bit & 1:
                pin.on_drive(now_ticks, code)

        self._live.agenda.at(at_ticks, go)


def _reversed(byte: int) -> int:
    return int(f"{byte:08b}"[::-1], 2)
