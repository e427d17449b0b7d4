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

Reading: TypeAlias = "bool | int | float | str | bytes | tuple[Reading, ...]"
"""What is seen of a part: a value, or several in a fixed order."""


class I2cDevice(Protocol):
    """One device on an I2C bus, told of bytes and not of bits.

    A call is made once its byte has gone over, with its acknowledge; where bits are
    heard one by one, as the acknowledge begins, and before the first bit of what is
    read.
    """

    def begin(self, at_ticks: int, /, *, reads: bool) -> bool:
        """Hear its address after a START, and return whether it acknowledges.

        If it does not, it hears nothing more before the next START.
        """
        ...

    def write(self, at_ticks: int, byte: int, /) -> bool:
        """Take a byte, and return whether it acknowledges."""
        ...

    def read(self, at_ticks: int, /) -> int:
        """Return the next byte that is read from it."""
        ...

    def end(self, at_ticks: int, /) -> None:
        """Hear of a STOP or another START, after an address that it acknowledged."""
        ...


@runtime_checkable
class TakesBytes(Protocol):
    """An ``I2cDevice`` that acknowledges all that is written, and may be told it late.

    Until its message is over or something is seen of it, all that it does with bytes
    is to take them in.
    """

    def take_bytes(self, data: bytes, /) -> None:
        """Take bytes as ``write`` does one by one."""
        ...


class SpiDevice(Protocol):
    """One device on an SPI bus: mode 0 or 3, the highest bit first.

    It is told of bytes that it is not selected for, too, from the last time on that it
    was; an incomplete byte is gone once it is selected anew.
    """

    def select(self, at_ticks: int, /, *, is_selected: bool) -> int:
        """Hear that its select line moved; return what goes out with the next byte."""
        ...

    def transfer(self, at_ticks: int, byte: int, /) -> int:
        """Take a byte as its last bit is in; return what goes out with the next one."""
        ...


@runtime_checkable
class ShiftsIn(Protocol):
    """An ``SpiDevice`` that may be told its bytes late, several in a row.

    Until its select line moves or something is seen of it, all that it does with them
    is to shift them in.
    """

    def shift_in(self, data: bytes, /) -> int:
        """Take bytes as ``transfer`` does one by one; return what the last returns."""
        ...


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

    def on_i2c(self, sda: str, scl: str, address: int, device: I2cDevice) -> None:
        """Put a device on a bus, at an address of 7 bits.

        Its pins are no longer the model's to drive. They are pulled up from now on,
        as modules do it with resistors.
        """
        ...

    def on_spi(
        self,
        clock: str,
        data_in: str,
        select: str,
        device: SpiDevice,
        *,
        data_out: str = "",
    ) -> None:
        """Put a device on a bus; it is selected while ``select`` is low.

        ``data_out`` is driven while it is selected, and is not the model's to drive.
        """
        ...

    def broadcast(self, topic: str, value: int) -> None:
        """Send something through the air to all parts of the circuit: infrared."""
        ...

    def on_broadcast(self, topic: str, call: Callable[[int, int], None]) -> None:
        """Have told what other parts send through the air: when, and what."""
        ...


@runtime_checkable
class Powered(Protocol):
    """A model that loses something with the power of its board.

    Its surroundings, which controls set, and what is mechanical stay as they are.
    """

    def power_on(self, at_ticks: int, /) -> None:
        """Begin anew: power has been away for a moment, and is back."""
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


@runtime_checkable
class TakesFiles(Protocol):
    """A model of something that files can be put on: a memory card."""

    def put_file(self, path: str, content: bytes, /) -> None:
        """Write a file; ``ConfigError`` if it cannot be there."""
        ...


MakeModel: TypeAlias = Callable[[Wires, Mapping[str, str]], object]
"""Makes a model on its wires; every attribute of the type is there.

It is ``Controlled`` if its type has controls, ``Observed`` if it has observables.
"""
