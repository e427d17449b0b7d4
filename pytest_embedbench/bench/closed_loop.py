"""The closed loop: a firmware and a plant that live in step.

Within one tick, in this order: plant events that are due; the sensor frames of the
plant's state; an injected line that is due; then time passes on the board, and the
firmware's lines reach the plant in the order in which they were said; then the
plant steps.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields as dataclass_fields, replace
from typing import TYPE_CHECKING, Any, Generic, cast

from pytest_embedbench.bench.loop_checks import (
    check_invariants,
    check_kind,
    check_plant,
)
from pytest_embedbench.bench.plant_wire import FaultyWire, PlainWire
from pytest_embedbench.bench.scenario import Injection, PlantEvent, Scenario
from pytest_embedbench.contracts import StateT
from pytest_embedbench.errors import ConfigError, InvariantBroken
from pytest_embedbench.faults import FaultPipeline
from pytest_embedbench.model import (
    Reply,
    Sample,
    Stimulus,
    StimulusKind,
)
from pytest_embedbench.support.validation import line_text, positive_ms
from pytest_embedbench.support.values import check_fields
from pytest_embedbench.wire.streams import is_in_stream
from pytest_embedbench.wire.transcript import decoded

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pytest_embedbench.bench.plant_wire import PlantWire
    from pytest_embedbench.bench.recorder import Recorder
    from pytest_embedbench.contracts import Plant
    from pytest_embedbench.model import Line

Invariants = Mapping[str, Callable[[StateT], bool]]
"""What must hold of a plant's state: sentences with functions of it."""
FREE_RUN = Scenario(name="", max_steps=0)
BURST_GAP_US = 10_000
"""A pause that ends a burst: what the published harness polls at."""


class Grouping(enum.Enum):
    """How many firmware lines a plant is given at once, between two samples."""

    LINE = "line"
    BURST = "burst"
    """All that is said without a pause of 10 ms: a reply with several actuators."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Coupling:
    """How board and plant are coupled.

    ``firmware_ms_per_tick`` is the firmware time that goes by per plant tick: by
    default the plant's own ``tick_ms``, so that both live in the same time.

    Raises:
        ConfigError: a tick that lasts no whole millisecond, or no ``Grouping``.
    """

    firmware_ms_per_tick: int | None = None
    grouping: Grouping = Grouping.LINE

    def __post_init__(self) -> None:
        if self.firmware_ms_per_tick is not None:
            positive_ms("firmware_ms_per_tick", self.firmware_ms_per_tick)
        if type(self.grouping) is not Grouping:
            raise ConfigError(
                f"grouping = {self.grouping!r}: must be Grouping.LINE or Grouping.BURST"
            )


IN_STEP = Coupling()


@dataclass(slots=True, repr=False)
class ClosedLoop(Generic[StateT]):
    """A board and a plant, tick by tick; also a timebase.

    A sample is taken at the start, after every line or burst of the firmware, and
    after every plant step; one that equals the sample before it is dropped. Each of
    ``invariants`` holds in every sample, or ``InvariantBroken`` is raised.
    """

    recorder: Recorder
    plant: Plant[StateT]
    scenario: Scenario = FREE_RUN
    coupling: Coupling = IN_STEP
    invariants: Invariants[StateT] = field(default_factory=dict[str, Any])
    state: StateT = field(init=False)
    """The plant's state now."""
    plant_ms: int = field(default=0, init=False)
    frames_until_ms: int | None = field(init=False)
    """Sensor frames are sent up to this plant time; ``None`` is for ever."""
    streams_until_ms: dict[str, int | None] = field(init=False)
    """The same for single streams, by the words that their lines begin with."""
    samples: list[Sample[StateT]] = field(init=False)
    replies: list[Reply[StateT]] = field(init=False)
    stimuli: list[Stimulus] = field(default_factory=list[Stimulus], init=False)
    pipeline: FaultPipeline = field(init=False)
    """The scenario's faults, and how often each took effect."""
    _tick_ms: int = field(init=False)
    """Firmware time per tick."""
    _into_tick_ms: int = field(default=0, init=False)
    _script: list[Injection | PlantEvent] = field(init=False)
    _wire: PlantWire = field(init=False)

    def __repr__(self) -> str:
        name, count = self.scenario.name, len(self.samples)
        return f"<ClosedLoop {name!r} at {self.plant_ms} ms: {count} samples>"

    def __post_init__(self) -> None:
        check_plant(self.plant)
        check_invariants(self.invariants)
        check_kind("coupling", self.coupling, Coupling)
        own_ms = self.coupling.firmware_ms_per_tick
        self._tick_ms = self.plant.tick_ms if own_ms is None else own_ms
        self.frames_until_ms = self.scenario.frames_until_ms
        self.streams_until_ms = dict(self.scenario.streams_until_ms)
        self.state = self.plant.initial()
        self._check_streams()
        self.samples = []
        self.replies = []
        script: list[Injection | PlantEvent] = [
            *self.scenario.events,
            *self.scenario.inject,
        ]
        self._script = sorted(script, key=lambda entry: entry.at_ms)
        self.pipeline = FaultPipeline(self.scenario.faults, self.scenario.seed)
        self._wire = self._new_wire()
        self._sample()

    def advance(self, duration_ms: int) -> None:
        """Let firmware time pass on both sides, whole ticks or parts of them.

        A firmware fault stops the plant; like the recorder's, it is not raised here.

        Raises:
            InvariantBroken: the plant was driven where it must not go.
        """
        left_ms = duration_ms
        while left_ms > 0 and self.recorder.fault is None:
            if self._into_tick_ms == 0:
                self._stimulate()
            step_ms = min(left_ms, self._tick_ms - self._into_tick_ms)
            self._advance_firmware(step_ms)
            left_ms -= step_ms
            if self._into_tick_ms == self._tick_ms:
                self._step_plant()

    def run(
        self, stop_when: Callable[[ClosedLoop[StateT]], bool] | None = None
    ) -> bool:
        """Run the scenario to its end, or until ``stop_when`` says so, and say which.

        It is asked once a tick, after the firmware's time and before the plant steps.

        Raises:
            FirmwareFault: the firmware crashed, floods its UART, ...
            InvariantBroken: the plant was driven where it must not go.
            ConfigError: the scenario has something to do after its end.
        """
        self.scenario.check_in_time(self.plant.tick_ms)
        for _ in range(self.scenario.max_steps):
            self._stimulate()
            self._advance_firmware(self._tick_ms)
            self.recorder.raise_fault()
            self.recorder.raise_flood()
            if stop_when is not None and stop_when(self):
                return True
            self._step_plant()
        return False

    def change(self, **fields: int | bool) -> None:
        """Set fields of the plant's state, as a disturbance or a door would.

        Raises:
            ConfigError: the state has no such field, or one of another type.
        """
        known = [field.name for field in dataclass_fields(cast("Any", self.state))]
        for name in fields:
            if name not in known:
                raise ConfigError(
                    f"scenario {self.scenario.name!r}: the plant's state has no field "
                    f"{name!r} to set; it has: {', '.join(known)}"
                )
        where = f"scenario {self.scenario.name!r}: the plant's state"
        check_fields(self.state, fields, where)
        self.state = replace(cast("Any", self.state), **fields)
        text = ", ".join(f"{name} = {value}" for name, value in fields.items())
        at_us = self.recorder.note(f"plant: {text}")
        self.stimuli.append(Stimulus(self.plant_ms, at_us, StimulusKind.EVENT, text))

    def inject(self, line: str) -> None:
        """Put a line on the wire that is not the plant's."""
        text = line_text("inject", line)
        self._wire.send(StimulusKind.INJECTED, self.plant_ms, text)

    def _stimulate(self) -> None:
        due = [entry for entry in self._script if entry.at_ms <= self.plant_ms]
        for entry in due:
            self._script.remove(entry)
            if isinstance(entry, PlantEvent):
                self.change(**entry.changes)
        for line in self.plant.sense(self.state):
            until_ms = self._until_ms(line)
            if until_ms is None or self.plant_ms <= until_ms:
                self._wire.send(StimulusKind.FRAME, self.plant_ms, line)
        for entry in due:
            if isinstance(entry, Injection):
                self.inject(entry.line)

    def _until_ms(self, line: str) -> int | None:
        for stream, until_ms in self.streams_until_ms.items():
            if is_in_stream(line, stream):
                return until_ms
        return self.frames_until_ms

    def _check_streams(self) -> None:
        """Refuse a gate that no line would ever pass."""
        lines = self.plant.sense(self.state)
        for stream in self.streams_until_ms:
            if not any(is_in_stream(line, stream) for line in lines):
                raise ConfigError(
                    f"scenario {self.scenario.name!r}: frames: no sensor line begins "
                    f"with {stream!r}; the plant says: {', '.join(lines)}"
                )

    def _advance_firmware(self, duration_ms: int) -> None:
        said = self._wire.advance(duration_ms)
        self._into_tick_ms += duration_ms
        if self.coupling.grouping is Grouping.BURST:
            for burst in bursts(said):
                self._actuate(burst)
        else:
            for line in said:
                self._actuate((line,))

    def _step_plant(self) -> None:
        self.state = self.plant.step(self.state)
        self.plant_ms += self.plant.tick_ms
        self._into_tick_ms = 0
        self._sample()

    def _actuate(self, burst: Sequence[Line]) -> None:
        lines = tuple([decoded(line.payload) for line in burst])
        for line in lines:
            self.state = self.plant.actuate(self.state, line)
        at_us = burst[-1].at_us
        self.replies.append(Reply(self.plant_ms, at_us, lines, self.state))
        self._sample()

    def _sample(self) -> None:
        now = (self.plant_ms, self.state)
        if self.samples and self.samples[-1] == now:
            return
        self.samples.append(Sample(*now))
        for name, holds in self.invariants.items():
            if not holds(self.state):
                evidence = self.recorder.evidence()
                raise InvariantBroken(name, str(self.samples[-1]), evidence)

    def _new_wire(self) -> PlantWire:
        if not self.pipeline.faults:
            return PlainWire(self.recorder, self.stimuli)
        if self._tick_ms != self.plant.tick_ms:
            raise ConfigError(
                f"scenario {self.scenario.name!r}: faults need plant and firmware in "
                f"one time, and a tick is {self.plant.tick_ms} ms of the plant's and "
                f"{self._tick_ms} ms of the firmware's"
            )
        return FaultyWire(self.recorder, self.stimuli, self.pipeline, self._tick_ms)


def bursts(lines: Sequence[Line]) -> Iterator[Sequence[Line]]:
    """Split lines wherever the firmware paused."""
    burst: list[Line] = []
    for line in lines:
        if burst and line.at_us - burst[-1].at_us >= BURST_GAP_US:
            yield burst
            burst = []
        burst.append(line)
    if burst:
        yield burst
