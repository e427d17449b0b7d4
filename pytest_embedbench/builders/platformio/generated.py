"""What a framework writes into the project that it builds, kept from build to build.

ESP-IDF leaves its ``sdkconfig`` and, where the project has none, ``CMakeLists.txt`` in
the project. Without them, or with newer ones, it runs cmake anew, which takes longer
than all else. They are made of the project's own settings, so they go when those
change: a fresh checkout would not have them.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

_WRITTEN = re.compile(
    r"(.*/)?CMakeLists\.txt|sdkconfig(\.[\w-]+)?|dependencies\.lock"
    r"|managed_components/.*|(.*/)?idf_component\.yml"
)
_SETTINGS = re.compile(
    r"(.*/)?(CMakeLists\.txt|.*\.cmake|sdkconfig.*|Kconfig.*|idf_component\.yml"
    r"|.*\.csv|platformio\.ini)"
)
_NOTE = "settings"
_FRAMEWORK = "espidf"


@dataclass(frozen=True, slots=True)
class GeneratedFiles:
    """Those of one scratch place; ``root`` is where it is noted what they belong to."""

    root: Path

    def are_current(self, files: Mapping[str, Path]) -> bool:
        """Say whether the last build was of the same settings."""
        note = self.root / _NOTE
        return note.is_file() and note.read_text(encoding="ascii") == _digest(files)

    def note(self, files: Mapping[str, Path]) -> None:
        """Remember the settings of a build that has gone well."""
        (self.root / _NOTE).write_text(_digest(files), encoding="ascii")

    def forget(self) -> None:
        """Have the next build start afresh."""
        (self.root / _NOTE).unlink(missing_ok=True)


def may_be_generated(name: str) -> bool:
    """Say whether a framework may have written a file of the project, by its path."""
    return _WRITTEN.fullmatch(name) is not None


def is_written_into(frameworks: str) -> bool:
    """Say whether one of an environment's frameworks writes into the project."""
    return _FRAMEWORK in frameworks.replace(",", " ").split()


def _digest(files: Mapping[str, Path]) -> str:
    """Digest which files there are, and what is in those that are settings."""
    digest = hashlib.sha256()
    for name, path in sorted(files.items()):
        digest.update(name.encode(errors="surrogateescape") + b"\0")
        if _SETTINGS.fullmatch(name):
            digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()
