"""A simulated board whose UARTs are joined to those of other boards."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING

from pytest_embedbench.contracts import WireByte, pin_port
from pytest_embedbench.engines.simavr.answers import Answer, NoteLog
from pytest_embedbench.engines.simavr.core.mcus import MCUS
from pytest_embedbench.engines.simavr.core.uart_pins import uart_pins
from pytest_embedbench.engines.simavr.scripts import RunsScriptsInChild
from pytest_embedbench.errors import BoardLost

if TYPE_CHECKING:
    from collections.abc import Sequence
    from socket import socket

    from pytest_embedbench.contracts import Stretch
    from pytest_embedbench.engines.simavr.child import Child
    from pytest_embedbench.errors import FirmwareFault
    from pytest_embedbench.model import BoardSpec


class RunsWithOthers(RunsScriptsInChild):
    """What a board has of ``RunsTogether``: its process has lines to others."""

    wire_kind = "simavr"

    def __init__(self, spec: BoardSpec, child: Child) -> None:
        super().__init__(child)
        self._spec = spec
        self._commands: list[tuple[object, ...]] = []
        self._joined = SimavrWire(spec)
        self._together_until_us = 0
        self._fault: FirmwareFault | None = None
        self._closed = False
        self._notes = NoteLog()

    @property
    def spec(self) -> BoardSpec:
        """The datasheet it was booted from."""
        return self._spec

    def command(self, *words: object) -> None:
        """Have something done at the start of the next stretch of time."""
        self._check_open()
        self._commands.append(words)

    def exchange(self, until_us: int, heard: Sequence[WireByte]) -> Sequence[WireByte]:
        """Run to a moment, with bytes of other boards; see ``ExchangesBytes``."""
        for words in self._joined.commands(heard):
            self.command(*words)
        self._run_to(until_us)
        return self._joined.begun()

    def join_pin(self, pin: str, delay_us: int) -> None:
        """Tell of what the firmware does at a pin; see ``JoinsPins``."""
        letter, bit = self._digital(pin)
        delay = -(-delay_us * self._spec.cpu_hz // 1_000_000)
        channel = self._spec.pins[pin].adc
        self.command("join_pin", pin_port(pin), letter, bit, delay, channel)
        self._exchange(self._now_us)
        self._joined.pins.add(pin)
        of_uarts = uart_pins(MCUS[self._spec.mcu]).values()
        if any(f"P{letter}{bit}" in each for each in of_uarts):
            self._notes.add(
                f"pin {pin} is joined, and a UART's: what that says does not cross; "
                "connect_uarts joins UARTs"
            )

    def meet(self, ends: Sequence[socket]) -> None:
        """Be connected to other boards; see ``RunsTogether``."""
        self._check_open()
        self._child.meet([end.fileno() for end in ends])

    def begin_together(self, stretch: Stretch, heard: Sequence[WireByte]) -> None:
        """Begin to run with others; see ``RunsTogether``."""
        for words in self._joined.commands(heard):
            self.command(*words)
        self.command(*self._joined.plan(stretch))
        commands, self._commands = self._commands, []
        self._together_until_us = stretch.ends_us + stretch.ahead_us
        self._child.begin((commands, self._together_until_us))

    def end_together(self) -> None:
        """Wait for its end; see ``RunsTogether``."""
        until_us = self._together_until_us
        answer = self._child.hear_begun((until_us - self._now_us) / 1e6)
        self._take(Answer(*answer), until_us)
        if self._fault is not None:
            raise self._fault

    def begun(self) -> Sequence[WireByte]:
        """Return the bytes that have begun to go out; see ``RunsTogether``."""
        return self._joined.begun()

    def _run_to(self, until_us: int) -> None:
        if self._fault is None:
            self._exchange(until_us)
        if self._fault is not None:
            raise self._fault

    def _check_open(self) -> None:
        if self._closed:
            raise BoardLost(f"{self._spec.name} has been closed")

    @abstractmethod
    def _digital(self, pin: str) -> tuple[str, int]:
        """Return the port of a pin that is digital, and its number there."""

    @abstractmethod
    def _exchange(self, until_us: int) -> None:
        """Have done what was commanded, and run to a moment."""

    @abstractmethod
    def _take(self, answer: Answer, until_us: int) -> None:
        """Keep what has happened up to a moment."""


class SimavrWire:
    """What a board has to do with bytes of others: in and out, in cycles and in us."""

    def __init__(self, spec: BoardSpec) -> None:
        self._names = [uart.name for uart in spec.uarts]
        self._cpu_hz = spec.cpu_hz
        self._begun: list[WireByte] = []
        self._is_joined = False
        self.pins: set[str] = set()
        """Those that are joined."""

    def commands(self, heard: Sequence[WireByte]) -> list[tuple[object, ...]]:
        """Return what the child is asked for, that it hears these."""
        asked: list[tuple[object, ...]] = [
            (
                "arrive",
                byte.uart,
                self._cycle(byte.begins_us),
                self._cycle(byte.ends_us),
                byte.value,
            )
            for byte in heard
        ]
        if not self._is_joined:
            self._is_joined = True
            asked.insert(0, ("join", self._names))
        return asked

    def plan(self, stretch: Stretch) -> tuple[object, ...]:
        """Return what the child is asked for, that it runs with others."""
        routes = {number: _by_ours(each) for number, each in stretch.routes.items()}
        times_us = stretch.begins_us, stretch.ahead_us, stretch.window_us
        return ("together", *times_us, stretch.goes_first, routes)

    def take(self, begun: Sequence[tuple[str, int, int, int]]) -> None:
        """Keep what has begun to go out."""
        self._begun += [
            WireByte(name, self._us(begins), self._us(ends), value)
            for name, begins, ends, value in begun
        ]

    def begun(self) -> Sequence[WireByte]:
        """Return what has begun since the last call."""
        begun, self._begun = self._begun, []
        return begun

    def _cycle(self, at_us: int) -> int:
        return at_us * self._cpu_hz // 1_000_000

    def _us(self, cycle: int) -> int:
        return cycle * 1_000_000 // self._cpu_hz


def _by_ours(pairs: Sequence[tuple[str, str]]) -> dict[str, list[str]]:
    by_ours: dict[str, list[str]] = {}
    for ours, theirs in pairs:
        by_ours.setdefault(ours, []).append(theirs)
    return by_ours
