"""Try many mutants in one run, each to its first failure: tests are collected once.

Each mutant gets a copy of this process, in which the run goes on as if it were the
only one, with artifacts and verdicts in a folder of its own. Loaded with ``-p`` by
``embedbench mutate``; needs a system with ``fork``.
"""

from __future__ import annotations

import gc
import os
import selectors
import signal
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

_FIRST = ("protocol", "oracle", "controller")
TRIED = "embedbench-tried <{}>\n"
"""What is printed of a mutant that has been tried, at once."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add what tells where the mutants are."""
    group = parser.getgroup("embedbench")
    group.addoption("--embedbench-mutants", metavar="DIR", help="try each of these")
    group.addoption("--embedbench-trials", metavar="DIR", help="where artifacts go")
    group.addoption("--embedbench-jobs", metavar="N", type=int, default=1)
    group.addoption("--embedbench-trial-limit-s", metavar="S", type=float, default=120)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put first what tells most mutants apart: whoever fails is done with sooner.

    That is its lines, which take next to no time, then the task's oracle; what needs a
    board comes last.
    """
    items.sort(key=_place)


def _place(item: pytest.Item) -> int:
    used = getattr(item, "fixturenames", ())
    found = (place for place, name in enumerate(_FIRST) if name in used)
    return next(found, len(_FIRST))


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session: pytest.Session) -> bool | None:
    """Let a copy of this process run the tests, for each mutant."""
    option = session.config.option
    if session.testsfailed or option.collectonly:
        return None
    # What a copy does not touch stays shared with it.
    gc.collect()
    gc.freeze()
    reporter: Any = session.config.pluginmanager.get_plugin("terminalreporter")
    # What is still in its buffer as a copy is made, the copy prints once more.
    reporter.flush()
    with _Copies(option.embedbench_trial_limit_s) as copies:
        for folder in sorted(Path(option.embedbench_mutants).iterdir()):
            for name in copies.make_room(option.embedbench_jobs):
                reporter.write(TRIED.format(name), flush=True)
            if copies.start(folder.name):
                trial = Path(option.embedbench_trials, folder.name)
                option.embedbench_firmware = str(folder)
                option.embedbench_artifacts = str(trial)
                return None
        for name in copies.make_room(1):
            reporter.write(TRIED.format(name), flush=True)
    return True


@dataclass(slots=True)
class _Copies:
    """Copies of this process that are at work, by the pipe that ends with each."""

    limit_s: float
    selector: selectors.DefaultSelector = field(
        default_factory=selectors.DefaultSelector
    )
    is_copy: bool = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for key in () if self.is_copy else list(self.selector.get_map().values()):
            self._end(key)
        self.selector.close()

    def start(self, name: str) -> bool:
        """Make one more; return whether this is it."""
        ends, lives = os.pipe()
        pid = os.fork()
        if pid:
            os.close(lives)
            self.selector.register(ends, selectors.EVENT_READ, (pid, name))
            return False
        from pytest_embedbench.processes import die_with_parent  # noqa: PLC0415

        # The pipe's other end stays open for as long as this process is there.
        os.close(ends)
        die_with_parent()
        self.is_copy = True
        return True

    def make_room(self, count: int) -> Iterator[str]:
        """Wait until fewer than ``count`` are at work; yield those that have ended.

        One that is at work for longer than the limit, with nobody else ending
        meanwhile, is ended.
        """
        while len(self.selector.get_map()) >= count:
            ended = self.selector.select(self.limit_s)
            for key in [key for key, _ in ended] or [self._oldest()]:
                yield self._end(key)

    def _oldest(self) -> selectors.SelectorKey:
        return min(self.selector.get_map().values(), key=lambda key: key.data[0])

    def _end(self, key: selectors.SelectorKey) -> str:
        pid, name = key.data
        self.selector.unregister(key.fileobj)
        os.close(key.fd)
        os.kill(pid, signal.SIGKILL)  # not reaped yet, so it is still this one
        os.waitpid(pid, 0)
        return str(name)
