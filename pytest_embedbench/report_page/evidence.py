"""What a test has left in its folder, as much of it as a page can carry."""

from __future__ import annotations

import base64
import json
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_embedbench.digests import file_digest
from pytest_embedbench.report_page.test_entry import as_table

if TYPE_CHECKING:
    from collections.abc import Iterator

MOST_LOG_BYTES = 1_000_000
MOST_TRACE_BYTES = 1_000_000
MOST_WAVES_BYTES = 1_500_000
MOST_PICTURE_BYTES = 400_000
MOST_PICTURES = 6
MOST_FILES = 200
MOST_JSON_BYTES = 200_000
_FULL_LOG = re.compile(r"^full log: (.+)$", re.MULTILINE)


@dataclass(slots=True)
class LeftEvidence:
    """What a test has left; ``cuts`` says in words what is not all there.

    ``digests`` has the SHA-256 of each file that is there in part, so that two of them
    can be told to be equal.
    """

    record: object = None
    logs: dict[str, str] = field(default_factory=dict[str, str])
    traces: dict[str, str] = field(default_factory=dict[str, str])
    waves: dict[str, str] = field(default_factory=dict[str, str])
    metrics: dict[str, object] = field(default_factory=dict[str, object])
    pictures: dict[str, str] = field(default_factory=dict[str, str])
    files: list[tuple[str, int]] = field(default_factory=list[tuple[str, int]])
    cuts: list[str] = field(default_factory=list[str])
    digests: dict[str, str] = field(default_factory=dict[str, str])

    def table(self) -> dict[str, Any]:
        """Return what goes into the page."""
        return {name: getattr(self, name) for name in self.__slots__}


def read_evidence(folder: Path) -> LeftEvidence:
    """Read what a test has left; of a file that cannot be read, why not."""
    evidence = LeftEvidence()
    files = sorted(_files(folder))
    for file in files[:MOST_FILES]:
        name = file.relative_to(folder).as_posix()
        try:
            evidence.files.append((name, file.stat().st_size))
            _take(evidence, name, file)
        except (OSError, ValueError, RecursionError) as error:
            evidence.cuts.append(f"{name}: cannot be read: {error}")
    if len(files) > MOST_FILES:
        evidence.cuts.append(f"{len(files) - MOST_FILES} more files are in the folder")
    _take_build_log(evidence)
    return evidence


def _files(folder: Path) -> Iterator[Path]:
    """Yield the files of a test, and of its benches, but not of tests inside it."""
    for path in folder.iterdir() if folder.is_dir() else ():
        if path.is_symlink():
            continue
        if path.is_dir() and not (path / "test.json").exists():
            yield from _files(path)
        elif path.is_file():
            yield path


def _take(evidence: LeftEvidence, name: str, file: Path) -> None:
    last = file.name
    if last == "test.json":
        evidence.record = _json(file)
    elif last.startswith("metrics") and last.endswith(".json"):
        evidence.metrics[name] = _json(file)
    elif last.startswith("trace") and last.endswith(".csv"):
        evidence.traces[name] = _trace(evidence, name, file)
    elif last.endswith(".vcd"):
        evidence.waves[name] = _head(evidence, name, file, MOST_WAVES_BYTES)
    elif last.endswith((".log", ".txt")):
        evidence.logs[name] = _ends(evidence, name, file)
    elif last.endswith((".svg", ".png")):
        _take_picture(evidence, name, file)


def _json(file: Path) -> object:
    if file.stat().st_size > MOST_JSON_BYTES:
        raise ValueError(f"larger than {MOST_JSON_BYTES:,} bytes")
    return json.loads(file.read_bytes())


def _take_picture(evidence: LeftEvidence, name: str, file: Path) -> None:
    size = file.stat().st_size
    if size > MOST_PICTURE_BYTES or len(evidence.pictures) >= MOST_PICTURES:
        evidence.cuts.append(f"{name}: left out of this page ({size:,} bytes)")
        return
    kind = "svg+xml" if file.suffix == ".svg" else "png"
    data = base64.b64encode(file.read_bytes()).decode("ascii")
    evidence.pictures[name] = f"data:image/{kind};base64,{data}"


def _take_build_log(evidence: LeftEvidence) -> None:
    """Take in the log that the error of a failed build names, if it is still there."""
    found = _FULL_LOG.search(str(as_table(evidence.record).get("reason")))
    file = Path(found[1]) if found else None
    try:
        if file is not None and file.suffix == ".log" and file.is_file():
            evidence.logs[file.name] = _ends(evidence, str(file), file)
    except OSError as error:
        evidence.cuts.append(f"{file}: cannot be read: {error}")


def _note_cut(evidence: LeftEvidence, name: str, file: Path, words: str) -> None:
    evidence.cuts.append(f"{name}: {words}")
    evidence.digests[name] = file_digest(file)


def _ends(evidence: LeftEvidence, name: str, file: Path) -> str:
    """Return a text, or its first and last lines with a line of ours between."""
    size = file.stat().st_size
    if size <= MOST_LOG_BYTES:
        return _decoded(file.read_bytes())
    half = MOST_LOG_BYTES // 2
    with file.open("rb") as opened:
        first = opened.read(half).rpartition(b"\n")[0]
        opened.seek(size - half)
        last = opened.read().partition(b"\n")[2]
    left_out = size - len(first) - len(last)
    words = f"{left_out:,} bytes of {size:,} are left out of this page"
    _note_cut(evidence, name, file, words)
    return f"{_decoded(first)}\n... {words} ...\n{_decoded(last)}"


def _head(evidence: LeftEvidence, name: str, file: Path, most_bytes: int) -> str:
    """Return a text, or its first whole lines."""
    size = file.stat().st_size
    with file.open("rb") as opened:
        data = opened.read(most_bytes)
    if size > most_bytes:
        data = data.rpartition(b"\n")[0]
        words = f"its first {len(data):,} bytes of {size:,} are in this page"
        _note_cut(evidence, name, file, words)
    return _decoded(data)


def _trace(evidence: LeftEvidence, name: str, file: Path) -> str:
    """Return a table of samples, or every so many of them."""
    size = file.stat().st_size
    if size <= MOST_TRACE_BYTES:
        return _decoded(file.read_bytes())
    step = -(-size // MOST_TRACE_BYTES)
    with file.open("rb") as opened:
        kept = [line for index, line in enumerate(opened) if (index - 1) % step == 0
                or index == 0]  # fmt: skip
    _note_cut(evidence, name, file, f"one sample of {step} is in this page")
    return _decoded(b"".join(kept))


def _decoded(data: bytes) -> str:
    return data.decode("utf-8", "backslashreplace")
