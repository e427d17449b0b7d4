"""An AVR in a circuit: its pins, ADC and buses, and the clock that parts live by."""

from __future__ import annotations

from functools import partial

from pytest_embedbench.engines.simavr.core import layout
from pytest_embedbench.engines.simavr.core.floating_reads import FloatingReads
from pytest_embedbench.engines.simavr.core.spi_pins import SpiInCircuit
from pytest_embedbench.wiring.chip_pin import PIN_DRIVES, drive_together
from pytest_embedbench.wiring.diagram import Endpoint
from pytest_embedbench.wiring.live_circuit import ChipPins, LiveCircuit
from pytest_embedbench.wiring.net_log import BusKind

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pytest_embedbench.engines.simavr.core.adc import Adc
    from pytest_embedbench.engines.simavr.core.machine import AvrMachine
    from pytest_embedbench.engines.simavr.core.pins import AvrPort
    from pytest_embedbench.engines.simavr.core.spi import Spi
    from pytest_embedbench.engines.simavr.core.twi import Twi
    from pytest_embedbench.pins import Level
    from pytest_embedbench.wiring.catalogue import PartCatalogue
    from pytest_embedbench.wiring.diagram import Diagram
    from pytest_embedbench.wiring.part_model import MakeModel

_BITS = 8
_ACK, _NACK = int(BusKind.I2C_ACK), int(BusKind.I2C_NACK)


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
        self._alone = {
            self.live.netlist.index[Endpoint(self.live.board, name)]: port
            for name, port in self._pins.items()
            if name not in self.live.chip_pins
        }
        self._heard_alone: dict[str, Callable[[int, int], None]] = {}
        self._channels = {
            channel: self.live.netlist.index[Endpoint(self.live.board, name)]
            for name, channel in channels.items()
            if self.live.is_wired(name)
        }
        for port, pin in self._by_port.items():
            pin.connect(partial(self._port(port).watch, int(port[2])))
        for letter, each in ports.items():
            each.watch_many(self._port_watch(letter))
            self._look_at_reads(letter, each)

    def _look_at_reads(self, letter: str, port: AvrPort) -> None:
        wired = {
            int(at[2]): pin for at, pin in self._by_port.items() if at[1] == letter
        }

        def found(cycle: int, bit: int) -> None:
            self.live.find_floating(cycle, wired[bit].net)

        mask = sum(1 << bit for bit in wired)
        if mask:
            address = self._machine.mcu.ports[letter]
            FloatingReads(self._machine, port, address, mask, found)

    def connect(self, adc: Adc, spi: Spi, twi: Twi) -> None:
        """Let the peripherals know what they are wired to; then there is power."""
        for channel, net in self._channels.items():
            adc.wired[channel] = _Voltage(self._machine, self.live, net).mv
        SpiInCircuit(self._machine, self.live, spi, self._by_port, self._ports)
        _TwiInCircuit(self.live, twi)
        self.live.start()

    def pwm(self, cycle: int, port: str, period_us: float, duty: float) -> None:
        """Take what a timer puts on a pin from now on."""
        pin = self._by_port.get(port)
        if pin is not None:
            period_ticks = round(period_us * self._machine.cpu_hz / 1_000_000)
            code = self._port(port).drive_code(int(port[2]))
            pin.pulse(cycle, period_ticks, round(period_ticks * duty), code)

    def look_at(self, net: int) -> None:
        """Let the net of a pin that nothing is wired to show what the firmware does.

        Nobody pays for it before somebody looks.
        """
        port = self._alone.pop(net, None)
        if port is None:
            return
        hold = self.live.nets.teller(net, PIN_DRIVES)
        bit = int(port[2])
        self._heard_alone[port] = hold
        self._port(port).watch(bit, hold)
        hold(self._machine.avr.cycle, self.drive_code(port))

    def drive_code(self, port: str) -> int:
        """Return what the firmware does at a pin, as a ``PinDrive``."""
        return self._port(port).drive_code(int(port[2]))

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

    def _port_watch(self, letter: str) -> Callable[[int, dict[int, int]], None]:
        nets, by_port = self.live.nets, self._by_port
        pins = {bit: by_port.get(f"P{letter}{bit}") for bit in range(_BITS)}
        alone = self._heard_alone

        def on_port(cycle: int, codes: dict[int, int]) -> None:
            driven = [(pins[bit], code) for bit, code in codes.items()]
            drive_together(
                nets, cycle, [(pin, code) for pin, code in driven if pin is not None]
            )
            for bit, code in codes.items() if alone else ():
                if hold := alone.get(f"P{letter}{bit}"):
                    hold(cycle, code)

        return on_port

    def _on_due(self, _avr: int, when: int, _param: int) -> int:
        return self.live.on_due(when) or 0

    def _on_reset(self) -> None:
        """Plan anew what a reset of the core has forgotten."""
        next_ticks = self.live.agenda.next_ticks()
        if next_ticks is not None:
            self.wake_at(next_ticks)


class _Voltage:
    def __init__(self, machine: AvrMachine, live: LiveCircuit, net: int) -> None:
        self._machine, self._live, self._net = machine, live, net

    def mv(self) -> float:
        return self._live.voltage_mv(self._machine.avr.cycle, self._net)


class _TwiInCircuit:
    """The TWI master: what its devices do is applied, and bytes are written down."""

    def __init__(self, live: LiveCircuit, twi: Twi) -> None:
        self._nets, self._twi = live.nets, twi
        self._changes, self._flips = live.nets.network.waiting
        buses = live.buses
        twi.connect(buses.i2c, self._on_byte, self._on_end, buses.i2c_backlog)

    def _on_byte(
        self,
        at_ticks: int,
        byte: int,
        acknowledged: bool,  # noqa: FBT001
        begins: bool,  # noqa: FBT001
    ) -> None:
        nets = self._nets
        if self._changes or self._flips:
            nets.settle(at_ticks)
        lasts_ticks = self._twi.takes_cycles
        how = _ACK if acknowledged else _NACK
        word = lasts_ticks << 24 | byte << 16 | begins << 8 | how
        nets.log.add_bytes((at_ticks - lasts_ticks, word))

    def _on_end(self, at_ticks: int, stops: bool) -> None:  # noqa: FBT001
        if self._changes or self._flips:
            self._nets.settle(at_ticks)
        if stops:
            self._nets.log.add_byte(BusKind.I2C_STOP, at_ticks, at_ticks, 0, 0)
