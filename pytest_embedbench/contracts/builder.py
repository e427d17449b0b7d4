"""What turns a project into an image."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_embedbench.errors import ToolMissing
    from pytest_embedbench.model import FirmwareImage, FirmwareSource


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
