"""What a test does with a circuit: handle its parts, see what they show, wait."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_embedbench.circuits.circuit_part import CircuitPart
from pytest_embedbench.errors import (
    BoardLost,
    ConfigError,
    ExpectTimeout,
    UnknownName,
)
from pytest_embedbench.support.validation import (
    moment_ns,
    pin_level,
    text_or_bytes,
    whole_ms,
    whole_us,
)
from pytest_embedbench.wiring.diagram import Endpoint
from pytest_embedbench.wiring.stops import PinBecomes, TimeReaches, UartSays

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pytest_embedbench.bench.bench import Bench
    from pytest_embedbench.contracts import BoardCircuit
    from pytest_embedbench.model import Level
    from pytest_embedbench.wiring.diagram import Diagram
    from pytest_embedbench.wiring.part_type import PartType
    from pytest_embedbench.wiring.stops import Stop
    from pytest_embedbench.wiring.waves import Edge


class Circuit:
    """The circuit round a board: ``circuit["led1"]`` is a part of it.

    Args:
        bench: Where time passes.
        board_circuit: The circuit of its board.
        diagram: How it is drawn.
        kinds: The types of its parts, by id.
    """

    def __init__(
        self,
        bench: Bench,
        board_circuit: BoardCircuit,
        diagram: Diagram,
        kinds: dict[str, PartType],
    ) -> None:
        self.bench = bench
        self.board_circuit = board_circuit
        self.diagram = diagram
        attrs = {part.id: part.attrs for part in diagram.parts}
        self._met_ns = 0
        self._parts = {
            id_: CircuitPart(self, id_, kind, attrs[id_]) for id_, kind in kinds.items()
        }

    def __repr__(self) -> str:
        return f"<Circuit {self.diagram.file}: {', '.join(self._parts)}>"

    def __getitem__(self, part: str) -> CircuitPart:
        if part not in self._parts:
            raise UnknownName("part of the circuit", part, self._parts)
        return self._parts[part]

    def __contains__(self, part: object) -> bool:
        return part in self._parts

    def __iter__(self) -> Iterator[str]:
        return iter(self._parts)

    @property
    def parts(self) -> Sequence[CircuitPart]:
        """All parts, the board among them, as they stand in the diagram."""
        return tuple(self._parts.values())

    def level(self, pin: str) -> Level:
        """Return what the net of ``part:pin`` shows now."""
        return self.board_circuit.level(endpoint(pin))

    def voltage_mv(self, pin: str) -> float:
        """Return the voltage of the net of ``part:pin``, in mV over ground."""
        return self.board_circuit.voltage_mv(endpoint(pin))

    def edges(self, pin: str, *, since_us: int = 0) -> Sequence[Edge]:
        """Return all changes of the net of ``part:pin``: when, in ns, and to what.

        The pulses of PWM are among them, and the bits of SPI and I2C in hardware.
        """
        since_us = whole_us("since_us", since_us)
        record = self.board_circuit.record()
        return record.edges_of(record.netlist.number_of(endpoint(pin)), since_us)

    def wait_pin(self, pin: str, level: Level, *, within_ms: int) -> int:
        """Wait until ``part:pin`` shows a level; return when, in us.

        If it does already, that is now. Time stands still at that moment, to the
        instruction; with a plant connected it goes on to the end of its tick.

        Raises:
            UnknownName: there is no such pin.
            ExpectTimeout: it has not within ``within_ms``.
            FirmwareFault: the firmware crashed, ... before it.
        """
        level, within_ms = pin_level(pin, level), whole_ms("within_ms", within_ms)
        end, uart = endpoint(pin), self.bench.uart
        if self.board_circuit.level(end) is level:
            return uart.now_us
        met_us = self._wait(PinBecomes(end, level), within_ms)
        if met_us is not None:
            return met_us
        shown = self.board_circuit.level(end).name
        what = f"{pin} did not become {level.name}"
        raise self.timeout(what, within_ms, f"it is {shown}", (pin,))

    def wait_serial(self, said: str | bytes, *, within_ms: int) -> int:
        """Wait until the firmware has just said this; return when, in us.

        On its first UART, anywhere in a line, and from now on alone. Time stands still
        right behind the last byte; with a plant connected as in ``wait_pin``.

        Raises:
            ExpectTimeout: it has not within ``within_ms``.
            FirmwareFault: the firmware crashed, ... before it.
        """
        wanted = text_or_bytes("said", said)
        if not wanted:
            raise ConfigError(f"said = {said!r}: give what the firmware has to say")
        met_us = self._wait(UartSays(wanted), within_ms)
        if met_us is not None:
            return met_us
        raise self.timeout(
            f"the firmware did not say {said!r}", within_ms, "see below", ()
        )

    @property
    def now_ns(self) -> int:
        """Simulated time, in ns where the last wait has ended at that moment."""
        now_us = self.bench.uart.now_us
        return self._met_ns if self._met_ns // 1000 == now_us else now_us * 1000

    def run_until(self, at_ns: int) -> None:
        """Let time pass up to a moment, in ns since boot, to the tick of the clock.

        With a plant connected it goes on to the end of its tick.

        Raises:
            ConfigError: that is no moment.
            FirmwareFault: the firmware crashed, ... before it.
        """
        left_ns = moment_ns("at_ns", at_ns) - self.now_ns
        if left_ns > 0:
            self._wait(TimeReaches(at_ns), 1 + -(-left_ns // 1_000_000))

    def _wait(self, stop: Stop, within_ms: int) -> int | None:
        """Let time pass until a stop is met; return when, if it was in time."""
        uart = self.bench.uart
        ends_us = uart.now_us + whole_ms("within_ms", within_ms) * 1000
        has_plant = uart.timebase is not uart.recorder
        self.board_circuit.look_out([stop], stay=has_plant)
        try:
            while uart.now_us < ends_us:
                uart.poll(ends_us)
                met = self.board_circuit.take_met()
                if met is not None and met.at_us <= ends_us:
                    self._met_ns = met.at_ns
                    return met.at_us
                uart.recorder.raise_fault()
        finally:
            with suppress(BoardLost):  # which has been told
                self.board_circuit.look_out([])
        return None

    def write_vcd(self, path: Path | str) -> None:
        """Write what all nets did so far as a VCD, for wave viewers.

        The nets of more than one pin are in it, with the pulses of PWM and the bits of
        SPI and I2C in hardware, in steps of 100 ps.

        Raises:
            BoardLost: the board has been closed.
            OSError: it cannot be written.
        """
        from pytest_embedbench.circuits.vcd import write_vcd  # noqa: PLC0415  # late

        write_vcd(self.board_circuit.record(), Path(path))

    def timeout(
        self, what: str, within_ms: int, seen: str, pins: Sequence[str]
    ) -> ExpectTimeout:
        """Return the failure of a wait in vain, with what nets did in it."""
        from pytest_embedbench.circuits.evidence import waves_text  # noqa: PLC0415

        now_s = self.bench.uart.now_us / 1e6
        told = [f"{what} within {within_ms} ms, up to {now_s:.6f} s: {seen}"]
        told += [waves_text(self, first=pins, lasts_ms=within_ms)]
        told += [self.bench.uart.recorder.evidence()]
        return ExpectTimeout("\n".join(filter(None, told)))


def endpoint(pin: str) -> Endpoint:
    """Return what ``part:pin`` means.

    Raises:
        ConfigError: it is not written so.
    """
    part, _, name = str(pin).partition(":")
    if not (part and name):
        raise ConfigError(f"{pin!r} is no pin: write part:pin, such as 'uno:13'")
    return Endpoint(part, name)
