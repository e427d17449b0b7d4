"""A board that simavr runs: the bench's side of it."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from pytest_embedbench.engines.simavr.answers import Answer
from pytest_embedbench.engines.simavr.diagnosis import explain
from pytest_embedbench.errors import BoardLost, ConfigError, NotSupported
from pytest_embedbench.model import (
    Chunk,
    Level,
    PinEvent,
    PinTrace,
    PwmEvent,
)
from pytest_embedbench.support.validation import pin_level, whole_ms, whole_mv

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_embedbench.engines.simavr.avr_program import AvrProgram
    from pytest_embedbench.engines.simavr.child import Child
    from pytest_embedbench.errors import FirmwareFault
    from pytest_embedbench.model import BoardSpec, PinSpec


_NOTES_KEPT = 100


class SimavrLink:
    """One UART of a simulated board."""

    def __init__(self, board: SimavrBoard, index: int) -> None:
        self._board = board
        self._index = index
        self._heard: list[Chunk] = []

    def send(self, data: bytes) -> None:
        """Put ``data`` on the wire behind what is still on it."""
        self._board.command("send", self._index, bytes(data))

    def receive(self) -> Sequence[Chunk]:
        """Return what the firmware has said since the last call."""
        heard, self._heard = self._heard, []
        return heard

    def hear(self, chunk: Chunk) -> None:
        """Keep a chunk until it is asked for."""
        self._heard.append(chunk)


class SimavrBoard:
    """A running firmware on a simulated AVR; made by ``Simavr.boot``.

    Commands to pins and UARTs take effect where the next ``advance`` starts.
    """

    virtual_time = True

    def __repr__(self) -> str:
        return f"<SimavrBoard {self.spec.name} at {self.now_us() / 1e6:.6f} s>"

    def __init__(self, spec: BoardSpec, program: AvrProgram, child: Child) -> None:
        self._spec = spec
        self._program = program
        self._child = child
        self._links = {
            uart.name: SimavrLink(self, index) for index, uart in enumerate(spec.uarts)
        }
        self._names = {
            pin.port: pin.name for pin in spec.pins.values() if pin.port[0] == "P"
        }
        self._commands: list[tuple[object, ...]] = []
        self._now_us: int = 0
        self._pc = 0
        self._sleeps = False
        self._pins: list[PinEvent] = []
        self._pwm: list[PwmEvent] = []
        self._notes: list[str] = []
        self._notes_left_out = 0
        self._pins_cut = False
        self._fault: FirmwareFault | None = None
        self._closed = False

    @property
    def spec(self) -> BoardSpec:
        """The datasheet it was booted from."""
        return self._spec

    @property
    def notes(self) -> tuple[str, ...]:
        """What a test author should know of the run: bytes lost, resets allowed."""
        left_out = self._notes_left_out
        return (*self._notes, *([f"and {left_out} more notes"] if left_out else []))

    @property
    def position(self) -> str:
        """Where the firmware is now, for whoever waits for it in vain."""
        if self._fault is not None:
            return ""
        does = "sleeps" if self._sleeps else "is"
        return f"the firmware {does} at {self._program.describe(self._pc)}"

    @property
    def child_pid(self) -> int:
        """The process that simavr runs in."""
        return self._child.pid

    def link(self, uart: str = "") -> SimavrLink:
        """Return the link of one UART; the first one by default."""
        name = uart or self._spec.uarts[0].name
        if name not in self._links:
            known = ", ".join(self._links)
            raise ConfigError(
                f"{self._spec.name} has no UART {name!r}; it has: {known}"
            )
        return self._links[name]

    def now_us(self) -> int:
        """Return simulated time since boot."""
        return self._now_us

    def advance(self, duration_ms: int) -> None:
        """Let the firmware run for ``duration_ms``."""
        if self._fault is not None:
            raise self._fault
        duration_us = whole_ms("duration_ms", duration_ms) * 1_000
        self._exchange(self._now_us + duration_us)
        if self._fault is not None:
            raise self._fault

    def drive_pin(self, pin: str, level: Level) -> None:
        """Drive a pin from outside, or let go of it with ``Level.FLOATING``."""
        port = self._pin(pin).port
        if port not in self._names:
            raise ConfigError(f"{self._spec.name}: pin {pin} is for the ADC alone")
        self.command("drive", port[1], int(port[2]), pin_level(pin, level).value)

    def set_analog(self, pin: str, millivolts: int) -> None:
        """Put a voltage on an ADC pin; its digital level stays what it is."""
        channel = self._pin(pin).adc
        if channel is None:
            known = ", ".join(
                p.name for p in self._spec.pins.values() if p.adc is not None
            )
            raise ConfigError(
                f"{self._spec.name}: pin {pin} has no ADC; pins that have: {known}"
            )
        self.command("analog", channel, whole_mv(pin, millivolts))

    def pin_trace(self) -> PinTrace:
        """Return every pin change since boot."""
        if self._commands and not self._closed:
            with suppress(BoardLost):  # what has been seen stays readable
                self._exchange(self._now_us)
        if self._pins_cut:
            stamps = [event.at_us for event in self._pins[-1:]]
            stamps += [event.at_us for event in self._pwm[-1:]]
            raise NotSupported(
                f"{self._spec.name}: the pins changed more often than a trace holds: "
                f"it ends at {max(stamps) / 1000:.3f} ms"
            )
        return PinTrace(tuple(self._pins), tuple(self._pwm))

    def reset(self) -> None:
        """Press the reset button: the firmware starts again, its faults forgiven."""
        self.command("reset")
        self._exchange(self._now_us)

    def close(self) -> None:
        """End the simulator; what has been read stays readable."""
        if not self._closed:
            self._closed = True
            self._child.close()

    def command(self, *words: object) -> None:
        """Have something done at the start of the next stretch of time."""
        if self._closed:
            raise BoardLost(f"{self._spec.name} has been closed")
        self._commands.append(words)

    def _exchange(self, until_us: int) -> None:
        if self._closed:
            raise BoardLost(f"{self._spec.name} has been closed")
        commands, self._commands = self._commands, []
        simulated_s = (until_us - self._now_us) / 1e6
        answer = Answer(*self._child.ask((commands, until_us), simulated_s))
        for index, cycle, data in answer.chunks:
            uart = self._spec.uarts[index]
            self._links[uart.name].hear(Chunk(self._us(cycle), data))
        for cycle, letter, bit, level in answer.pins:
            name = self._names.get(f"P{letter}{bit}")
            if name:
                self._pins.append(PinEvent(self._us(cycle), name, Level(level)))
        for cycle, port, period_us, duty in answer.pwm:
            name = self._names.get(port)
            if name:
                self._pwm.append(PwmEvent(self._us(cycle), name, period_us, duty))
        self._pins_cut = answer.pins_cut
        self._pc, self._sleeps = answer.pc, answer.sleeps
        for note in answer.notes(self._spec, until_us):
            if len(self._notes) == _NOTES_KEPT:
                self._notes_left_out += 1
            elif note not in self._notes:
                self._notes.append(note)
        self._now_us = until_us
        self._fault = None
        if answer.fault is not None:
            self._now_us = self._us(answer.fault[2])
            self._fault = explain(self._spec, self._program, answer.fault)

    def _us(self, cycle: int) -> int:
        return cycle * 1_000_000 // self._spec.cpu_hz

    def _pin(self, name: str) -> PinSpec:
        if name not in self._spec.pins:
            known = ", ".join(self._spec.pins)
            raise ConfigError(f"{self._spec.name} has no pin {name!r}; it has: {known}")
        return self._spec.pins[name]
