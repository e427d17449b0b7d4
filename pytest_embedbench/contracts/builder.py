"""What turns a project into an image, and what else such a thing may know.

A builder is made without arguments. What the user has chosen it is told afterwards, if
it wants to know: see ``TakesSettings``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Protocol, runtime_checkable

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from pytest_embedbench.errors import ToolMissing
    from pytest_embedbench.model import (
        BoardSpec,
        BuilderSettings,
        FirmwareImage,
        FirmwareSource,
    )


@runtime_checkable
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


@runtime_checkable
class TakesSettings(Protocol):
    """A builder that heeds what the user has chosen; it is a ``Builder`` too."""

    def with_settings(self, settings: BuilderSettings) -> Builder:
        """Return one that does; what is ``None`` stays the builder's own choice."""
        ...


@runtime_checkable
class KnowsBoardTools(Protocol):
    """A builder or engine that knows what a board takes before it is built for.

    For one whose engine says so, nothing is built.
    """

    def missing_for(self, spec: BoardSpec) -> Sequence[ToolMissing]:
        """Say what has to be installed for that board, beyond ``missing``."""
        ...


class Buildable(NamedTuple):
    """A kind of firmware for a board (``Arduino``), and what it lacks, if anything."""

    name: str
    missing: ToolMissing | None = None


@runtime_checkable
class KnowsFrameworks(Protocol):
    """A builder that knows which kinds of firmware it can build for a board."""

    def buildable(self, spec: BoardSpec) -> Sequence[Buildable]:
        """Return all kinds, bare metal first; none for a board it does not know."""
        ...


class EnvironmentFacts(NamedTuple):
    """What a project says of an environment; empty or 0 what it does not say.

    ``board`` is the build tool's name of a board, ``mcu`` of its chip. ``cpu_hz`` is
    the clock that the firmware is compiled for, where that has to be the board's own.
    """

    name: str
    board: str = ""
    mcu: str = ""
    cpu_hz: int = 0
    monitor_bps: int = 0


@runtime_checkable
class KnowsEnvironments(Protocol):
    """A builder that knows for which boards a project's environments are."""

    def environment_facts(self, project_dir: Path) -> Sequence[EnvironmentFacts]:
        """Return what is said of each, those first that the project prefers."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class UnitTestSuite:
    """Unit tests of a project that are built into one program: a folder of sources.

    ``name`` is PlatformIO's: the path in the folder of tests, or ``*`` for all of it.
    ``framework`` is what they are written for, ``baud_bps`` how fast they report.
    """

    name: str
    folder: Path
    framework: str = "unity"
    baud_bps: int = 115_200


@runtime_checkable
class HasUnitTests(Protocol):
    """A builder that knows of unit tests which are built into programs of their own.

    It builds one for a ``FirmwareSource`` with a ``test_suite``.
    """

    def unit_tests(
        self, project_dir: Path, environment: str
    ) -> Sequence[UnitTestSuite]:
        """Return the suites that the project wants run in an environment."""
        ...


class SetupReport(Protocol):
    """What a setup has come to."""

    def lines(self) -> Iterable[str]:
        """Say what was made, and of what could not be, what to do about it."""
        ...


@runtime_checkable
class SetsUp(Protocol):
    """A builder that can be set up to build on this machine by itself, offline."""

    def set_up(self) -> SetupReport:
        """Make what builds will use, or refresh it.

        Raises:
            ToolMissing: what it is made of is not here.
        """
        ...


class LentTools(NamedTuple):
    """What a program in a sandbox has to see so that it can build there.

    ``readable`` are files and folders; ``empty`` are folders that are its own to write
    into, with nothing of ours in them but what is readable.
    """

    readable: tuple[Path, ...]
    empty: tuple[Path, ...] = ()


@runtime_checkable
class LendsTools(Protocol):
    """A builder that can be used from inside a sandbox."""

    def lent_tools(self) -> LentTools:
        """Return what has to be seen there.

        Raises:
            ToolMissing: the build tool is not here.
        """
        ...
