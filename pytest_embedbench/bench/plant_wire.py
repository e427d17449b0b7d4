"""What is between a plant and a board: nothing, or faults."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, Protocol

from pytest_embedbench.bench.buttons import press_reset
from pytest_embedbench.bench.pin_port import PinPort
from pytest_embedbench.faults import InjectionPoint, Message
from pytest_embedbench.model import Direction, Line, Stimulus, StimulusKind

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pytest_embedbench.bench.coupling import Coupling
    from pytest_embedbench.bench.recorder import Recorder
    from pytest_embedbench.faults import FaultPipeline


class PlantPort(Protocol):
    """Where lines get to a board, and from it: its UART, or the parts around it."""

    def give(self, data: bytes) -> int:
        """Bring a line, with its end, to the board now, and return when that was."""
        ...

    def is_written(self, data: bytes) -> bool:
        """Say whether a line gets there as bytes on a wire."""
        ...

    def advance(self, duration_ms: int) -> Sequence[Line]:
        """Let firmware time pass, and return the lines of it."""
        ...

    def acted(self) -> Sequence[Line]:
        """Return what else is to be told at the end of a tick."""
        ...


@dataclass(slots=True)
class UartPort:
    """The board's first UART, which may hear nothing where another board's does."""

    recorder: Recorder
    senses: Recorder
    """That of the UART which hears the plant's lines: the same, or another board's."""

    def give(self, data: bytes) -> int:
        """Send the line."""
        return self.senses.send(data, shown=data.removesuffix(b"\n"))

    def is_written(self, data: bytes) -> bool:
        """All are."""
        del data
        return True

    def advance(self, duration_ms: int) -> Sequence[Line]:
        """Let time pass, and return what the firmware said."""
        self.recorder.advance(duration_ms)
        return self.recorder.said

    def acted(self) -> Sequence[Line]:
        """Nothing: all was said."""
        return ()


class PlantWire(Protocol):
    """Brings lines to a board, lets time pass, and brings lines back.

    Whatever it brings to the board is added to the loop's stimuli.
    """

    def send(self, kind: StimulusKind, plant_ms: int, line: str) -> None:
        """Bring a line to the board."""
        ...

    def advance(self, duration_ms: int) -> Sequence[Line]:
        """Let firmware time pass, and return the lines that reach the plant in it."""
        ...


@dataclass(slots=True)
class PlainWire:
    """Everything arrives, as it was said and at once."""

    port: PlantPort
    stimuli: list[Stimulus]
    tick_ms: int
    _into_tick_ms: int = field(default=0, init=False)

    def send(self, kind: StimulusKind, plant_ms: int, line: str) -> None:
        """Send the line now."""
        at_us = self.port.give(line.encode() + b"\n")
        self.stimuli.append(Stimulus(plant_ms, at_us, kind, line))

    def advance(self, duration_ms: int) -> Sequence[Line]:
        """Let a tick or a part of it pass, and return what was said or done in it."""
        said = self.port.advance(duration_ms)
        self._into_tick_ms = (self._into_tick_ms + duration_ms) % self.tick_ms
        return said if self._into_tick_ms else [*said, *self.port.acted()]


class _DueWrite(NamedTuple):
    into_tick_ms: int
    data: bytes
    """What is written to the firmware; empty to press the reset button."""


@dataclass(slots=True)
class FaultyWire:
    """What passes goes through a pipeline of faults, tick by tick.

    What is said within a tick sets out when the next begins. What the firmware said
    reaches the plant just before it steps, so how time is cut makes no difference.
    """

    recorder: Recorder
    port: PlantPort
    stimuli: list[Stimulus]
    pipeline: FaultPipeline
    tick_ms: int
    _number: int = field(default=0, init=False)
    _into_tick_ms: int = field(default=0, init=False)
    _began_us: int = field(default=0, init=False)
    """Firmware time when this tick began."""
    _said: list[Stimulus] = field(default_factory=list[Stimulus], init=False)
    _heard: list[Line] = field(default_factory=list[Line], init=False)
    _due: list[_DueWrite] = field(default_factory=list[_DueWrite], init=False)

    def __post_init__(self) -> None:
        for fault in self.pipeline.faults:
            self.recorder.note(f"fault: {fault} (seed {self.pipeline.seed})")

    def send(self, kind: StimulusKind, plant_ms: int, line: str) -> None:
        """Let the line set out when the tick begins."""
        self._said.append(Stimulus(plant_ms, 0, kind, line))

    def advance(self, duration_ms: int) -> Sequence[Line]:
        """Let a tick or a part of it pass; its end brings what reaches the plant."""
        if self._into_tick_ms == 0:
            self._begin()
        until_ms = self._into_tick_ms + duration_ms
        while self._due and self._due[0].into_tick_ms < until_ms:
            due = self._due.pop(0)
            self._pass_until(due.into_tick_ms)
            if due.data:
                self.port.give(due.data)
            else:
                press_reset(self.recorder)
        self._pass_until(until_ms)
        return self._end() if until_ms == self.tick_ms else ()

    def _begin(self) -> None:
        """Find out what the board is given in this tick, and when."""
        self._began_us = self.recorder.board.now_us()
        frames = [s.text for s in self._said if s.kind is StimulusKind.FRAME]
        others = [s for s in self._said if s.kind is not StimulusKind.FRAME]
        readings = self._passed(InjectionPoint.SENSORS, self._at_start(frames))
        for reading in readings:
            text = reading.data.decode("utf-8", "backslashreplace")
            self._stimulate(reading.at_us, StimulusKind.FRAME, text)
        for other in others:
            self._stimulate(self._starts_us, other.kind, other.text)
        injected = self._at_start([other.text for other in others])
        lines = sorted([*readings, *injected], key=lambda line: line.at_us)
        given = [
            line._replace(rank=rank, data=line.data + b"\n")
            for rank, line in enumerate(lines)
        ]
        writes = [line for line in given if self.port.is_written(line.data)]
        sensed = [line for line in given if not self.port.is_written(line.data)]
        presses = [
            p._replace(data=b"") for p in self._passed(InjectionPoint.RESET_PIN, ())
        ]
        self._due = [
            _DueWrite((each.at_us - self._starts_us) // 1000, each.data)
            for each in sorted(
                [*presses, *sensed, *self._passed(InjectionPoint.WIRE, writes)],
                key=lambda each: each.at_us,
            )
        ]
        self._said = []

    def _end(self) -> Sequence[Line]:
        """Return what the plant is given of what the firmware said."""
        offset_us = self._starts_us - self._began_us
        self._heard += self.port.acted()
        said = [
            Message(line.at_us + offset_us, rank, line.payload)
            for rank, line in enumerate(self._heard)
        ]
        obeyed = self._passed(InjectionPoint.ACTUATORS, said)
        self._heard, self._into_tick_ms = [], 0
        self._number += 1
        return [
            Line(each.at_us - offset_us, Direction.FROM_FIRMWARE, each.data)
            for each in obeyed
        ]

    def _pass_until(self, into_tick_ms: int) -> None:
        if into_tick_ms > self._into_tick_ms:
            self._heard += self.port.advance(into_tick_ms - self._into_tick_ms)
            self._into_tick_ms = into_tick_ms

    @property
    def _starts_us(self) -> int:
        """When this tick began, in plant time."""
        return self._number * self.tick_ms * 1000

    def _passed(
        self, place: InjectionPoint, messages: Sequence[Message]
    ) -> Sequence[Message]:
        return self.pipeline.apply(place, self._number, self.tick_ms, messages)

    def _at_start(self, lines: Iterable[str]) -> list[Message]:
        return [
            Message(self._starts_us, rank, line.encode())
            for rank, line in enumerate(lines)
        ]

    def _stimulate(self, at_us: int, kind: StimulusKind, text: str) -> None:
        plant_ms = self._number * self.tick_ms
        firmware_us = at_us - self._starts_us + self._began_us
        self.stimuli.append(Stimulus(plant_ms, firmware_us, kind, text))


def port_of(recorder: Recorder, coupling: Coupling) -> PlantPort:
    """Return where a plant's lines go, and come from: a UART, or pins."""
    if coupling.pins is not None:
        return PinPort(recorder, coupling.pins)
    senses = coupling.sensed_by
    return UartPort(recorder, recorder if senses is None else senses.recorder)


def wire_between(
    recorder: Recorder,
    port: PlantPort,
    stimuli: list[Stimulus],
    faults: tuple[FaultPipeline, int],
) -> PlantWire:
    """Return what is between a plant and a board.

    ``faults`` are a pipeline, and how long its tick is, in ms.
    """
    pipeline, tick_ms = faults
    if not pipeline.faults:
        return PlainWire(port, stimuli, tick_ms)
    return FaultyWire(recorder, port, stimuli, pipeline, tick_ms)
