"""What turns an image into a running board."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_embedbench.contracts.board import Board
    from pytest_embedbench.contracts.console import HeldConsole
    from pytest_embedbench.errors import ToolMissing
    from pytest_embedbench.model import BoardSpec, Capability, FirmwareImage


@runtime_checkable
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
class ChecksBoards(Protocol):
    """An engine that can tell a board which it could never boot."""

    def check(self, spec: BoardSpec) -> None:
        """Raise ``ConfigError`` for such a board; nothing is started."""
        ...


@runtime_checkable
class KnowsCapabilities(Protocol):
    """An engine that knows what its boards can do before it boots one."""

    def capabilities(self, spec: BoardSpec) -> frozenset[Capability]:
        """Return what a board can do at best; a running one says what it can."""
        ...


@runtime_checkable
class HasConsoles(Protocol):
    """An engine whose boards can be logged in to without a firmware of ours."""

    def open_console(self, spec: BoardSpec) -> HeldConsole:
        """Take a board, and log in to it.

        Raises:
            BoardBusy: others have it for too long.
            BoardUnreachable: it is not there, or does not let us in.
            BoardGivenUp: it was lost earlier in this run.
        """
        ...


@runtime_checkable
class SharedEngine(KnowsCapabilities, Protocol):
    """An engine whose boards exist once, so that tests take turns.

    It is an ``Engine`` too; ``boot`` takes one board. What it can do is known before
    any board is waited for or touched.
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
    """An engine for which one more board of an image costs about a millisecond.

    It is an ``Engine`` too.
    """

    def stand_ready(self, spec: BoardSpec, image: FirmwareImage) -> Snapshot:
        """Make ready to boot ``image`` many times; raises what ``boot`` raises."""
        ...
