"""What the full profile asks of a run in which plant and firmware share one time.

What decides is how the plant's actuators stand, not which lines were repeated.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pytest_embedbench.model import StimulusKind

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pytest_embedbench.bench.run import Seen
    from pytest_embedbench.contracts import Plant

STALE_MS = 1000
STALE_AT_LATEST_MS = 1150
"""When data has to count no more: the rule, and the rule with the shell's two waits."""


def safe_for_good_us(seen: Seen[Any], is_safe: Callable[[Any], bool]) -> int | None:
    """Return the firmware time from which on the actuators stood safe.

    0 if they always did; ``None`` if they did not at the end.
    """
    since_us: int | None = 0
    for reply in seen.replies:
        if not is_safe(reply.state):
            since_us = None
        elif since_us is None:
            since_us = reply.at_us
    return since_us


def silence_ms(
    seen: Seen[Any], is_safe: Callable[[Any], bool], *, stream: str = "SENSE "
) -> float | None:
    """Return for how long a stream had been silent when the actuators were safe.

    That is firmware time from the last frame that starts with ``stream`` to the moment
    from which on they stood safe; below 0 if they did before, ``None`` if never.
    """
    frames = [
        stimulus.at_us
        for stimulus in seen.stimuli
        if stimulus.kind is StimulusKind.FRAME and stimulus.text.startswith(stream)
    ]
    safe_us = safe_for_good_us(seen, is_safe)
    return None if safe_us is None else (safe_us - frames[-1]) / 1000


@dataclass(slots=True)
class Silenceable:
    """A plant whose sensors can fall silent one by one, and come back.

    ``silent`` holds the starts of the lines that are not sent. The plant's own figures
    of merit are left out: they are of a plant that is heard.
    """

    plant: Plant[Any]
    silent: set[str] = field(default_factory=set[str])

    @property
    def tick_ms(self) -> int:
        """How much plant time one ``step`` stands for."""
        return self.plant.tick_ms

    @property
    def thresholds(self) -> Mapping[str, tuple[int, ...]]:
        """Horizontal lines worth drawing, by state field."""
        return self.plant.thresholds

    def initial(self) -> Any:  # noqa: ANN401
        """Return the state at power-on."""
        return self.plant.initial()

    def actuate(self, state: Any, line: str) -> Any:  # noqa: ANN401
        """Return the state after a firmware line."""
        return self.plant.actuate(state, line)

    def step(self, state: Any) -> Any:  # noqa: ANN401
        """Return the state one tick later."""
        return self.plant.step(state)

    def sense(self, state: Any) -> tuple[str, ...]:  # noqa: ANN401
        """Return the lines of the sensors that are not silent."""
        silent = tuple(self.silent)
        return tuple(x for x in self.plant.sense(state) if not x.startswith(silent))
