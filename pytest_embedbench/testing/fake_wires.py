"""Wires without a circuit: a test says what pins show, and sees what a model does."""

from __future__ import annotations

import heapq
from itertools import count
from typing import TYPE_CHECKING, NamedTuple

from pytest_embedbench.pins import Level
from pytest_embedbench.testing.insist import insist
from pytest_embedbench.wiring.bit_i2c import BitI2c
from pytest_embedbench.wiring.bit_spi import BitSpi
from pytest_embedbench.wiring.drives import RELEASED
from pytest_embedbench.wiring.part_type import PinRole

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from pytest_embedbench.wiring.drives import Drive
    from pytest_embedbench.wiring.part_model import I2cDevice, SpiDevice
    from pytest_embedbench.wiring.part_type import PartPin, PartType

DRIVABLE = frozenset({PinRole.PULLED, PinRole.OUTPUT, PinRole.BOTH, PinRole.OPEN_DRAIN})
"""The roles of pins that a model may hold."""
_HIGHEST_ADDRESS = 0x7F


class WireEvent(NamedTuple):
    """Something that a model did: a level, mV, or whether a switch is closed.

    ``pins`` is one pin, or both ends of a switch.
    """

    at_ticks: int
    pins: tuple[str, ...]
    value: Drive | int | bool


class Broadcast(NamedTuple):
    """Something that a model sent through the air."""

    at_ticks: int
    topic: str
    value: int


class FakeWires:
    """The pins of one part, at 16 ticks per microsecond.

    What the model drives or sends is recorded, and does not come back to it. Its
    devices on buses hear the bits at their pins; a test can speak to them in bytes,
    too: ``i2c`` has them by address, ``spi`` by select pin.

    Args:
        kind: The type of the part: no pin is there but its own.
        attrs: The attributes that decide which pins it has.
    """

    ticks_per_us = 16

    def __init__(self, kind: PartType, attrs: Mapping[str, str] | None = None) -> None:
        attrs = attrs or {}
        self._pins = kind.pins_with(attrs)
        self._switches = {
            (pair.one, pair.other) for pair in kind.pairs_with(kind.switches, attrs)
        }
        self._order = count()
        self._due: list[tuple[int, int, Callable[[int], None]]] = []
        self._on_level: list[tuple[str, Callable[[int, Level], None]]] = []
        self._on_pwm: list[tuple[str, Callable[[int, int, int], None]]] = []
        self._on_broadcast: list[tuple[str, Callable[[int, int], None]]] = []
        self._levels: dict[str, Level] = {}
        self.now_ticks = 0
        self.events: list[WireEvent] = []
        self.driven: dict[str, Drive] = {}
        self.volts_mv: dict[str, int] = {}
        self.closed: set[tuple[str, str]] = set()
        self.i2c: dict[int, I2cDevice] = {}
        self.spi: dict[str, SpiDevice] = {}
        self.sent: list[Broadcast] = []

    @property
    def pins(self) -> Mapping[str, PartPin]:
        """The pins that are there, by name."""
        return self._pins

    @property
    def topics(self) -> Sequence[str]:
        """What the model listens for in the air."""
        return tuple(dict.fromkeys(topic for topic, _ in self._on_broadcast))

    # ---------------------------------------------------------- what a model calls

    def at(self, at_ticks: int, call: Callable[[int], None]) -> None:
        """See ``Wires``."""
        over = f"it wants to be called at {at_ticks} ticks, and it is {self.now_ticks}"
        insist(at_ticks >= self.now_ticks, over)
        heapq.heappush(self._due, (at_ticks, next(self._order), call))

    def on_level(self, pin: str, call: Callable[[int, Level], None]) -> None:
        """See ``Wires``."""
        self._pin(pin)
        self._on_level.append((pin, call))

    def on_pwm(self, pin: str, call: Callable[[int, int, int], None]) -> None:
        """See ``Wires``."""
        self._pin(pin)
        self._on_pwm.append((pin, call))

    def drive(self, pin: str, drive: Drive) -> None:
        """See ``Wires``."""
        role = self._pin(pin).role
        insist(role in DRIVABLE, f"it drives {pin}, which is {role.value}")
        if drive != self.driven.get(pin, RELEASED):
            self._note((pin,), drive)
        self.driven[pin] = drive

    def millivolts(self, pin: str, value_mv: int) -> None:
        """See ``Wires``."""
        role = self._pin(pin).role
        insist(role in DRIVABLE, f"it puts a voltage on {pin}, which is {role.value}")
        insist(type(value_mv) is int, f"{value_mv!r} mV on {pin} are no int")
        self.volts_mv[pin] = value_mv
        self._note((pin,), value_mv)

    def join(self, one: str, other: str, *, closed: bool) -> None:
        """See ``Wires``."""
        pair = (one, other)
        insist(pair in self._switches, f"its type has no switch from {one} to {other}")
        if closed != (pair in self.closed):
            self._note(pair, closed)
        (self.closed.add if closed else self.closed.discard)(pair)

    def on_i2c(self, sda: str, scl: str, address: int, device: I2cDevice) -> None:
        """See ``Wires``."""
        insist(0 <= address <= _HIGHEST_ADDRESS, f"{address} is no address of 7 bits")
        insist(address not in self.i2c, f"it is at address {address} twice")
        self.i2c[address] = device
        BitI2c(self, sda, scl, address, device)

    def on_spi(
        self,
        clock: str,
        data_in: str,
        select: str,
        device: SpiDevice,
        *,
        data_out: str = "",
    ) -> None:
        """See ``Wires``."""
        insist(select not in self.spi, f"{select} selects two devices")
        self.spi[select] = device
        BitSpi(self, clock, data_in, select, device, data_out=data_out)

    def broadcast(self, topic: str, value: int) -> None:
        """See ``Wires``."""
        insist(type(value) is int, f"{value!r} to {topic} is no int")
        self.sent.append(Broadcast(self.now_ticks, topic, value))

    def on_broadcast(self, topic: str, call: Callable[[int, int], None]) -> None:
        """See ``Wires``."""
        self._on_broadcast.append((topic, call))

    # ----------------------------------------------------------- what a test calls

    def show(self, **levels: Level) -> None:
        """Let pins show levels now, all at once."""
        self.show_all(levels)

    def show_all(self, levels: Mapping[str, Level]) -> None:
        """Let pins show levels now, all at once; for names that Python lacks."""
        changed = [
            (pin, level)
            for pin, level in levels.items()
            if self._levels.get(pin, Level.FLOATING) is not level
        ]
        self._levels.update(changed)
        for pin, level in changed:
            self._pin(pin)
            for listening, call in tuple(self._on_level):
                if listening == pin:
                    call(self.now_ticks, level)

    def pwm(self, pin: str, period_ticks: int, high_ticks: int) -> None:
        """Put PWM on a pin whose edges are not told; end it with a period of 0."""
        self._pin(pin)
        self._levels.pop(pin, None)
        for listening, call in tuple(self._on_pwm):
            if listening == pin:
                call(self.now_ticks, period_ticks, high_ticks)

    def hear(self, topic: str, value: int) -> None:
        """Send something through the air now, as another part does."""
        for listening, call in tuple(self._on_broadcast):
            if listening == topic:
                call(self.now_ticks, value)

    def advance(self, duration_ticks: int) -> None:
        """Let time pass, and call what is due by its end."""
        end_ticks = self.now_ticks + duration_ticks
        while self._due and self._due[0][0] <= end_ticks:
            self.now_ticks, _, call = heapq.heappop(self._due)
            call(self.now_ticks)
        self.now_ticks = end_ticks

    def advance_us(self, duration_us: float) -> None:
        """Let microseconds pass, to the nearest tick."""
        self.advance(round(duration_us * self.ticks_per_us))

    def _pin(self, pin: str) -> PartPin:
        found = self._pins.get(pin)
        insist(found, f"there is no pin {pin!r}: it has {', '.join(self._pins)}")
        return self._pins[pin]

    def _note(self, pins: tuple[str, ...], value: Drive | int | bool) -> None:  # noqa: FBT001
        self.events.append(WireEvent(self.now_ticks, pins, value))
