"""What is running: a board, its serial lines, and what else one may be able to do.

``Board`` is what every board is. Each further protocol is one ability: a board that has
it has its methods, and one that lacks it leaves them out. Nobody raises an error only
to say no; whoever asks a board for more than it has is told so in one place, by
``pytest_embedbench.bench.under_test``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, runtime_checkable

from pytest_embedbench.contracts.circuit import HasCircuit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_embedbench.contracts.console import TargetConsole
    from pytest_embedbench.model import BoardSpec, Capability, Chunk, Level, PinTrace


class Link(Protocol):
    """One UART seen from the bench: bytes in, bytes out, no opinion on lines."""

    def send(self, data: bytes) -> None:
        """Hand ``data`` to the firmware from now on, at the UART's own pace.

        Never waits. Raises ``BoardLost`` if the board is gone.
        """
        ...

    def receive(self) -> Sequence[Chunk]:
        """Return what the firmware has said since the last call; never waits.

        Works after a fault too: what was said before it is not lost.
        """
        ...


@runtime_checkable
class Board(Protocol):
    """A board that is running."""

    @property
    def spec(self) -> BoardSpec:
        """The datasheet it was booted from."""
        ...

    def link(self, uart: str = "") -> Link:
        """Return the link of one UART named in the spec; the first by default."""
        ...

    def now_us(self) -> int:
        """Return simulated time since boot; for real boards, host time."""
        ...

    def advance(self, duration_ms: int) -> None:
        """Let the firmware run for ``duration_ms``: the only place where time passes.

        Raises:
            FirmwareFault: the firmware crashed, spins, reset itself, ...; the
                board stays readable (``receive``, ``pin_trace``) but runs no more.
            ConfigError: that is no whole number, or below 0.
            BoardLost: the engine itself died.
        """
        ...

    def close(self) -> None:
        """Stop the firmware and let go of everything; safe to call twice."""
        ...


@runtime_checkable
class RunsOn(Protocol):
    """A board that stands still where its firmware has restarted itself."""

    def run_on(self) -> None:
        """Let it run on from there: a test has expected that."""
        ...


@runtime_checkable
class RunsAhead(Protocol):
    """A board that can be told what is going to happen, and do it in one go.

    Nothing that it says or does depends on it: it only costs less.
    """

    def foresee(
        self, stretches: Sequence[tuple[bytes, int]], expected: Sequence[bytes]
    ) -> None:
        """Take note of what the first UART is sent, and how many ms pass then, if so.

        That is: each of ``stretches`` will be asked for, by ``send`` and ``advance``
        and nothing else between, up to the first in which the firmware says anything
        but whole lines of ``expected``, talks more than half of the time, or ends.
        What is said in it is received when it has been asked for, and not before.
        """
        ...

    def is_ahead(self) -> bool:
        """Say whether the board has done more than it has been asked for so far."""
        ...


@runtime_checkable
class HearsBetween(Protocol):
    """A board in host time, whose firmware talks while nobody lets time pass."""

    def catch_up(self) -> None:
        """Have ready for ``receive`` what has come in by now."""
        ...


# ------------------------------------------------------------------ what tests may need
@runtime_checkable
class HasVirtualTime(Protocol):
    """A board that says whose time it lives in."""

    @property
    def virtual_time(self) -> bool:
        """Whether ``advance`` is exact: equal runs give equal bytes and stamps."""
        ...


@runtime_checkable
class HasReset(Protocol):
    """A board with a reset button."""

    def reset(self) -> None:
        """Press it; time goes on.

        What was said before can be received right afterwards; what is said then, only
        when time has passed.
        """
        ...


@runtime_checkable
class HasPower(Protocol):
    """A board whose power can be switched."""

    def power_cycle(self) -> None:
        """Take the power away for a moment; time goes on."""
        ...


@runtime_checkable
class SwitchesPower(Protocol):
    """A board whose power stays off until a test gives it back.

    One that is closed without power has it given back first.
    """

    def power_off(self) -> None:
        """Take the power away; what was said before can be received."""
        ...

    def power_on(self) -> None:
        """Give it back: the firmware begins anew, and time goes on."""
        ...


@runtime_checkable
class ReadsPins(Protocol):
    """A board whose outputs can be seen."""

    def pin_trace(self) -> PinTrace:
        """Return every pin change since boot."""
        ...


@runtime_checkable
class DrivesPins(Protocol):
    """A board whose inputs can be driven."""

    def drive_pin(self, pin: str, level: Level) -> None:
        """Drive an input from outside, or release it.

        Raises:
            ConfigError: there is no such pin, or no such level.
        """
        ...


@runtime_checkable
class DrivesPulses(Protocol):
    """A board whose inputs can be driven to the microsecond.

    Its ``drive_pin`` takes ``at_us`` too: a moment of simulated time, not yet past.
    """

    def drive_pulses(
        self,
        pin: str,
        durations_us: Sequence[int],
        *,
        first: Level = ...,
        then: Level | None = ...,
        at_us: int | None = ...,
    ) -> None:
        """Drive an input through levels that alternate, for so many us each.

        It begins with ``first`` (high) at ``at_us`` (now); after the last it is
        ``then`` (by default the other level once more).

        Raises:
            ConfigError: there is no such pin or level, a moment has passed, or a
                duration is no whole number of microseconds above 0.
        """
        ...


@runtime_checkable
class HasPins(ReadsPins, DrivesPins, Protocol):
    """A board with digital pins, both ways."""


@runtime_checkable
class HasAnalog(Protocol):
    """A board with voltage inputs."""

    def set_analog(self, pin: str, millivolts: int) -> None:
        """Put a voltage on an ADC pin.

        Raises:
            ConfigError: that pin has no ADC, or that is no voltage.
        """
        ...


@runtime_checkable
class HasConsole(Protocol):
    """A board with a shell beside its firmware."""

    @property
    def console(self) -> TargetConsole:
        """That shell, logged in."""
        ...


# ---------------------------------------------------------------- what failures quote
@runtime_checkable
class HasNotes(Protocol):
    """A board that remarks on what a real one would not let pass."""

    @property
    def notes(self) -> Sequence[str]:
        """A sentence each, of the run so far."""
        ...


@runtime_checkable
class HasPosition(Protocol):
    """A board that knows where its firmware is."""

    @property
    def position(self) -> str:
        """Where it is now, as a clause; ``""`` where that says nothing."""
        ...


class BoardUnderTest(
    Board,
    HasReset,
    HasPower,
    SwitchesPower,
    HasPins,
    DrivesPulses,
    HasAnalog,
    HasConsole,
    HasCircuit,
    HasNotes,
    HasPosition,
    Protocol,
):
    """A board as fixtures hand it to a test, which may ask it for anything.

    It can what the engine's own board can; all else raises ``BoardLacks``, which names
    boards that can. It has no notes and no position where the engine's board has none.
    """

    @property
    def capabilities(self) -> frozenset[Capability]:
        """What it can do beyond moving bytes."""
        ...

    def drive_pin(self, pin: str, level: Level, *, at_us: int | None = None) -> None:
        """Drive an input from outside, or release it: now, or at a moment to come.

        Raises:
            ConfigError: there is no such pin, or no such level, or that has passed.
            BoardLacks: it can only be driven now.
        """
        ...
