"""Digests of all that the outcome of a check depends on."""

from __future__ import annotations

import contextlib
import json
import os
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_embedbench.errors import EmbedbenchError
from pytest_embedbench.grading.host.builder import HostDriver
from pytest_embedbench.grading.plugin.apart import sandbox_record
from pytest_embedbench.grading.plugin.options import SETTINGS, SUBMISSIONS
from pytest_embedbench.grading.plugin.stash import SUBMITTED
from pytest_embedbench.plugin.digests import (
    PACKAGE,
    digest_of,
    everywhere,
    of_path,
    tree,
)
from pytest_embedbench.plugin.options import OPTIONS, path_setting, settings
from pytest_embedbench.plugin.stash import session_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import pytest

    from pytest_embedbench.grading.check_records import Digests
    from pytest_embedbench.grading.task import Suite
    from pytest_embedbench.submissions import Submission

_BESIDE = {"artifacts", "board", "cache", "firmware", "plots", "require"} | {
    "resume",
    "submissions",
}
"""Options that no outcome depends on, or that have a digest of their own."""


@dataclass(slots=True)
class Digester:
    """Takes them once in a process: nothing of it changes while tests run."""

    config: pytest.Config
    _suites: dict[Path, str] = field(default_factory=dict["Path", str])
    _tools: dict[tuple[Path, str], str] = field(
        default_factory=dict["tuple[Path, str]", str]
    )

    def digests(
        self, suite: Suite, submission: Submission, boards: Iterable[str]
    ) -> Digests:
        """Return those of what one submission is judged by, on boards or none."""
        return {
            "submission": digest_of(
                [*tree(Path(submission.folder)), *submission.files]
            ),
            "suite": self._suite(suite),
            "options": digest_of(_options(self.config)),
            "tools": {board: self._of_tools(suite, board) for board in boards},
        }

    def _suite(self, suite: Suite) -> str:
        if suite.root not in self._suites:
            self._suites[suite.root] = digest_of(_suite_parts(self.config, suite))
        return self._suites[suite.root]

    def _of_tools(self, suite: Suite, board: str) -> str:
        key = suite.root, board
        if key not in self._tools:
            parts = (*everywhere(), *_builds(self.config, suite, board))
            self._tools[key] = digest_of(parts)
        return self._tools[key]


def suite_digest(config: pytest.Config, suite: Suite, modules: Iterable[str]) -> str:
    """Return a digest of what the checks of a suite depend on, but for submissions.

    What is installed is told by the times of its files: this is for what one computer
    remembers, and taken in each run.

    Args:
        config: Its options count, and what pytest reads above the suite.
        suite: All in its folder counts.
        modules: What Python had loaded when tests were collected.
    """
    parts = (*_suite_parts(config, suite), *_options(config), *_stamps(suite, modules))
    return digest_of(parts)[:32]


def _stamps(suite: Suite, modules: Iterable[str]) -> Iterator[str]:
    """Yield what all Python and drivers are: a name, a size and a time of each file."""
    yield f"{sys.version}\n{sys.flags}"
    libraries = (sys.prefix, sys.base_prefix)
    for place in sys.path:
        if place.startswith(libraries):  # each time that something is installed
            with contextlib.suppress(OSError):
                yield f"{place}\n{Path(place).stat().st_mtime_ns}"
    folders = {folder for folder, _, _ in os.walk(PACKAGE)}
    elsewhere = (f"{suite.root}{os.sep}", *libraries)
    for name in modules:
        file = getattr(sys.modules.get(name), "__file__", None) or ""
        if file.startswith(os.sep) and not file.startswith(elsewhere):
            folders.add(os.path.dirname(file))  # noqa: PTH120  # there are hundreds
    for folder in sorted(folders):
        with contextlib.suppress(OSError), os.scandir(folder) as entries:
            for entry in sorted(entries, key=lambda entry: entry.name):
                if entry.name.endswith((".py", ".c", ".h")):
                    known = entry.stat()
                    yield f"{entry.path}\n{known.st_size}\n{known.st_mtime_ns}"


def _suite_parts(config: pytest.Config, suite: Suite) -> Iterator[str]:
    """Yield all of a task package, and what pytest reads above it."""
    places = (path_setting(config, name) for name in ("artifacts", "cache"))
    own = [*places, path_setting(config, SUBMISSIONS)]
    if SUBMITTED in config.stash:
        own += [Path(each.folder) for each in config.stash[SUBMITTED]]
    yield from tree(suite.root, [place.resolve() for place in own if place])
    for folder in suite.root.parents:
        if (file := folder / "conftest.py").is_file():
            yield of_path(file)
    if config.inipath is not None:
        yield of_path(config.inipath)


def _options(config: pytest.Config) -> Iterator[str]:
    for option in (*OPTIONS, *SETTINGS):
        if option.name not in _BESIDE:
            chosen = settings(config, option) or (option.default,)
            yield f"{option.name}={json.dumps(chosen)}"
    if (lab := path_setting(config, "lab")) is not None:
        yield of_path(lab)
    yield sandbox_record(config)["kind"]


def _builds(config: pytest.Config, suite: Suite, board: str) -> Iterator[str]:
    """Yield the key of the starter's image: all that goes into any build but files.

    What is not installed here has no key, and makes no outcome that stands.
    """
    source = suite.source("", suite.root)
    try:
        if board:
            session = session_of(config)
            yield session.engine_version(board)
            source = session.rig.for_board(source, session.registry.board(board))
            yield session.rig.builder(source.environment).fingerprint(source)
        elif suite.task.controller is not None:
            driver = HostDriver(api=suite.task.controller)
            yield driver.fingerprint(source)
    except EmbedbenchError as error:
        yield str(error)
