"""A run's folder, read back: tests, verdicts, and what is known of the run itself.

Whatever is broken in it is told and left out: a page of the rest is better than none.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, cast

from pytest_embedbench.bench.artifacts import RUN, RUNNING
from pytest_embedbench.errors import ConfigError
from pytest_embedbench.report_page.esr_rows import trial_words
from pytest_embedbench.report_page.test_entry import (
    TestEntry,
    entry_of_check,
    entry_of_record,
    tables_in,
)

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator, Mapping

TEST, VERDICT = "test.json", "verdict.json"
_ALONE = {"esr.json", "campaign.json"}
"""What makes a folder that of a run, whatever else is missing."""
ESR, ROBUSTNESS, LAB = "esr.json", "robustness.json", "lab.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class PageRun:
    """One run, as a page shows it.

    Its tables are as their files have them, verdicts with ``"file"`` added.
    ``oddities`` says of each file that could not be read what is the matter with it.
    """

    name: str
    path: Path
    about: Mapping[str, Any]
    tests: tuple[TestEntry, ...]
    verdicts: tuple[Mapping[str, Any], ...] = ()
    trials: tuple[Mapping[str, Any], ...] = ()
    esr: Mapping[str, Any] | None = None
    boards: Mapping[str, Any] | None = None
    oddities: tuple[str, ...] = ()


def read_run(folder: Path) -> PageRun:
    """Read the folder of a run.

    Raises:
        ConfigError: there is no such folder, it holds no run or several, or it is in
            one.
    """
    if not folder.is_dir():
        raise ConfigError(f"{folder}: no such folder: name the folder of a run")
    if (folder / "latest").is_symlink():
        raise ConfigError(
            f"{folder}: holds several runs: name one of them, such as "
            f"{folder / 'latest'}"
        )
    path = folder.resolve()
    files = sorted(_files(path))
    reader = _RunReader(path)
    records = [
        (file, reader.table(file))
        for file in files
        if file.endswith(f"/{TEST}") or _is_unfinished(file, files)
    ]
    verdicts = [
        {**table, "file": file}
        for file in files
        if file.endswith(VERDICT) and (table := reader.table(file))
    ]
    about = reader.table(RUN) if RUN in files else {}
    if not about and (around := _run_around(path)):
        raise ConfigError(f"{folder}: is a part of a run: name the whole run, {around}")
    if not (records or verdicts or about or _ALONE.intersection(files)):
        raise ConfigError(
            f"{folder}: is no run's folder: it has no {TEST} of a test, no {VERDICT} "
            f"and no {RUN}"
        )
    esr = reader.optional(ESR, files)
    return PageRun(
        name=path.name,
        path=path,
        about=about,
        tests=tuple(_with_trials(_entries(path.name, records, verdicts), esr or {})),
        verdicts=tuple(verdicts),
        trials=tuple(tables_in(reader.optional(ROBUSTNESS, files), "trials")),
        esr=esr,
        boards=reader.optional(LAB, files),
        oddities=tuple(reader.oddities),
    )


def read_page_runs(folders: Iterable[Path]) -> list[PageRun]:
    """Read runs for one page, each once and by a name of its own.

    Raises:
        ConfigError: as ``read_run``.
    """
    runs = {run.path: run for run in map(read_run, folders)}
    return [replace(run, name=_own_name(run.path, runs)) for run in runs.values()]


def _own_name(path: Path, paths: Iterable[Path]) -> str:
    """Return as many last parts of a path as no other of some paths ends with."""
    others = [each.parts for each in paths if each != path]
    length = next(
        length
        for length in range(1, len(path.parts) + 1)
        if path.parts[-length:] not in [parts[-length:] for parts in others]
    )
    return PurePosixPath(*path.parts[-length:]).as_posix()


def _run_around(path: Path) -> Path | None:
    """Return the folder of the run that a folder is in, if that says of itself so."""
    for parent in path.parents:
        if (parent / RUN).is_file() and "exit_status" in _RunReader(parent).table(RUN):
            return parent
    return None


class _RunReader:
    """Reads tables of JSON, and remembers what was none."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self.oddities: list[str] = []

    def table(self, file: str) -> dict[str, Any]:
        """Return a table, or an empty one of a file that holds none."""
        try:
            content: object = json.loads((self._root / file).read_bytes())
        except (OSError, ValueError, RecursionError) as error:
            self.oddities.append(f"{file}: cannot be read: {error}")
            return {}
        if not isinstance(content, dict):
            self.oddities.append(f"{file}: is no table")
            return {}
        return cast("dict[str, Any]", content)

    def optional(self, file: str, files: list[str]) -> dict[str, Any] | None:
        """Return a table of a file that a run may have, ``None`` without one."""
        return (self.table(file) or None) if file in files else None


def _files(root: Path) -> Iterator[str]:
    """Yield the JSON files of a run below its folder; links are not followed."""
    for place, _, names in os.walk(root):
        for name in names:
            if name.endswith(".json"):
                yield (Path(place) / name).relative_to(root).as_posix()


def _is_unfinished(file: str, files: Container[str]) -> bool:
    """Say whether a test left no record, but had begun when its run was ended."""
    place, _, name = file.rpartition("/")
    return name == RUNNING and f"{place}/{TEST}" not in files


def _entries(
    run: str,
    records: list[tuple[str, dict[str, Any]]],
    verdicts: list[dict[str, Any]],
) -> Iterator[TestEntry]:
    """Yield the tests that left a record, then checks that came not so far."""
    known: set[tuple[str, str]] = set()
    for file, record in records:
        if record:
            entry = entry_of_record(run, str(PurePosixPath(file).parent), record)
            known.add((entry.submission, entry.folder))
            yield entry
    for verdict in verdicts:
        for check in tables_in(verdict, "checks"):
            entry = entry_of_check(run, str(verdict["file"]), verdict, check)
            here = (entry.submission, entry.folder or entry.test)
            if here not in known:
                known.add(here)
                yield entry


def _with_trials(
    entries: Iterable[TestEntry], esr: Mapping[str, Any]
) -> Iterator[TestEntry]:
    """Yield tests, those that are trials of a search with what they were on."""
    words = trial_words(esr)
    for entry in entries:
        trial = words.get(entry.folder, entry.trial)
        yield replace(entry, trial=trial) if trial else entry
