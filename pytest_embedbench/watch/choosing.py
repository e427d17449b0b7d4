"""Which run is looked at: one that is named, or whichever is the latest."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_embedbench.bench.run_folders import LATEST, latest_run
from pytest_embedbench.errors import ConfigError, UnknownName
from pytest_embedbench.watch.run_view import RunView, is_run

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from pytest_embedbench.watch.lab_view import LabView


@dataclass(slots=True)
class WatchedRun:
    """What the page shows, for all of its readers at a time.

    ``run_dir`` is the run; without one it is always the latest below ``root``, and the
    one after that once it has begun. ``board`` leaves other boards out. ``lab`` has the
    boards of a lab, whether a run is on them or not.
    """

    root: Path
    run_dir: Path | None = None
    board: str = ""
    lab: LabView | None = None
    _view: RunView | None = field(default=None, init=False)
    _alone: threading.Lock = field(default_factory=threading.Lock, init=False)

    def state(self) -> dict[str, Any]:
        """Return the run's state; ``run`` is ``""`` as long as there is none."""
        with self._alone:
            about: dict[str, Any] = {
                "board": self.board,
                "root": str(self.root),
                "is_fixed": self.run_dir is not None,
                "lab": self.lab.rows() if self.lab else [],
            }
            view = self._now()
            try:
                return about | (view.state() if view else _NOTHING)
            except OSError:  # it has just been pruned
                return about | _NOTHING

    def news(self, run: str, key: str, offsets: Mapping[str, int]) -> dict[str, Any]:
        """Return what is new of a test; nothing of a run that is looked at no more."""
        with self._alone:
            view = self._now()
            if view is None or view.run_dir.name != run:
                return {"files": {}, "record": None}
            return view.news(key, offsets)

    def _now(self) -> RunView | None:
        run_dir = self.run_dir or latest_run(self.root)
        if run_dir is None:
            self._view = None
        elif self._view is None or self._view.run_dir != run_dir.resolve():
            self._view = RunView(run_dir, board=self.board)
        return self._view


_NOTHING: dict[str, Any] = {
    "run": "", "folder": "", "is_going": False, "tests": [], "boards": [], "cells": [],
}  # fmt: skip


def chosen(word: str, root: Path, boards: Collection[str]) -> WatchedRun:
    """Return what a word of the command line means: a run's name or folder, or a board.

    Raises:
        ConfigError: it is none.
    """
    if word == LATEST:
        return WatchedRun(root)
    if word in boards:
        return WatchedRun(root, board=word)
    for folder in (root / word, Path(word)) if word else ():
        if (folder / LATEST).is_dir():
            return WatchedRun(folder)
        if folder.is_dir():
            if not is_run(folder):
                raise ConfigError(
                    f"{folder}: is no run's folder: no test has left anything in it"
                )
            return WatchedRun(root, run_dir=folder.resolve())
    if "/" in word or word[:8].isdecimal():
        raise ConfigError(f"{word}: no such run in {root}, and no such folder")
    raise UnknownName("run or board", word, [LATEST, *boards])
