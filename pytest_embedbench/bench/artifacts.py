"""Where a test's evidence goes: one fresh folder per test and attempt.

The content depends on simulated time only: equal runs leave equal bytes.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
import re
import shutil
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from pytest_embedbench.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path
    from typing import TextIO

    from pytest_embedbench.contracts import Figure
    from pytest_embedbench.model import Sample

TRANSCRIPT = "transcript.log"
MAX_NAME_CHARS = 80
_UNSAFE = re.compile(r"[^A-Za-z0-9_.,=+@\[\]-]+")


def folder_for(root: Path, nodeid: str, attempt: int = 1) -> Path:
    """Make and return the folder of one attempt at one test; it is empty.

    The path is ``root/<test file>/<test>`` with ``.2`` and so on for further
    attempts: readable, the same in every run, and different for every node id.
    What an earlier run left in it is removed.

    Raises:
        ConfigError: something that is not ours is in the way.
    """
    file, _, test = nodeid.partition("::")
    parts = [_safe(part) for part in file.split("/") if part not in ("", ".")]
    name = _safe(test.replace("::", ".")) if test else "module"
    folder = root.joinpath(*parts, name if attempt == 1 else f"{name}.{attempt}")
    if folder.exists():
        if any(folder.iterdir()) and not (folder / TRANSCRIPT).exists():
            raise ConfigError(
                f"{folder} is not an artifacts folder; it is in the way of those of "
                f"{nodeid}: remove it, or set another root"
            )
        shutil.rmtree(folder)
    folder.mkdir(parents=True)
    return folder


def _safe(name: str) -> str:
    """Return a file name; one that had to be changed carries a digest of the old."""
    kept = _UNSAFE.sub("-", name)
    if kept == name and len(name) <= MAX_NAME_CHARS and name != "..":
        return name
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"{kept[: MAX_NAME_CHARS - 9].strip('.')}-{digest}"


@dataclass(frozen=True, slots=True)
class TestFolder:
    """The folder of one attempt; each file is written once."""

    path: Path
    plots: bool = True

    __test__ = False
    """Not a test class, whatever its name suggests to pytest."""

    def open_transcript(self, name: str = TRANSCRIPT) -> TextIO:
        """Start a transcript; one that exists is an error, never continued."""
        return (self.path / name).open("x", encoding="utf-8", newline="\n")

    def write(self, name: str, text: str) -> Path:
        """Write a new file."""
        path = self.path / name
        with path.open("x", encoding="utf-8", newline="\n") as file:
            file.write(text)
        return path


def trace_csv(samples: Sequence[Sample[Any]]) -> str:
    """Return a trace: plant time in ms, then the state's fields in their order."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    names = [field.name for field in fields(samples[0].state)]
    writer.writerow(["timestamp_ms", *names])
    for at_ms, state in samples:
        writer.writerow([at_ms, *(getattr(state, name) for name in names)])
    return text.getvalue()


def metrics_json(metrics: Mapping[str, Figure]) -> str:
    """Return the figures, sorted by name."""
    return json.dumps(dict(metrics), indent=2, sort_keys=True) + "\n"
