"""What is running: a board, and its serial lines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    from collections.abc import Sequence

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


class Board(Protocol):
    """A board that is running.

    It may also have ``notes``, sentences on what a real board would not let pass, and
    ``position``, a clause on where its firmware is: failures quote them.
    """

    @property
    def spec(self) -> BoardSpec:
        """The datasheet it was booted from."""
        ...

    @property
    def capabilities(self) -> frozenset[Capability]:
        """What this board can do beyond moving bytes."""
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

    def drive_pin(self, pin: str, level: Level) -> None:
        """Drive an input from outside (or release it), or raise ``NotSupported``."""
        ...

    def set_analog(self, pin: str, millivolts: int) -> None:
        """Put a voltage on an ADC pin, or raise ``NotSupported``."""
        ...

    def pin_trace(self) -> PinTrace:
        """Return every pin change since boot, or raise ``NotSupported``."""
        ...

    def reset(self) -> None:
        """Press the reset button, or raise ``NotSupported``; time goes on.

        What was said before can be received right afterwards; what is said then, only
        when time has passed.
        """
        ...

    def close(self) -> None:
        """Stop the firmware and let go of everything; safe to call twice."""
        ...


@runtime_checkable
class SharedBoard(Protocol):
    """A board that exists once; it is a ``Board`` too."""

    needs_recovery: bool
    """Whether a test has failed on it: then it is put right when it is closed."""

    @property
    def waited_s(self) -> float:
        """How long it took until the board was free."""
        ...

    @property
    def waited_for(self) -> str:
        """Who had it meanwhile; ``""`` if nobody."""
        ...

    @property
    def remarks(self) -> Sequence[str]:
        """What else a reader of the report should know of how we got it."""
        ...
