"""The folders of runs below an artifacts folder: what they hold, and which may go."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pytest_embedbench.bench.runs_in_use import alone_in_run

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

RECORD = "test.json"
LATEST = "latest"
TRIAL_OF = "trial_of"
"""In the record of what is no test, but one trial of a search: of which test."""
BENCHES = "benches"
"""Beside the runs: what benches without pytest have left, a folder for each."""
_STAMP = r"(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z"
_NAME = re.compile(rf"{_STAMP}-\d+")
_BENCH_NAME = re.compile(rf"{_STAMP}-.+")


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptRun:
    """One run: ``outcomes`` counts its tests, ``broken`` says what is wrong with it."""

    path: Path
    started_at: str
    size_bytes: int
    used_ns: int
    """When anything in it was last written, in nanoseconds since 1970."""
    is_running: bool = False
    is_latest: bool = False
    is_bench: bool = False
    """Whether it is what one bench of ``open_bench`` has left: that has no tests."""
    outcomes: dict[str, int] = field(default_factory=dict[str, int])
    broken: str = ""

    @property
    def name(self) -> str:
        """What it is called: when it began, and by which process."""
        return self.path.name


def runs_in(root: Path) -> list[KeptRun]:
    """Return the runs below a folder, and benches in it or beside it, oldest first.

    All else there is nobody's. Of benches the last one is a latest, too.
    """
    paths = _folders(root)
    latest = _latest(root, paths)
    runs = [_run(path, is_latest=path.resolve() == latest) for path in paths]
    benches = _bench_folders(root)
    runs += [
        _run(path, is_bench=True, is_latest=path == benches[-1]) for path in benches
    ]
    return sorted(runs, key=lambda run: (run.started_at, run.name))


def latest_run(root: Path) -> Path | None:
    """Return the folder of the run that began last; none, as long as there is none."""
    return _latest(root, _folders(root)) if root.is_dir() else None


def _folders(root: Path) -> list[Path]:
    """Return the folders of runs, oldest first."""
    return _named(root, _NAME)


def _bench_folders(root: Path) -> list[Path]:
    places = (root / BENCHES, root.parent / BENCHES)
    found = [path for place in places for path in _named(place, _BENCH_NAME)]
    return sorted(found, key=lambda path: path.name)


def _named(place: Path, pattern: re.Pattern[str]) -> list[Path]:
    """Return the folders in another that are called so; links are none."""
    if not place.is_dir():
        return []
    return sorted(
        path
        for path in place.iterdir()
        if pattern.fullmatch(path.name) and path.is_dir() and not path.is_symlink()
    )


def _latest(root: Path, paths: Sequence[Path]) -> Path | None:
    latest = (root / LATEST).resolve()
    if latest in [path.resolve() for path in paths]:
        return latest
    return paths[-1].resolve() if paths else None


def records_of(run_dir: Path) -> list[dict[str, Any]]:
    """Return what a run has written of each test, in the order of their names.

    The trials of a search are no tests.

    Raises:
        OSError, ValueError: it cannot be read.
    """
    records: list[dict[str, Any]] = []
    for file in sorted(run_dir.rglob(RECORD)):
        record: object = json.loads(file.read_bytes())
        if not isinstance(record, dict) or not {"test", "outcome"} <= record.keys():
            raise ValueError(f"{file.relative_to(run_dir)} is no record of a test")
        if TRIAL_OF not in record:
            records.append({**record, "folder": str(file.parent)})
    return records


def prunable(
    runs: Sequence[KeptRun], *, keep_count: int, before_ns: int, most_bytes: int
) -> list[KeptRun]:
    """Return the runs that may go, oldest first: what is old, or too much in all.

    The newest ``keep_count`` runs and as many benches stay, however old and large, and
    so do the latest, and what goes on or is broken.
    """
    kept = {
        run.path
        for is_bench in (False, True)
        for run in _newest([r for r in runs if r.is_bench is is_bench], keep_count)
    }
    open_to = [
        run
        for run in runs
        if not (run.path in kept or run.is_latest or run.is_running or run.broken)
    ]
    left_bytes = sum(run.size_bytes for run in runs)
    left_bytes -= sum(run.size_bytes for run in open_to if run.used_ns < before_ns)
    gone: list[KeptRun] = []
    for run in open_to:
        if run.used_ns < before_ns:
            gone.append(run)
        elif left_bytes > most_bytes:
            left_bytes -= run.size_bytes
            gone.append(run)
    return gone


def _newest(runs: Sequence[KeptRun], count: int) -> Sequence[KeptRun]:
    return runs[len(runs) - min(count, len(runs)) :]


def remove_run(run: KeptRun) -> bool:
    """Remove a run's folder; false if somebody has begun to work in it.

    Raises:
        OSError: it cannot be removed.
    """
    with alone_in_run(run.path) as is_alone:
        if is_alone:
            shutil.rmtree(run.path)
        return is_alone


def _run(path: Path, *, is_latest: bool, is_bench: bool = False) -> KeptRun:
    match = _BENCH_NAME.fullmatch(path.name)
    year, month, day, hour, minute, second = match.groups() if match else [""] * 6
    about: dict[str, Any] = {"size_bytes": 0, "used_ns": 0}
    try:
        about = _measured(path)
        with alone_in_run(path) as is_alone:
            about["is_running"] = not is_alone
        about["outcomes"] = dict(Counter(it["outcome"] for it in records_of(path)))
    except (OSError, ValueError) as error:
        about["broken"] = f"{error}"
    return KeptRun(
        path=path,
        started_at=f"{year}-{month}-{day}T{hour}:{minute}:{second}Z",
        is_latest=is_latest,
        is_bench=is_bench,
        **about,
    )


def _measured(path: Path) -> dict[str, Any]:
    """Return a folder's size, and when anything in it was last written.

    Raises:
        OSError: somebody may not look into it.
    """

    def refuse(error: OSError) -> None:
        raise error

    size_bytes, used_ns = 0, path.stat().st_mtime_ns
    for at, _, names in os.walk(path, onerror=refuse):
        for name in names:
            stat = os.lstat(os.path.join(at, name))  # noqa: PTH118  # as os.walk has it
            size_bytes += stat.st_size
            used_ns = max(used_ns, stat.st_mtime_ns)
    return {"size_bytes": size_bytes, "used_ns": used_ns}
