"""A board that simavr runs: the bench's side of it."""

from __future__ import annotations

from collections import deque
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from pytest_embedbench.engines.simavr.answers import Answer
from pytest_embedbench.engines.simavr.core.mcus import MCUS
from pytest_embedbench.engines.simavr.diagnosis import explain
from pytest_embedbench.engines.simavr.foreseen import NOTHING, sent
from pytest_embedbench.engines.simavr.joined import RunsWithOthers
from pytest_embedbench.engines.simavr.link import SimavrLink
from pytest_embedbench.engines.simavr.pin_jobs import pin_use
from pytest_embedbench.engines.simavr.pin_log import PinLog
from pytest_embedbench.engines.simavr.pulses import DrivenPins, moment_us, pulse_edges
from pytest_embedbench.errors import BenchFault, BoardLost, ConfigError
from pytest_embedbench.model import Chunk, Level
from pytest_embedbench.support.validation import pin_level, whole_ms, whole_mv

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_embedbench.engines.simavr.avr_program import AvrProgram
    from pytest_embedbench.engines.simavr.child import Child
    from pytest_embedbench.model import BoardSpec, PinSpec, PinTrace
    from pytest_embedbench.pins import PinUse


class SimavrBoard(RunsWithOthers):
    """A running firmware on a simulated AVR; made by ``Simavr.boot``.

    Commands to pins and UARTs take effect where the next ``advance`` starts.
    """

    virtual_time = True

    def __repr__(self) -> str:
        return f"<SimavrBoard {self.spec.name} at {self.now_us() / 1e6:.6f} s>"

    def __init__(self, spec: BoardSpec, program: AvrProgram, child: Child) -> None:
        super().__init__(spec, child)
        self._program = program
        self._links = {
            uart.name: SimavrLink(self, index) for index, uart in enumerate(spec.uarts)
        }
        self._pc = 0
        self._sleeps = ""
        self._pins = PinLog(spec)
        self._driven = DrivenPins()
        self._foreseen = NOTHING
        self._ahead: deque[tuple[int, bytes | None]] = deque()

    @property
    def notes(self) -> tuple[str, ...]:
        """What a test author should know of the run: bytes lost, resets allowed."""
        return self._notes.all()

    @property
    def position(self) -> str:
        """Where the firmware is now, for whoever waits for it in vain."""
        if self._fault is not None:
            return ""
        does = f"sleeps ({self._sleeps})" if self._sleeps else "is"
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
            lacks = f"{self._spec.name} has no UART {name!r}; it has: {known}"
            raise ConfigError(lacks)
        return self._links[name]

    def now_us(self) -> int:
        """Return simulated time since boot."""
        return self._now_us

    def advance(self, duration_ms: int) -> None:
        """Let the firmware run for ``duration_ms``."""
        self._run_to(self._now_us + whole_ms("duration_ms", duration_ms) * 1_000)

    def foresee(
        self, stretches: Sequence[tuple[bytes, int]], expected: Sequence[bytes]
    ) -> None:
        """Run on by itself through ``stretches``; see ``RunsAhead``."""
        until_us = self._now_us
        foreseen: list[tuple[int, bytes | None]] = []
        for data, duration_ms in stretches:
            until_us += duration_ms * 1000
            foreseen.append((until_us, data))
        self._foreseen = (foreseen, tuple(expected)) if foreseen else NOTHING

    def is_ahead(self) -> bool:
        """Say whether some of what was foreseen has not been asked for yet."""
        return bool(self._ahead)

    def drive_pin(self, pin: str, level: Level, *, at_us: int | None = None) -> None:
        """Drive a pin from outside, or let go of it with ``Level.FLOATING``.

        At once, or ``at_us`` of simulated time, which has not passed.
        """
        letter, bit = self._drivable(pin)
        begins_us = moment_us(self._spec.name, at_us, self._now_us)
        edges = [(begins_us, pin_level(pin, level).value)]
        if at_us is None:
            self.command("drive", letter, bit, edges[0][1])
        else:
            self.command("drive_later", letter, bit, edges)
        self._driven.drive(pin, edges)

    def drive_pulses(
        self,
        pin: str,
        durations_us: Sequence[int],
        *,
        first: Level = Level.HIGH,
        then: Level | None = None,
        at_us: int | None = None,
    ) -> None:
        """Drive a pin through levels that alternate, for so many us each.

        It begins with ``first`` at ``at_us`` (now); after the last it is ``then`` (by
        default the other level once more).
        """
        letter, bit = self._drivable(pin)
        begins_us = moment_us(self._spec.name, at_us, self._now_us)
        edges = pulse_edges(pin, durations_us, first, then, begins_us)
        self.command("drive_later", letter, bit, edges)
        self._driven.drive(pin, edges)

    def check_joinable(self, pin: str) -> None:
        """Refuse a pin that a test drives, or for the ADC alone; see ``JoinsPins``."""
        self._digital(pin)
        if self._driven.is_driven(pin, self._now_us):
            raise ConfigError(
                f"{self._spec.name}: the test itself drives pin {pin}; let go of it "
                f"first: drive_pin({pin!r}, Level.FLOATING)"
            )

    def set_analog(self, pin: str, millivolts: int) -> None:
        """Put a voltage on a pin of ADC or comparator; its digital level stays."""
        self._check_not_joined(pin)
        spec, compared = self._pin(pin), MCUS[self._spec.mcu].comparator_pins
        channel = spec.adc
        if spec.port in compared:
            self.command(
                "compare", compared.index(spec.port), whole_mv(pin, millivolts)
            )
        elif channel is None:
            known = ", ".join(
                p.name for p in self._spec.pins.values() if p.adc is not None
            )
            raise ConfigError(
                f"{self._spec.name}: pin {pin} has no ADC; pins that have: {known}"
            )
        else:
            self.command("analog", channel, whole_mv(pin, millivolts))

    def pin_trace(self) -> PinTrace:
        """Return every pin change since boot, or since ``PinTrace.since_us``.

        Of a simulator that has died, those up to the last call.
        """
        self._fetch_pins()
        return self._pins.trace()

    def watch_pins(self) -> None:
        """Watch what the firmware does with pins from the next ``advance`` on."""
        self.command("watch_pins")

    def pin_use(self) -> PinUse:
        """Return what it did with them since; see ``HasPinUse``."""
        self._fetch_pins()
        return pin_use(self._spec, self._pins.used, self._pins.trace())

    def reset(self) -> None:
        """Press the reset button: the firmware starts again, its faults forgiven."""
        self.command("reset")
        self._exchange(self._now_us)

    def power_cycle(self) -> None:
        """Take the power away for a moment: of the memories, EEPROM and flash stay.

        A byte of EEPROM that is being written is lost. RAM and registers hold anything
        afterwards. Parts of a circuit keep what they have.
        """
        self.command("power_cycle")
        self._exchange(self._now_us)

    def run_on(self) -> None:
        """Let a firmware that has restarted itself run on: that was expected."""
        self.command("run_on")
        self._fault = None

    def close(self) -> None:
        """End the simulator; what the pins did stays readable."""
        if not self._closed:
            self._fetch_pins()
            self._closed = True
            self._child.close()

    def _take_circuit(self, news: tuple[Any, ...]) -> None:
        """Take what has come of a circuit, if the board stands in one."""

    def _fetch_pins(self) -> None:
        if not self._closed and not self._about_s:
            with suppress(BoardLost, BenchFault):
                self.command("trace")
                self._exchange(self._now_us)

    def _exchange(self, until_us: int) -> None:
        self._check_open()
        commands, self._commands = self._commands, []
        self._take(Answer(*self._ask(commands, until_us)), until_us)

    def _take(self, answer: Answer, until_us: int) -> None:
        if not answer.goes_on:
            self._ahead.clear()
        for index, cycle, data in answer.chunks:
            uart = self._spec.uarts[index]
            self._links[uart.name].hear(Chunk(self._us(cycle), data))
        self._joined.take(answer.joined[0])
        if answer.trace:
            self._pins.add(*answer.trace)
        self._pc, self._sleeps = answer.pc, answer.sleeps
        for note in answer.notes(self._spec, until_us):
            self._notes.add(note)
        self._now_us = until_us
        if answer.circuit:
            self._take_circuit(answer.circuit)
        self._fault = None
        if answer.fault is not None:
            self._now_us = self._us(answer.fault[2])
            self._fault = explain(self._spec, self._program, answer.fault)

    def _ask(
        self, commands: list[tuple[object, ...]], until_us: int
    ) -> tuple[Any, ...]:
        """Return what comes of the time up to then, which may have been foreseen."""
        stretch = until_us, sent(commands)
        simulated_s = (until_us - self._now_us) / 1e6
        if self._ahead:
            if self._ahead.popleft() != stretch:
                raise BoardLost(
                    f"{self._spec.name} has run ahead, and what comes now is something "
                    "else: is the plant no pure function of its state?"
                )
            answer: tuple[Any, ...] = self._child.hear(simulated_s)
            return answer
        (first, *later), expected = self._foreseen
        request: tuple[object, ...] = (commands, until_us)
        if first == stretch:
            self._ahead.extend(later)
            request = (*request, tuple(later), expected)
        self._foreseen = NOTHING
        asked: tuple[Any, ...] = self._child.ask(request, simulated_s)
        return asked

    def _drivable(self, pin: str) -> tuple[str, int]:
        self._check_not_joined(pin)
        return self._digital(pin)

    def _check_not_joined(self, pin: str) -> None:
        if pin in self._joined.pins:
            raise ConfigError(
                f"{self._spec.name}: pin {pin} is joined to another board's, which "
                "drives it"
            )

    def _digital(self, pin: str) -> tuple[str, int]:
        port = self._pin(pin).port
        if port[0] != "P":
            raise ConfigError(f"{self._spec.name}: pin {pin} is for the ADC alone")
        return port[1], int(port[2])

    def _us(self, cycle: int) -> int:
        return cycle * 1_000_000 // self._spec.cpu_hz

    def _pin(self, name: str) -> PinSpec:
        if name not in self._spec.pins:
            known = ", ".join(self._spec.pins)
            raise ConfigError(f"{self._spec.name} has no pin {name!r}; it has: {known}")
        return self._spec.pins[name]
