"""A board that stands in a circuit: the bench's side of it."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any

from pytest_embedbench.engines.simavr.board import SimavrBoard
from pytest_embedbench.engines.simavr.core.mcus import MCUS
from pytest_embedbench.errors import ConfigError, NotSupported, UnknownName
from pytest_embedbench.pins import Level
from pytest_embedbench.wiring.chip_pin import PinDrive
from pytest_embedbench.wiring.diagram import Endpoint
from pytest_embedbench.wiring.net_log import PwmChange, bus_bytes
from pytest_embedbench.wiring.placed_part import (
    check_control,
    check_observable,
    control_named,
)
from pytest_embedbench.wiring.reach import bus_line
from pytest_embedbench.wiring.stops import PinBecomes, Stop, StopMet, TimeReaches
from pytest_embedbench.wiring.waves import CircuitRecord

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_embedbench.engines.simavr.avr_program import AvrProgram
    from pytest_embedbench.engines.simavr.child import Child
    from pytest_embedbench.engines.simavr.drawn_circuit import DrawnCircuit
    from pytest_embedbench.model import BoardSpec
    from pytest_embedbench.wiring.diagram import Diagram
    from pytest_embedbench.wiring.part_model import Reading
    from pytest_embedbench.wiring.part_type import PartType

_LEVELS = {level.value: level for level in Level}
_NEVER_CYCLE = 1 << 62
"""Later than any simulation gets; simavr counts in 64 bits."""
_WHAT_IS_WRONG = {
    "contention": "outputs work against each other on {}",
    "floating": "the firmware reads {}, which nothing holds: pull it up or down",
    "undecided": "the firmware reads {}, whose voltage is neither low nor high",
    "oscillation": "the circuit never comes to rest: {}",
}


class WiredSimavrBoard(SimavrBoard):
    """A running firmware on a simulated AVR with parts around it."""

    def __init__(
        self, spec: BoardSpec, program: AvrProgram, child: Child, drawn: DrawnCircuit
    ) -> None:
        super().__init__(spec, program, child)
        self._drawn = drawn
        self._circuit = SimavrCircuit(self, drawn)

    @property
    def circuit(self) -> SimavrCircuit:
        """What is around it."""
        return self._circuit

    def query(self, *words: object) -> Any:  # noqa: ANN401  # shaped by the words
        """Ask something of the circuit as it is now; time stands still."""
        self.command(*words)
        self._exchange(self._now_us)
        (reply,) = self._circuit.take_replies()
        return reply

    def cycles_ns(self, cycle: int) -> int:
        """Return simulated time by the chip's clock."""
        return cycle * 1_000_000_000 // self._spec.cpu_hz

    def _take_circuit(self, news: tuple[Any, ...]) -> None:
        replies, met, findings = news
        self._circuit.take(replies, met)
        for _, cycle, stays in met:
            if not stays:
                self._now_us = self._us(cycle)
        for at_ticks, kind, nets in findings:
            what = _WHAT_IS_WRONG[kind].format(", ".join(nets))
            self._notes.add(f"{what}, first at {self._us(at_ticks) / 1000:.3f} ms")

    def _digital(self, pin: str) -> tuple[str, int]:
        self._check_unwired(pin)
        return super()._digital(pin)

    def set_analog(self, pin: str, millivolts: int) -> None:
        """See ``SimavrBoard``; a pin that is wired is the circuit's."""
        self._check_unwired(pin)
        super().set_analog(pin, millivolts)

    def _check_unwired(self, pin: str) -> None:
        name = self._pin(pin).name.removeprefix("D")
        drawn = self._drawn
        net = drawn.netlist.nets[drawn.netlist.index[Endpoint(drawn.board, name)]]
        if len(net.pins) > 1:
            others = [str(it.endpoint) for it in net.pins if not it.is_of_board]
            raise ConfigError(
                f"{self._spec.name}: pin {pin} is wired, its net {net.name} has "
                f"{', '.join(others[:4])}: handle the part there, not the pin"
            )


class SimavrCircuit:
    """See ``BoardCircuit``."""

    def __init__(self, board: WiredSimavrBoard, drawn: DrawnCircuit) -> None:
        self._board, self._drawn = board, drawn
        self._replies: list[Any] = []
        self._stops: tuple[Stop, ...] = ()
        self._met: deque[StopMet] = deque()

    def __repr__(self) -> str:
        parts = len(self._drawn.diagram.parts)
        return f"<circuit of {self._board.spec.name} and {parts - 1} parts>"

    @property
    def diagram(self) -> Diagram:
        """How it is drawn."""
        return self._drawn.diagram

    def control(self, part: str, name: str, value: float) -> None:
        """See ``BoardCircuit``."""
        check_control(part, self._kind(part), name, value)
        refused: str = self._board.query("control", part, name, float(value))
        if refused:
            raise ConfigError(f"{part}: {refused}")

    def put_file(self, part: str, path: str, content: bytes) -> None:
        """See ``TakesCardFiles``."""
        self._kind(part)
        refused: str = self._board.query("put_file", part, path, content)
        if refused:
            raise ConfigError(f"{part}: {refused}")

    def check_control(self, part: str, name: str) -> None:
        """See ``BoardCircuit``."""
        control_named(self._kind(part), name)

    def observe(self, part: str, name: str) -> Reading:
        """See ``BoardCircuit``."""
        check_observable(self._kind(part), name)
        reading: Reading = self._board.query("observe", part, name)
        return reading

    def level(self, pin: Endpoint) -> Level:
        """See ``BoardCircuit``."""
        return _LEVELS[self._board.query("level", self.net_of(pin))]

    def pin_drive(self, pin: Endpoint) -> PinDrive | None:
        """See ``ShowsDrives``."""
        drawn, spec = self._drawn, self._board.spec
        number = self.net_of(pin)
        if pin.part != drawn.board:
            return None
        named = {each.name.removeprefix("D"): each for each in spec.pins.values()}
        for name in sorted(named, key=lambda name: name != pin.pin):
            own, each = Endpoint(drawn.board, name), named[name]
            if drawn.netlist.index.get(own) == number and each.port[0] == "P":
                return PinDrive(self._board.query("drive", each.port))
        return None

    def voltage_mv(self, pin: Endpoint) -> float:
        """See ``BoardCircuit``."""
        voltage_mv: float = self._board.query("voltage", self.net_of(pin))
        return voltage_mv

    def record(self) -> CircuitRecord:
        """See ``BoardCircuit``."""
        packed, since_ticks, pwm, bus, now_ticks = self._board.query("log")
        mcu = MCUS[self._board.spec.mcu]
        sda, scl = (self._net_at(port) for port in mcu.twi_pins)
        sck, mosi, miso = (self._net_at(port) for port in mcu.spi_pins)
        return CircuitRecord(
            netlist=self._drawn.netlist,
            ticks_per_us=self._board.spec.cpu_hz // 1_000_000,
            packed=packed,
            since_ticks=since_ticks,
            ends_ticks=now_ticks,
            pwm=[PwmChange(*it) for it in pwm],
            bus=bus_bytes(bus),
            i2c=(sda, scl),
            spi=(sck, mosi, miso),
        )

    def look_out(self, stops: Sequence[Stop], *, stay: bool = False) -> None:
        """See ``BoardCircuit``."""
        self._stops = tuple(stops)
        self._met.clear()
        self._board.command("stop_at", stay, *map(self._for_child, stops))

    def take_met(self) -> StopMet | None:
        """See ``BoardCircuit``."""
        return self._met.popleft() if self._met else None

    # ------------------------------------------------------------- called by the board
    def take(self, replies: list[Any], met: Sequence[tuple[int, int, bool]]) -> None:
        """Keep what has come of it."""
        self._replies += replies
        for index, cycle, _ in met:
            stop = self._stops[index]
            at_ns = self._board.cycles_ns(cycle)
            if isinstance(stop, TimeReaches):
                at_ns = stop.at_ns
            self._met.append(StopMet(stop, at_ns))

    def take_replies(self) -> list[Any]:
        """Return what was asked for."""
        replies, self._replies = self._replies, []
        return replies

    def net_of(self, pin: Endpoint) -> int:
        """Return the number of a pin's net.

        Raises:
            UnknownName: there is no such part, or no such pin.
        """
        return self._drawn.netlist.number_of(pin)

    def _for_child(self, stop: Stop) -> tuple[object, ...]:
        if isinstance(stop, PinBecomes):
            net = self.net_of(stop.pin)
            self._check_has_edges(stop.pin, net)
            return "level", net, stop.level.value
        if isinstance(stop, TimeReaches):
            cpu_hz = self._board.spec.cpu_hz
            cycle = min(stop.at_ns * cpu_hz // 1_000_000_000, _NEVER_CYCLE)
            return "time", cycle, stop.at_ns
        names = [uart.name for uart in self._board.spec.uarts]
        if stop.uart and stop.uart not in names:
            raise UnknownName(f"UART of {self._board.spec.name}", stop.uart, names)
        return "said", names.index(stop.uart) if stop.uart else 0, stop.data

    def _check_has_edges(self, pin: Endpoint, net: int) -> None:
        """Refuse to wait for what hardware that moves bytes would never show."""
        netlist, ports = self._drawn.netlist, MCUS[self._board.spec.mcu].twi_pins
        lines = [bus_line(netlist, self._net_at(port)) for port in ports]
        if any(net in line for line in lines) and self._board.query("bytes"):
            raise NotSupported(
                f"{pin}: the firmware has I2C in hardware on it, which is told in "
                "bytes: nobody can wait for its edges; wait for what a part shows, "
                "and see edges() afterwards"
            )

    def _kind(self, part: str) -> PartType:
        parts = self._drawn.parts
        if part not in parts:
            raise UnknownName("part of the circuit", part, parts)
        return parts[part][1]

    def _net_at(self, port: str) -> int:
        spec, drawn = self._board.spec, self._drawn
        names = [pin.name for pin in spec.pins.values() if pin.port == port]
        if not names:
            return -1
        name = names[0].removeprefix("D")
        return drawn.netlist.index.get(Endpoint(drawn.board, name), -1)
