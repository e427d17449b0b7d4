"""The nouns of digital pins: levels, changes, and what is known of them."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import NamedTuple

from pytest_embedbench.errors import NotSupported


class Level(enum.Enum):
    """What a digital pin shows."""

    LOW = 0
    HIGH = 1
    FLOATING = 2


class PinEvent(NamedTuple):
    """A digital pin changed."""

    at_us: int
    pin: str
    level: Level


class PwmEvent(NamedTuple):
    """A PWM output changed: its period and the share of it that is high.

    A period of 0 says that it was switched off.
    """

    at_us: int
    pin: str
    period_us: float
    duty: float


@dataclass(frozen=True, slots=True)
class PinTrace:
    """What the pins did, oldest first: digital edges, and PWM settings.

    All that happened after ``since_us`` is there; of what was before it, where that is
    not 0, only the last change of each pin.
    """

    events: tuple[PinEvent, ...] = ()
    pwm: tuple[PwmEvent, ...] = ()
    since_us: int = 0

    def __repr__(self) -> str:
        since = f" since {self.since_us} us" if self.since_us else ""
        edges = f"{len(self.events)} edges"
        return f"<PinTrace of {edges}, {len(self.pwm)} PWM settings{since}>"

    def level_at(self, pin: str, at_us: int) -> Level:
        """Return what ``pin`` showed at ``at_us``; floating before its first event.

        Raises:
            NotSupported: the trace goes not so far back.
        """
        if at_us < self.since_us:
            raise NotSupported(
                f"what the pins did up to {self.since_us} us had to be forgotten: "
                f"there is no telling what {pin} showed at {at_us} us"
            )
        level = Level.FLOATING
        for event in self.events:
            if event.at_us > at_us:
                break
            if event.pin == pin:
                level = event.level
        return level
