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
import shutil
from contextlib import suppress
from dataclasses import fields
from typing import TYPE_CHECKING, Any, cast

from pytest_embedbench.bench.runs_in_use import hold_run
from pytest_embedbench.support.whole_files import replace_whole

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path
    from typing import TextIO

    from pytest_embedbench.contracts import Figure
    from pytest_embedbench.model import Sample

OUR_FOLDER = ".embedbench"
TRANSCRIPT = "transcript.log"
RUN = "run.json"
"""In a run's folder: what it says of itself; older versions left none."""
RUNNING = "running.json"
"""In a test's folder, until it has ended and left its record."""
MAX_NAME_CHARS = 120
_ENCODER = json.JSONEncoder(default=str)
_UNSAFE = re.compile(r"[^A-Za-z0-9_.,=+@\[\]-]+")


def new_folder(root: Path, nodeid: str, attempt: int = 1) -> Path:
    """Make and return the folder of one attempt at one test; it is new.

    The path is ``root/<test file>/<test>``, with ``.2`` and so on for further
    attempts: readable, and different for every node id. Nothing is ever reused.
    """
    first = _folder(root, nodeid)
    while True:
        folder = _attempt(first, attempt)
        try:
            folder.mkdir()
        except FileExistsError:
            attempt += 1
        except FileNotFoundError:
            first.parent.mkdir(parents=True, exist_ok=True)
            _keep_out_of_git(root)
        else:
            return folder


def _keep_out_of_git(root: Path) -> None:
    """Have git pass over the folder that is ours by its name, unless somebody cares."""
    for folder in (root, *root.parents):
        if folder.name == OUR_FOLDER and not (folder / ".gitignore").exists():
            with suppress(OSError):
                (folder / ".gitignore").write_text("*\n", encoding="utf-8")


def forget_folders(root: Path, nodeid: str) -> None:
    """Remove what attempts at a test have left that is to be run again."""
    first, attempt = _folder(root, nodeid), 1
    while (folder := _attempt(first, attempt)).is_dir():
        shutil.rmtree(folder)
        attempt += 1


def _folder(root: Path, nodeid: str) -> Path:
    file, _, test = nodeid.partition("::")
    parts = [safe_name(part) for part in file.split("/") if part not in ("", ".")]
    name = safe_name(test.replace("::", ".")) if test else "module"
    return root.joinpath(*parts, name)


def _attempt(first: Path, number: int) -> Path:
    return first if number == 1 else first.with_name(f"{first.name}.{number}")


def point_latest(run_dir: Path) -> None:
    """Let the link ``latest`` beside a run's folder point to it, where links work.

    The run goes on: until this process lets go of it nobody prunes it.
    """
    hold_run(run_dir)
    link = run_dir.with_name("latest")
    if link.is_symlink() and link.readlink().name == run_dir.name:
        return
    fresh = run_dir.with_name(f".latest-{os.getpid()}")
    with suppress(OSError):
        fresh.symlink_to(run_dir.name, target_is_directory=True)
        fresh.replace(link)


def safe_name(name: str) -> str:
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
    """Write a record, as ``replace_file`` does."""
    replace_file(file, json_text(record))


def json_text(record: Mapping[str, Any]) -> str:
    """Return a record as JSON to be read by people, too: a line for each entry.

    An entry that is a list or a table has a line for each of its own. What lies deeper
    is on that line: only so does Python's quick encoder do the work.
    """
    lines = [f"  {_quick(str(key))}: {_entry(value)}" for key, value in record.items()]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _entry(value: object) -> str:
    if isinstance(value, dict) and value:
        entries = cast("dict[str, object]", value).items()
        inner = [f"    {_quick(str(key))}: {_quick(each)}" for key, each in entries]
        return "{\n" + ",\n".join(inner) + "\n  }"
    if isinstance(value, list) and value:
        inner = [f"    {_quick(each)}" for each in cast("list[object]", value)]
        return "[\n" + ",\n".join(inner) + "\n  ]"
    return _quick(value)  # pyright: ignore[reportUnknownArgumentType]


def _quick(value: object) -> str:
    return _ENCODER.encode(value)


def replace_file(file: Path, text: str) -> None:
    """Write a file so that whoever reads it sees the old one or the new one, whole."""
    replace_whole(file, text.encode())


def trace_csv(samples: Sequence[Sample[Any]], *, head: bool = True) -> str:
    """Return a trace: plant time in ms, then the state's fields in their order."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    names = [field.name for field in fields(samples[0].state)]
    if head:
        writer.writerow(["timestamp_ms", *names])
    for at_ms, state in samples:
        writer.writerow([at_ms, *(getattr(state, name) for name in names)])
    return text.getvalue()


def metrics_json(metrics: Mapping[str, Figure]) -> str:
    """Return the figures, sorted by name."""
    return json.dumps(dict(metrics), indent=2, sort_keys=True) + "\n"
