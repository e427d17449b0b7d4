"""What turns an image into a running board."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from contextlib import AbstractContextManager
    from pathlib import Path

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
class VersionsByOptions(Protocol):
    """An engine that runs boards in ways which reports have to tell apart."""

    def version_for(self, spec: BoardSpec) -> str:
        """Return ``version()``, and which way the options of a board choose."""
        ...


@runtime_checkable
class KnowsImageKinds(Protocol):
    """An engine that can tell which kinds of prebuilt images it runs."""

    def image_kinds(self, spec: BoardSpec) -> Collection[str]:
        """Return them as messages name them: ``ELF``, ``Intel HEX``, ..."""
        ...


@runtime_checkable
class ChecksImages(Protocol):
    """An engine that can tell what keeps a board from running a prebuilt image."""

    def check_image(self, spec: BoardSpec, file: Path) -> None:
        """Look at a file of one of ``image_kinds``.

        Raises:
            FirmwareFault: it is damaged, for another machine, or too big; the message
                begins with its path.
        """
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
class HasStandIns(Protocol):
    """An engine that can have boards of another engine run in the place of its own."""

    def stand_in(self, spec: BoardSpec) -> str:
        """Return the name of the board that is booted for one; ``""`` for itself.

        ``spec.options`` has ``diagram``, if it is to stand in a circuit.

        Raises:
            ConfigError: its options ask for one, and there is none.
        """
        ...


@runtime_checkable
class MayWrite(Protocol):
    """An engine whose boards may run what is on them already."""

    def needs_image(self, spec: BoardSpec) -> bool:
        """Say whether booting writes an image; else a board runs what is on it."""
        ...


@runtime_checkable
class SharedEngine(KnowsCapabilities, MayWrite, Protocol):
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


@runtime_checkable
class LabEngine(KnowsCapabilities, MayWrite, Protocol):
    """An engine of boards of a lab, which are taken together with those of others.

    It is an ``Engine`` too; how boards are taken and started is the lab's.
    """

    def booted_together(
        self, wanted: Sequence[tuple[Any, BoardSpec, FirmwareImage]]
    ) -> AbstractContextManager[Sequence[Board]]:
        """Have boards for a block, each of the engine beside it, all of a lab.

        They are all taken before any is touched, and start side by side; raises what
        ``SharedEngine.boot_together`` does.
        """
        ...


@runtime_checkable
class RunsPlainPrograms(Protocol):
    """An engine whose boards are this machine: its images may be ordinary programs.

    It is an ``Engine`` too.
    """

    def plain_program(self, image: FirmwareImage) -> Path | None:
        """Return the program, if it is to be run as any other; None if it is booted."""
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
