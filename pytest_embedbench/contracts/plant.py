"""What a firmware controls."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, runtime_checkable

from pytest_embedbench.model import StateT

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pytest_embedbench.model import Reply, Sample

Figure = int | float | bool | None
"""A figure of merit; ``None`` for what never happened."""


@runtime_checkable
class Plant(Protocol[StateT]):
    """A process model: frozen parameters, pure transitions, no clock of its own.

    ``StateT`` is a frozen dataclass of int and bool fields, in the order in which a
    trace shows them; a plot takes a field's unit from its metadata, ``{"unit": "%"}``,
    or from the end of its name. If the plant is a dataclass too, ``plant(...)`` holds
    its parameters to the annotations, and to the ``range`` in a field's metadata,
    ``{"range": (0, 100)}``. Lines are text without terminator, as they stand on
    the wire.
    """

    @property
    def tick_ms(self) -> int:
        """How much plant time one ``step`` stands for."""
        ...

    @property
    def thresholds(self) -> Mapping[str, tuple[int, ...]]:
        """Horizontal lines worth drawing, by state field."""
        ...

    def initial(self) -> StateT:
        """Return the state at power-on."""
        ...

    def actuate(self, state: StateT, line: str) -> StateT:
        """Return the state after a firmware line; unchanged if it is not ours."""
        ...

    def step(self, state: StateT) -> StateT:
        """Return the state one tick later."""
        ...

    def sense(self, state: StateT) -> tuple[str, ...]:
        """Return the sensor lines of this state, in the order they are sent."""
        ...


@runtime_checkable
class Measured(Protocol[StateT]):
    """A plant that has figures of merit of its own."""

    def metrics(
        self, samples: Sequence[Sample[StateT]], replies: Sequence[Reply[StateT]]
    ) -> Mapping[str, Figure]:
        """Return the figures of a run; ``None`` for what never happened."""
        ...
