"""What the model of a part is written against, and what it promises.

A model is made with the wires that it hangs on and its attributes, and hears from then
on what happens at its pins. All times are ticks of the simulated clock, counted from
when the board got its power. A pin floats until something else is said of it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Protocol, TypeAlias, runtime_checkable

if TYPE_CHECKING:
    from pytest_embedbench.pins import Level
    from pytest_embedbench.wiring.drives import Drive

Reading: TypeAlias = "bool | int | float | str | tuple[Reading, ...]"
"""What is seen of a part: a value, or values of one kind in a fixed order."""


class Wires(Protocol):
    """What a model sees of its circuit: its own pins, and the clock.

    What a model does to its pins takes effect when all who hear of one moment have
    heard: who samples a line at an edge gets what was there before the edge. Calls
    come in order of time, and those of one moment in no order that a model may know.
    """

    @property
    def ticks_per_us(self) -> int:
        """How fast the clock is."""
        ...

    def at(self, at_ticks: int, call: Callable[[int], None]) -> None:
        """Have something called at a time that is not over, with that time."""
        ...

    def on_level(self, pin: str, call: Callable[[int, Level], None]) -> None:
        """Have every change of a pin's net told: when, and to what."""
        ...

    def on_pwm(self, pin: str, call: Callable[[int, int, int], None]) -> None:
        """Have PWM on a pin's net told whose edges are not: when, period, high time.

        Both are in ticks. A period of 0 says that it is over; ``on_level`` tells next
        what the net shows then, and tells nothing while PWM is on.
        """
        ...

    def drive(self, pin: str, drive: Drive) -> None:
        """Hold a pin from now on, or let go of it with ``RELEASED``."""
        ...

    def millivolts(self, pin: str, value_mv: int) -> None:
        """Put a voltage on a pin from now on, in mV over ground."""
        ...

    def join(self, one: str, other: str, *, closed: bool) -> None:
        """Close or open a switch between two pins."""
        ...


@runtime_checkable
class Controlled(Protocol):
    """A model that can be pressed, turned, warmed."""

    def control(self, at_ticks: int, name: str, value: float, /) -> None:
        """Set a control of its type, to a value in its range."""
        ...


@runtime_checkable
class Observed(Protocol):
    """A model of which something is seen or heard."""

    def observe(self, at_ticks: int, name: str, /) -> Reading:
        """Return an observable of its type as it is now; nothing changes by that."""
        ...


MakeModel: TypeAlias = Callable[[Wires, Mapping[str, str]], object]
"""Makes a model on its wires; every attribute of the type is there.

It is ``Controlled`` if its type has controls, ``Observed`` if it has observables.
"""
