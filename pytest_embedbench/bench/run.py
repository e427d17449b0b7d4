"""What a run of a scenario gave."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, Protocol, cast

from pytest_embedbench.bench.loop_checks import check_invariants
from pytest_embedbench.contracts import Measured, StateT
from pytest_embedbench.errors import ConfigError, InvariantBroken
from pytest_embedbench.model import StimulusKind
from pytest_embedbench.support.validation import whole_ms
from pytest_embedbench.wire.streams import is_in_stream

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from pytest_embedbench.bench.closed_loop import ClosedLoop, Invariants
    from pytest_embedbench.contracts import Figure
    from pytest_embedbench.model import Reply, Sample, Stimulus

ACTUATION = "ACT "
"""How a line to an actuator starts."""


class Seen(Protocol[StateT]):
    """What has been seen so far: a run, or a loop that goes on."""

    @property
    def samples(self) -> Sequence[Sample[StateT]]:
        """The plant's states, oldest first."""
        ...

    @property
    def replies(self) -> Sequence[Reply[StateT]]:
        """What the firmware said, and the plant's states after it."""
        ...

    @property
    def stimuli(self) -> Sequence[Stimulus]:
        """What was done to firmware and plant."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Run(Generic[StateT]):
    """A scenario that was run: all that was seen, and the figures of merit."""

    scenario: str
    stopped_early: bool
    """Whether ``stop_when`` ended it."""
    samples: tuple[Sample[StateT], ...]
    replies: tuple[Reply[StateT], ...]
    stimuli: tuple[Stimulus, ...]
    metrics: Mapping[str, Figure]
    fault_counts: tuple[int, ...] = ()
    """In how many ticks each of the scenario's faults changed something."""
    last_fault_ms: int | None = None
    """The plant time at which the last of these ticks began."""

    def __repr__(self) -> str:
        seen = f"{len(self.samples)} samples, {len(self.replies)} replies"
        return f"<Run {self.scenario!r} up to {self.samples[-1].at_ms} ms: {seen}>"

    @property
    def last_frame_us(self) -> int | None:
        """When the last sensor frame was sent, in firmware time."""
        return self.last_frame_of()

    def last_frame_of(self, stream: str = "") -> int | None:
        """Return when, in us, the last sensor frame of a stream (``SENSE TEMP``) was.

        Without a stream that is ``last_frame_us``; ``None`` if there was no frame.
        """
        return last_frame_us(self, stream)

    def reaction_ms(
        self,
        *,
        is_safe: Callable[[StateT], bool],
        not_before_ms: int = 0,
        stream: str = "",
    ) -> float | None:
        """Return firmware time from the last sensor frame to a reply that made it safe.

        That is the first reply with an ``ACT`` line that leaves ``is_safe`` true,
        ``not_before_ms`` after the frame at the earliest; ``None`` if none came.
        With a ``stream`` it is the last frame of that stream.

        Raises:
            ConfigError: there were frames, and none of that stream.
        """
        frames = [each.text for each in self.stimuli if each.kind is StimulusKind.FRAME]
        if frames and not any(is_in_stream(text, stream) for text in frames):
            said = ", ".join(dict.fromkeys(text.rpartition(" ")[0] for text in frames))
            raise ConfigError(f"no sensor frame begins with {stream!r}; sent: {said}")
        return reaction_ms(
            self, is_safe=is_safe, not_before_ms=not_before_ms, stream=stream
        )

    def check_recovered(self, well: Invariants[StateT], *, within_ms: int) -> None:
        """Insist that all is well again: in every sample, from a time on.

        That is ``within_ms`` after the last tick in which a fault changed something.

        Raises:
            InvariantBroken: it was not.
            ConfigError: no sample comes after that, so this run cannot tell.
        """
        check_invariants(well)
        since_ms = (self.last_fault_ms or 0) + whole_ms("within_ms", within_ms)
        if self.samples[-1].at_ms <= since_ms:
            raise ConfigError(
                f"scenario {self.scenario!r} ends at {self.samples[-1].at_ms} ms, and "
                f"recovery is due at {since_ms} ms only: {within_ms} ms after the last "
                "effect of a fault; let it run on, or the faults end"
            )
        for sample in self.samples:
            for name, holds in well.items():
                if sample.at_ms > since_ms and not holds(sample.state):
                    what = f"{name} again, {within_ms} ms after the faults"
                    raise InvariantBroken(what, str(sample))


def last_frame_us(seen: Seen[StateT], stream: str = "") -> int | None:
    """Return when the last sensor frame of a stream, or of all, was sent."""
    for entry in reversed(seen.stimuli):
        if entry.kind is StimulusKind.FRAME and is_in_stream(entry.text, stream):
            return entry.at_us
    return None


def reaction_ms(
    seen: Seen[StateT],
    *,
    is_safe: Callable[[StateT], bool],
    not_before_ms: int,
    stream: str = "",
) -> float | None:
    """Return what ``Run.reaction_ms`` does, of a loop that goes on too."""
    frame_us = last_frame_us(seen, stream)
    if frame_us is None:
        return None
    for reply in seen.replies:
        elapsed_us = reply.at_us - frame_us
        in_time = elapsed_us >= not_before_ms * 1000
        if in_time and has_actuation(reply) and is_safe(reply.state):
            return elapsed_us / 1000
    return None


def has_actuation(reply: Reply[StateT]) -> bool:
    """Say whether a reply has a line to an actuator, known or not."""
    return any(line.startswith(ACTUATION) for line in reply.lines)


def summarize(loop: ClosedLoop[StateT], *, stopped_early: bool = False) -> Run[StateT]:
    """Return what a loop has given so far."""
    return Run(
        scenario=loop.scenario.name,
        stopped_early=stopped_early,
        samples=tuple(loop.samples),
        replies=tuple(loop.replies),
        stimuli=tuple(loop.stimuli),
        metrics=metrics_of(loop),
        fault_counts=tuple(loop.pipeline.counts),
        last_fault_ms=loop.pipeline.last_change_ms,
    )


def metrics_of(loop: ClosedLoop[StateT]) -> Mapping[str, Figure]:
    """Return the plant's own figures; without such, how much was seen."""
    if isinstance(loop.plant, Measured):
        # No type checker infers of what state a plant is that is measured, too.
        plant = cast("Measured[StateT]", loop.plant)
        return plant.metrics(loop.samples, loop.replies)
    return {
        "sample_count": len(loop.samples),
        "duration_ms": loop.samples[-1].at_ms,
    }
