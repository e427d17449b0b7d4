"""The closed loop: a firmware and a plant that live in step.

Within one tick, in this order: plant events that are due; the sensor frames of the
plant's state; an injected line that is due; then time passes on the board, and the
firmware's lines reach the plant in the order in which they were said; then the
plant steps.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Generic, cast

from pytest_embedbench.bench.bursts import ended_bursts
from pytest_embedbench.bench.coupling import IN_STEP, Coupling, Grouping
from pytest_embedbench.bench.foresight import Foresight
from pytest_embedbench.bench.loop_checks import (
    check_changes,
    check_invariants,
    check_kind,
    check_plant,
    check_streams,
)
from pytest_embedbench.bench.plant_pins import check_said
from pytest_embedbench.bench.plant_wire import port_of, wire_between
from pytest_embedbench.bench.scenario import Injection, PlantEvent, Scenario
from pytest_embedbench.bench.timebase import STEP_MS
from pytest_embedbench.contracts import StateT
from pytest_embedbench.errors import ConfigError, InvariantBroken
from pytest_embedbench.faults import FaultPipeline
from pytest_embedbench.model import Reply, Sample, Stimulus, StimulusKind
from pytest_embedbench.support.validation import line_text
from pytest_embedbench.wire.streams import is_in_stream
from pytest_embedbench.wire.transcript import decoded

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_embedbench.bench.plant_wire import PlantWire
    from pytest_embedbench.bench.recorder import Recorder
    from pytest_embedbench.contracts import Plant
    from pytest_embedbench.model import Line

Invariants = Mapping[str, Callable[[StateT], bool]]
"""What must hold of a plant's state: sentences with functions of it."""
FREE_RUN = Scenario(name="", max_steps=0)


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
    _has_begun: bool = field(default=False, init=False)
    """Whether the plant has been sensed in this tick."""
    _gated: frozenset[str] = field(default=frozenset(), init=False)
    """Streams that are known to be some."""
    _repeats: tuple[str, int] = field(default=("", 0), init=False)
    """What begins this tick and those to come, and how many those are in all."""
    _script: list[Injection | PlantEvent] = field(init=False)
    _wire: PlantWire = field(init=False)
    _foresight: Foresight[StateT] = field(init=False)
    _begun: Sequence[Line] = field(default=(), init=False)
    """The first lines of a burst that was still being said as time stood still."""

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
        self._check_streams(f"scenario {self.scenario.name!r}: frames")
        self.samples = []
        self.replies = []
        script: list[Injection | PlantEvent] = [
            *self.scenario.events,
            *self.scenario.inject,
        ]
        self._script = sorted(script, key=lambda entry: entry.at_ms)
        self.pipeline = FaultPipeline(self.scenario.faults, self.scenario.seed)
        if self.coupling.pins is not None:
            check_said(self.coupling.pins, self.plant.sense(self.state))
        port = port_of(self.recorder, self.coupling)
        faults = self.pipeline, self._tick_ms
        self._wire = wire_between(self.recorder, port, self.stimuli, faults)
        if self.pipeline.faults and self._tick_ms != self.plant.tick_ms:
            raise ConfigError(
                f"scenario {self.scenario.name!r}: faults need plant and firmware in "
                f"one time, and a tick is {self.plant.tick_ms} ms of the plant's and "
                f"{self._tick_ms} ms of the firmware's"
            )
        self._foresight = Foresight(self.recorder, self.state)
        self._sample()

    def advance(self, duration_ms: int) -> None:
        """Let firmware time pass on both sides, whole ticks or parts of them.

        A firmware fault stops the plant; like the recorder's, it is not raised here.

        Raises:
            InvariantBroken: the plant was driven where it must not go.
        """
        left_ms = duration_ms
        while left_ms > 0 and self.recorder.fault is None:
            self.begin_tick(left_ms)
            step_ms = min(left_ms, self.left_in_tick_ms)
            self._advance_firmware(step_ms)
            left_ms -= step_ms
            if self._into_tick_ms == self._tick_ms:
                self._step_plant()

    @property
    def left_in_tick_ms(self) -> int:
        """How much firmware time this tick lasts yet."""
        return self._tick_ms - self._into_tick_ms

    def begin_tick(self, known_ms: int = 0) -> None:
        """Let the plant be sensed if a tick begins; so much time is known to pass."""
        if not self._has_begun:
            self._has_begun = True
            _, repeats = self._repeats
            self._look_ahead(max(repeats, known_ms // self._tick_ms))
            self._stimulate()

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
        for number in range(self.scenario.max_steps):
            if stop_when is None:
                self._look_ahead(self.scenario.max_steps - number)
            self._stimulate()
            self._advance_firmware(self._tick_ms)
            self.recorder.raise_fault()
            self.recorder.raise_flood()
            if stop_when is not None and stop_when(self):
                return True
            self._step_plant()
        return False

    def repeat(self, line: str, *, ticks: int) -> None:
        """Let ticks go by, each of which begins with a line that is not the plant's.

        As to ``inject`` it and let a tick go by, so many times; but a board that can
        run ahead may do so.

        Raises:
            FirmwareFault: the firmware crashed, floods its UART, ...
            InvariantBroken: the plant was driven where it must not go.
        """
        try:
            for left in range(ticks, 0, -1):
                self.inject(line)
                self._repeats = f"{line}\n", left
                for passed_ms in range(0, self._tick_ms, STEP_MS):
                    self.advance(min(STEP_MS, self._tick_ms - passed_ms))
                    self.recorder.raise_fault()
                    self.recorder.raise_flood()
        finally:
            self._repeats = "", 0

    def change(self, **fields: int | bool) -> None:
        """Set fields of the plant's state, as a disturbance or a door would.

        Raises:
            ConfigError: the state has no such field, or one of another type.
        """
        check_changes(self.scenario.name, self.state, fields)
        self.state = replace(cast("Any", self.state), **fields)
        text = ", ".join(f"{name} = {value}" for name, value in fields.items())
        at_us = self.recorder.note(f"plant: {text}")
        self.stimuli.append(Stimulus(self.plant_ms, at_us, StimulusKind.EVENT, text))

    def let_through(self, lines: tuple[str, ...], at_ms: int) -> Sequence[str]:
        """Return which of the plant's lines are sent at a plant time."""
        if self.frames_until_ms is None and not self.streams_until_ms:
            return lines
        return [
            line
            for line in lines
            if (until_ms := self._until_ms(line)) is None or at_ms <= until_ms
        ]

    def is_due(self, at_ms: int) -> bool:
        """Say whether the scenario has something to do by then."""
        return bool(self._script) and self._script[0].at_ms <= at_ms

    def inject(self, line: str) -> None:
        """Put a line on the wire that is not the plant's."""
        text = line_text("inject", line)
        self._wire.send(StimulusKind.INJECTED, self.plant_ms, text)

    def _stimulate(self) -> None:
        due: list[Injection | PlantEvent] = []
        while self.is_due(self.plant_ms):
            due.append(entry := self._script.pop(0))
            if isinstance(entry, PlantEvent):
                self.change(**entry.changes)
        if self.streams_until_ms.keys() != self._gated:
            self._check_streams()
        for line in self.let_through(self.plant.sense(self.state), self.plant_ms):
            self._wire.send(StimulusKind.FRAME, self.plant_ms, line)
        for entry in due:
            if isinstance(entry, Injection):
                self.inject(entry.line)

    def _look_ahead(self, ticks: int) -> None:
        """Tell the board of ticks that will come if nobody says anything new."""
        knows = not (self._begun or self.pipeline.faults or self.coupling.pins)
        if ticks > 1 and knows:
            begins, _ = self._repeats
            self._foresight.look(self, ticks, self._tick_ms, begins.encode())

    def _until_ms(self, line: str) -> int | None:
        for stream, until_ms in self.streams_until_ms.items():
            if is_in_stream(line, stream):
                return until_ms
        return self.frames_until_ms

    def _check_streams(self, where: str = "streams_until_ms") -> None:
        check_streams(where, self.streams_until_ms, self.plant.sense(self.state))
        self._gated = frozenset(self.streams_until_ms)

    def _advance_firmware(self, duration_ms: int) -> None:
        said = self._wire.advance(duration_ms)
        self._into_tick_ms += duration_ms
        if self.coupling.grouping is Grouping.BURST:
            ended, self._begun = ended_bursts([*self._begun, *said], self.recorder)
            for burst in ended:
                self._actuate(burst)
        else:
            for line in said:
                self._obey(line.at_us, (decoded(line.payload),))

    def _step_plant(self) -> None:
        self.state = self.plant.step(self.state)
        self.plant_ms += self.plant.tick_ms
        self._into_tick_ms, self._has_begun = 0, False
        self._sample()

    def _actuate(self, burst: Sequence[Line]) -> None:
        self._obey(burst[-1].at_us, tuple([decoded(line.payload) for line in burst]))

    def _obey(self, at_us: int, lines: tuple[str, ...]) -> None:
        for line in lines:
            self.state = self.plant.actuate(self.state, line)
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
