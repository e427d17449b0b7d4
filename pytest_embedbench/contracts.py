"""The seams: one small Protocol per room, spoken in nouns from ``model``.

Implement these without importing us. ``pytest_embedbench.testing`` has a
``check_*`` function for each; an implementation that passes it is a citizen.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, runtime_checkable

from pytest_embedbench.model import StateT

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from pytest_embedbench.errors import ToolMissing
    from pytest_embedbench.model import (
        BoardSpec,
        Capability,
        Chunk,
        FirmwareImage,
        FirmwareSource,
        Level,
        PinTrace,
        Reply,
        Sample,
    )

    Figure = int | float | bool | None

__all__ = [
    "Board",
    "Builder",
    "Engine",
    "Link",
    "Measured",
    "Plant",
    "SharedBoard",
    "SharedEngine",
    "StateT",
]


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


class Engine(Protocol):
    """Something that turns an image into a running board."""

    def boot(self, spec: BoardSpec, image: FirmwareImage) -> Board:
        """Start ``image`` on ``spec`` at time 0; the caller closes the board.

        Raises:
            ToolMissing: what the engine needs is not installed.
            ConfigError: ``spec.options`` hold something it does not know.
            DoesNotFit: the image is too big for this board.
            FirmwareFault: it cannot be run on it for another reason (not ELF).
        """
        ...

    def missing(self) -> ToolMissing | None:
        """Say what has to be installed before ``boot`` can work, if anything."""
        ...

    def version(self) -> str:
        """Return one line that names the engine's own version, for reports."""
        ...


@runtime_checkable
class SharedEngine(Protocol):
    """An engine whose boards exist once, so that tests take turns.

    It is an ``Engine`` too; ``boot`` takes one board.
    """

    def boot_together(
        self, wanted: Sequence[tuple[BoardSpec, FirmwareImage]]
    ) -> Sequence[Board]:
        """Take all boards before any is touched, then start each.

        Raises:
            BoardBusy: they could not all be had in time, or never will be.
            BoardGivenUp: one of them was lost earlier in this run.
        """
        ...

    def needs_image(self, spec: BoardSpec) -> bool:
        """Say whether booting writes an image; else a board runs what is on it."""
        ...

    def capabilities(self, spec: BoardSpec) -> frozenset[Capability]:
        """Return what a board can do at best, before any is waited for or touched."""
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


class Snapshot(Protocol):
    """An image that stands ready to be booted again and again."""

    def boot(self) -> Board:
        """Return a board at time 0, as fresh as the first; the caller closes it."""
        ...

    def close(self) -> None:
        """Let go of the image; the boards have been closed."""
        ...


@runtime_checkable
class SnapshotEngine(Protocol):
    """An engine for which one more board of an image costs about a millisecond."""

    def stand_ready(self, spec: BoardSpec, image: FirmwareImage) -> Snapshot:
        """Make ready to boot ``image`` many times; raises what ``boot`` raises."""
        ...


class Builder(Protocol):
    """Something that turns a project into an image."""

    def environments(self, project_dir: Path) -> tuple[str, ...]:
        """Return what can be built there, by name; ``ConfigError`` if no project."""
        ...

    def fingerprint(self, source: FirmwareSource) -> str:
        """Return a digest of all that the build of ``source`` depends on."""
        ...

    def build(self, source: FirmwareSource, out_dir: Path) -> FirmwareImage:
        """Compile ``source`` into ``out_dir``, or raise ``BuildError``.

        Raises:
            BuildError: the submission does not compile.
            ToolMissing: the build tool or a package it needs is not here.
        """
        ...

    def missing(self) -> ToolMissing | None:
        """Say what has to be installed before ``build`` can work, if anything."""
        ...

    def version(self) -> str:
        """Return one line that names the build tool and its version, for reports."""
        ...


class Plant(Protocol[StateT]):
    """A process model: frozen parameters, pure transitions, no clock of its own.

    ``StateT`` is a frozen dataclass of int and bool fields, in the order in which a
    trace shows them; a plot takes a field's unit from its metadata, ``{"unit": "%"}``,
    or from the end of its name. Lines are text without terminator, as they stand on
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
