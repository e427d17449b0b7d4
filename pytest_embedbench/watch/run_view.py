"""A run as its folder shows it while it goes on; nothing outside of that is read."""

from __future__ import annotations

import json
import os
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from pytest_embedbench.bench.artifacts import RUN, RUNNING
from pytest_embedbench.bench.run_folders import RECORD
from pytest_embedbench.bench.runs_in_use import alone_in_run
from pytest_embedbench.report_page.test_entry import as_table, entry_of_record
from pytest_embedbench.watch.cells import CELLS, cells_of
from pytest_embedbench.watch.following import news_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pytest_embedbench.report_page.test_entry import TestEntry

_GROWING = (("transcript", ".log"), ("console-", ".log"), ("trace", ".csv"),
            ("agent", ".log"))  # fmt: skip
_MOST_RECORD_BYTES = 1_000_000


class RunView:
    """What a run's folder says by now; what has not changed is not read again.

    ``board`` leaves the tests of all other boards out.
    """

    def __init__(self, run_dir: Path, *, board: str = "") -> None:
        self.run_dir = run_dir.resolve()
        self._board = board
        self._known: dict[str, tuple[tuple[str, int, int], TestEntry]] = {}

    def state(self) -> dict[str, Any]:
        """Return the run, its tests, boards and cells, as the page takes them.

        Raises:
            OSError: the folder is gone.
        """
        with alone_in_run(self.run_dir) as is_alone:
            is_going = not is_alone
        rows = [
            row
            for entry in self._entries()
            if self._board in ("", entry.board)
            and (row := _row(entry, is_going=is_going))
        ]
        rows.sort(key=lambda row: (row["started_at"], row["key"]))
        return {
            "run": self.run_dir.name,
            "folder": str(self.run_dir),
            "is_going": is_going,
            "tests": rows,
            "boards": _boards(rows),
            "cells": cells_of(self.run_dir, is_going=is_going),
        }

    def news(self, key: str, offsets: Mapping[str, int]) -> dict[str, Any]:
        """Return what is new in the files of a test or cell, by their names.

        ``key`` is its folder below the run's, and ``offsets`` says how much of each
        file is known. Of a folder that is not in the run there is nothing.
        """
        folder = self._folder(key)
        if folder is None:
            return {"files": {}, "record": None}
        files: dict[str, Any] = {}
        for file in sorted(_growing(folder)):
            name = file.relative_to(folder).as_posix()
            try:
                files[name] = asdict(news_of(file, max(0, offsets.get(name, 0))))
            except OSError:  # it has just gone
                continue
        return {"files": files, "record": _record(folder / RECORD) or None}

    def _folder(self, key: str) -> Path | None:
        """Return the folder of a key; none, if a name or a link leads out of it."""
        folder = (self.run_dir / key).resolve()
        is_inside = folder.is_relative_to(self.run_dir) and folder != self.run_dir
        return folder if is_inside and folder.is_dir() else None

    def _entries(self) -> Iterator[TestEntry]:
        root = str(self.run_dir)
        for place, folders, names in os.walk(root):
            if place == root and CELLS in folders:
                folders.remove(CELLS)  # an agent's own files are in there
            name = next((each for each in (RECORD, RUNNING) if each in names), "")
            if name and (entry := self._entry(place[len(root) + 1 :], name)):
                yield entry

    def _entry(self, folder: str, name: str) -> TestEntry | None:
        """Return a test by its record, or what is known of one that runs."""
        file = self.run_dir / folder / name
        try:
            about = os.lstat(file)
        except OSError:  # it has just gone
            return None
        stamp = name, about.st_mtime_ns, about.st_size
        known = self._known.get(folder)
        if known is not None and known[0] == stamp:
            return known[1]
        record = _record(file)
        if not record:
            return None
        entry = entry_of_record(self.run_dir.name, folder, record)
        self._known[folder] = stamp, entry
        return entry


def is_run(folder: Path) -> bool:
    """Say whether a folder is that of a run, which may have no test yet."""
    return any(
        name in names
        for _, _, names in os.walk(folder)
        for name in (RECORD, RUNNING, RUN, "campaign.json", ".running")
    )


def _record(file: Path) -> dict[str, Any]:
    """Return a table of JSON; an empty one, if it is broken or half written."""
    try:
        text = news_of(file, 0, most_bytes=_MOST_RECORD_BYTES).text
        return as_table(cast("object", json.loads(text)))
    except (OSError, ValueError, RecursionError):
        return {}


def _growing(folder: Path) -> Iterator[Path]:
    """Yield what grows of a test, and of its benches, but not of tests inside it."""
    for entry in os.scandir(folder):
        path = Path(entry.path)
        if entry.is_dir(follow_symlinks=False):
            if not any((path / name).exists() for name in (RECORD, RUNNING)):
                yield from (each for each in path.iterdir() if _grows(each.name))
        elif _grows(entry.name):
            yield path


def _grows(name: str) -> bool:
    return any(name.startswith(stem) and name.endswith(end) for stem, end in _GROWING)


def _row(entry: TestEntry, *, is_going: bool) -> dict[str, Any]:
    state = entry.outcome
    if state == "unfinished":
        state = "running" if is_going else "interrupted"
    return {
        "key": entry.folder,
        "test": entry.test,
        "board": entry.board,
        "state": state,
        "blame": entry.blame,
        "reason": entry.reason,
        "submission": entry.submission,
        "started_at": entry.started_at,
        "duration_s": round(entry.duration_s, 3),
        "trial": entry.trial,
    }


def _boards(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return each board with what it does now, and how its tests have ended."""
    boards: dict[str, dict[str, Any]] = {}
    for row in rows:
        name = row["board"] or "no board"
        board = boards.setdefault(name, {"board": name, "tests": [], "ended": {}})
        if row["state"] == "running":
            board["tests"].append(row["test"])
        elif not row["trial"]:
            board["ended"][row["state"]] = board["ended"].get(row["state"], 0) + 1
    return sorted(boards.values(), key=lambda board: str(board["board"]))
