"""The nouns of digital pins: levels, changes, and what is known of them."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from pytest_embedbench.errors import NotSupported

if TYPE_CHECKING:
    from collections.abc import Mapping


class Level(enum.Enum):
    """What a digital pin shows."""

    LOW = 0
    HIGH = 1
    FLOATING = 2


class PinJob(enum.Enum):
    """What a firmware has been seen to do with a pin."""

    OUTPUT = "output"
    """It was made an output."""
    PULL_UP = "pull-up"
    """Its pull-up was on, or a level was written to it while it was an input."""
    READ = "read"
    """Its level was read, as one bit."""
    PWM = "pwm"
    """A timer was connected to it."""
    ANALOG = "analog"
    """The ADC measured it."""
    INTERRUPT = "interrupt"
    """An external or pin-change interrupt of it was on."""
    I2C = "i2c"
    SPI = "spi"
    UART = "uart"


@dataclass(frozen=True, slots=True)
class PinUse:
    """What a firmware did with pins since boot, by the names of the datasheet.

    ``edges`` is how often each output changed, without the pulses of a timer.
    ``unseen`` says what could not be observed, one sentence each.
    """

    jobs: Mapping[str, frozenset[PinJob]] = field(
        default_factory=dict[str, "frozenset[PinJob]"]
    )
    edges: Mapping[str, int] = field(default_factory=dict[str, int])
    unseen: tuple[str, ...] = ()


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
