"""An AVR in a circuit: its pins, ADC and buses, and the clock that parts live by."""

from __future__ import annotations

from pytest_embedbench.engines.simavr.core import layout
from pytest_embedbench.wiring.chip_pin import PinDrive
from pytest_embedbench.wiring.diagram import Endpoint
from pytest_embedbench.wiring.live_circuit import ChipPins, LiveCircuit
from pytest_embedbench.wiring.net_log import BusKind

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_embedbench.engines.simavr.core.adc import Adc
    from pytest_embedbench.engines.simavr.core.machine import AvrMachine
    from pytest_embedbench.engines.simavr.core.pins import AvrPort
    from pytest_embedbench.engines.simavr.core.spi import Spi, SpiByte
    from pytest_embedbench.engines.simavr.core.twi import Twi
    from pytest_embedbench.pins import Level
    from pytest_embedbench.wiring.catalogue import PartCatalogue
    from pytest_embedbench.wiring.chip_pin import ChipPin
    from pytest_embedbench.wiring.diagram import Diagram
    from pytest_embedbench.wiring.part_model import I2cDevice, MakeModel

_I2C_BYTE_CLOCKS = 9
_BITS = 8
_SPI_MODES = BusKind.SPI_0, BusKind.SPI_1, BusKind.SPI_2, BusKind.SPI_3


class AvrCircuit:
    """A circuit round a machine.

    Args:
        machine: The MCU.
        ports: Its ports, by letter.
        pins: By the diagram's name of a pin, what it is: ``PB5``, or ``ADC6`` for one
            that has no port.
        channels: By the diagram's name of a pin, its channel of the ADC.
        diagram: What is wired.
        catalogue: The types of parts.
        models: What they do.
    """

    def __init__(  # noqa: PLR0913  # by keyword
        self,
        machine: AvrMachine,
        ports: Mapping[str, AvrPort],
        *,
        pins: Mapping[str, str],
        channels: Mapping[str, int],
        diagram: Diagram,
        catalogue: PartCatalogue,
        models: Mapping[str, MakeModel],
    ) -> None:
        self._machine = machine
        self._ports = ports
        self._pins = {name: port for name, port in pins.items() if port[0] == "P"}
        self._timer = machine.keep(layout.CycleTimer(self._on_due))
        machine.going_on.add(self._timer)
        machine.revive.append(self._on_reset)
        names = {port: name for name, port in self._pins.items()}
        self.live = LiveCircuit(
            diagram,
            catalogue,
            models,
            pins=ChipPins(
                tuple(self._pins),
                tuple(names.get(port, "") for port in machine.mcu.twi_pins),
                tuple(names.get(port, "") for port in machine.mcu.spi_pins),
            ),
            chip=self,
            ticks_per_us=machine.cpu_hz // 1_000_000,
            supply_mv=machine.vcc_mv,
        )
        self._by_port = {
            self._pins[name]: pin for name, pin in self.live.chip_pins.items()
        }
        self._channels = {
            channel: self.live.netlist.index[Endpoint(self.live.board, name)]
            for name, channel in channels.items()
            if self.live.is_wired(name)
        }
        for port, pin in self._by_port.items():
            self._port(port).watch(int(port[2]), pin.on_drive)

    def connect(self, adc: Adc, spi: Spi, twi: Twi) -> None:
        """Let the peripherals know what they are wired to; then there is power."""
        for channel, net in self._channels.items():
            adc.wired[channel] = _Voltage(self.live, net).mv
        _SpiInCircuit(self._machine, self.live, spi, self._by_port)
        _TwiInCircuit(self._machine, self.live, twi)
        self.live.start()

    def pwm(self, cycle: int, port: str, period_us: float, duty: float) -> None:
        """Take what a timer puts on a pin from now on."""
        pin = self._by_port.get(port)
        if pin is not None:
            period_ticks = round(period_us * self._machine.cpu_hz / 1_000_000)
            code = self._port(port).drive_code(int(port[2]))
            pin.pulse(cycle, period_ticks, round(period_ticks * duty), code)

    # ------------------------------------------------------------- what a circuit asks
    def wake_at(self, at_ticks: int) -> None:
        """See ``Chip``."""
        self._machine.at(at_ticks, self._timer)

    def show(self, pin: str, level: Level) -> None:
        """See ``Chip``."""
        port = self._pins[pin]
        self._port(port).drive(int(port[2]), level.value)

    # ------------------------------------------------------------------------ inside
    def _port(self, port: str) -> AvrPort:
        return self._ports[port[1]]

    def _on_due(self, _avr: int, when: int, _param: int) -> int:
        return self.live.on_due(when) or 0

    def _on_reset(self) -> None:
        """Plan anew what a reset of the core has forgotten."""
        next_ticks = self.live.agenda.next_ticks()
        if next_ticks is not None:
            self.wake_at(next_ticks)


class _Voltage:
    def __init__(self, live: LiveCircuit, net: int) -> None:
        self._live, self._net = live, net

    def mv(self) -> float:
        return self._live.voltages.of_net(self._net)


class _SpiInCircuit:
    """The SPI master on its pins: in bytes for those who know bytes, else in bits."""

    def __init__(
        self,
        machine: AvrMachine,
        live: LiveCircuit,
        spi: Spi,
        pins: Mapping[str, ChipPin],
    ) -> None:
        self._machine, self._live = machine, live
        sck, mosi, miso = machine.mcu.spi_pins
        self._clock, self._data = pins.get(sck), pins.get(mosi)
        self._data_in = pins.get(miso)
        self._in_bits = live.buses.spi_needs_edges()
        self._received = 0
        if self._in_bits:
            spi.begun = self._on_begun
        if self._clock or self._data:
            spi.exchange = self._exchange

    def _exchange(self, byte: SpiByte) -> int | None:
        """Return what came back for a byte that has just gone over."""
        value = _reversed(byte.value) if byte.is_low_first else byte.value
        if self._in_bits:
            back: int | None = self._received if self._data_in else None
        else:
            back = self._live.buses.exchange(byte.ends_at, value)
            self._live.nets.settle(byte.ends_at)
            kind = _SPI_MODES[byte.clock_idles_high << 1 | byte.late]
            ends, other = byte.ends_at, 0xFF if back is None else back
            self._live.nets.log.add_byte(kind, byte.begins_at, ends, value, other)
        if back is not None and byte.is_low_first:
            return _reversed(back)
        return back

    def _on_begun(self, byte: SpiByte) -> None:
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
        def go(now_ticks: int) -> None:
            if samples and self._data_in:
                level = self._live.nets.network.level(self._data_in.net)
                self._received = self._received << 1 | (level.value == 1)
            if pin:
                pin.on_drive(now_ticks, code)

        self._live.agenda.at(at_ticks, go)


class _TwiInCircuit:
    """The TWI master: its devices are told bytes, and what they do is applied."""

    def __init__(self, machine: AvrMachine, live: LiveCircuit, twi: Twi) -> None:
        self._machine, self._live, self._twi = machine, live, twi
        for address, device in live.buses.i2c.items():
            twi.devices[address] = _OnBus(machine, live, device)
        twi.told, twi.stopped = self._on_byte, self._on_stop

    def _on_byte(self, byte: int, acknowledged: bool, begins: bool) -> None:  # noqa: FBT001
        now = self._machine.avr.cycle
        begins_at = now - _I2C_BYTE_CLOCKS * self._twi.clock_cycles()
        how = BusKind.I2C_ACK if acknowledged else BusKind.I2C_NACK
        self._live.nets.log.add_byte(how, begins_at, now, byte, int(begins))

    def _on_stop(self) -> None:
        now = self._machine.avr.cycle
        self._live.nets.log.add_byte(BusKind.I2C_STOP, now, now, 0, 0)


class _OnBus:
    """A device as the TWI knows one."""

    def __init__(
        self, machine: AvrMachine, live: LiveCircuit, device: I2cDevice
    ) -> None:
        self._machine, self._live, self._device = machine, live, device

    def begin(self, *, reads: bool) -> bool:
        now = self._machine.avr.cycle
        acknowledged = self._device.begin(now, reads=reads)
        self._live.nets.settle(now)
        return acknowledged

    def write(self, byte: int) -> bool:
        now = self._machine.avr.cycle
        acknowledged = self._device.write(now, byte)
        self._live.nets.settle(now)
        return acknowledged

    def read(self) -> int:
        now = self._machine.avr.cycle
        byte = self._device.read(now)
        self._live.nets.settle(now)
        return byte

    def end(self) -> None:
        now = self._machine.avr.cycle
        self._device.end(now)
        self._live.nets.settle(now)


def _reversed(byte: int) -> int:
    return int(f"{byte:08b}"[::-1], 2)
