"""Where a test's evidence goes: one fresh folder per test and attempt.

The content depends on simulated time only: equal runs leave equal bytes.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
import os
import re
from contextlib import suppress
from dataclasses import fields
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path
    from typing import TextIO

    from pytest_embedbench.contracts import Figure
    from pytest_embedbench.model import Sample

TRANSCRIPT = "transcript.log"
MAX_NAME_CHARS = 120
_UNSAFE = re.compile(r"[^A-Za-z0-9_.,=+@\[\]-]+")


def new_folder(root: Path, nodeid: str, attempt: int = 1) -> Path:
    """Make and return the folder of one attempt at one test; it is new.

    The path is ``root/<test file>/<test>``, with ``.2`` and so on for further
    attempts: readable, and different for every node id. Nothing is ever reused.
    """
    file, _, test = nodeid.partition("::")
    parts = [_safe(part) for part in file.split("/") if part not in ("", ".")]
    name = _safe(test.replace("::", ".")) if test else "module"
    parent = root.joinpath(*parts)
    parent.mkdir(parents=True, exist_ok=True)
    while True:
        folder = parent / (name if attempt == 1 else f"{name}.{attempt}")
        try:
            folder.mkdir()
        except FileExistsError:
            attempt += 1
        else:
            return folder


def point_latest(run_dir: Path) -> None:
    """Let the link ``latest`` beside a run's folder point to it, where links work."""
    link = run_dir.with_name("latest")
    if link.is_symlink() and link.readlink().name == run_dir.name:
        return
    fresh = run_dir.with_name(f".latest-{os.getpid()}")
    with suppress(OSError):
        fresh.symlink_to(run_dir.name, target_is_directory=True)
        fresh.replace(link)


def _safe(name: str) -> str:
    """Return a file name; one that had to be changed carries a digest of the old."""
    kept = _UNSAFE.sub("-", name)
    if kept == name and len(name) <= MAX_NAME_CHARS and name != "..":
        return name
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"{kept[: MAX_NAME_CHARS - 9].strip('.')}-{digest}"


def new_file(path: Path) -> TextIO:
    """Open a file for writing that is not there yet: an old log is never continued."""
    return path.open("x", encoding="utf-8", newline="\n")


def replace_json(file: Path, record: Mapping[str, Any]) -> None:
    """Write a file so that whoever reads it sees the old one or the new one, whole."""
    file.parent.mkdir(parents=True, exist_ok=True)
    draft = file.with_name(f".{file.name}.{os.getpid()}")
    draft.write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")
    draft.replace(file)


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
