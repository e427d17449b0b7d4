"""Checks that a submission passes because it says what others said who have passed.

A check of the host stage goes by nothing but what it is answered. What it asked and was
answered when it passed is kept, with a digest of all else that it depends on. In later
runs the submission is asked the same first: if it answers the same, byte for byte, it
has passed, and nobody works out again what a brief wants. If not, the check runs.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_embedbench.grading.host.conversation import RecordedProgram
from pytest_embedbench.grading.host.known_conversations import KnownConversations
from pytest_embedbench.grading.plugin.digests import suite_digest
from pytest_embedbench.grading.plugin.stash import (
    CHECK,
    DONE,
    HOST_FIXTURES,
    HOST_IMAGE,
    HOST_PROGRAM,
    RECALLED,
    grading_of,
)
from pytest_embedbench.grading.plugin.submissions import PARAMETER, label_of, own_id
from pytest_embedbench.grading.verdict import Stage
from pytest_embedbench.model import Isolation
from pytest_embedbench.plugin.failures import told_plainly
from pytest_embedbench.plugin.options import path_setting
from pytest_embedbench.plugin.stash import log_of
from pytest_embedbench.support.paths import cache_root

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_embedbench.grading.host.program import HostProgram
    from pytest_embedbench.grading.host.rehearsal import Rehearsal
    from pytest_embedbench.grading.host.stepped import SteppedProgram
    from pytest_embedbench.grading.task import Suite

_OURS = HOST_FIXTURES | {"oracle", "task", "request", PARAMETER}
_PACKAGE = Path(__file__).parents[2]
_AHEAD = 24
"""So many of the next checks are asked for while one runs."""
PASSED: pytest.StashKey[bool] = pytest.StashKey()
"""Of a check that need not run any more."""
_MEMORY: pytest.StashKey[Memory] = pytest.StashKey()
_NAME: pytest.StashKey[str] = pytest.StashKey()


@dataclass(slots=True)
class Memory:
    """What one process knows, and who asks a submission for it."""

    config: pytest.Config
    modules: tuple[str, ...]
    """What Python had loaded when tests were collected."""
    _known: dict[Path, KnownConversations] = field(
        default_factory=dict["Path", "KnownConversations"], init=False
    )
    _rehearsals: dict[tuple[Path, str], Rehearsal] = field(
        default_factory=dict["tuple[Path, str]", "Rehearsal"], init=False
    )
    _places: dict[pytest.Item, int] = field(
        default_factory=dict["pytest.Item", int], init=False
    )

    def passes(self, item: pytest.Item) -> bool:
        """Say whether a submission answers as it has to in this check.

        Raises what it raises that there is nothing to ask.
        """
        suite = item.stash[CHECK].suite
        rehearsal = self._rehearsal(item, suite)
        if rehearsal is None:
            return False
        for each in self._next(item):
            if not rehearsal.knows(_name(each)):
                rehearsal.prepare(_name(each), self.known(suite).of(_name(each)))
            if rehearsal.is_busy:
                break
        return rehearsal.passes(_name(item))

    def known(self, suite: Suite) -> KnownConversations:
        """Return the conversations with all that the checks of a suite depend on."""
        if suite.root not in self._known:
            place = path_setting(self.config, "cache") or cache_root()
            key = suite_digest(self.config, suite, self.modules)
            self._known[suite.root] = KnownConversations(place, key)
        return self._known[suite.root]

    def _rehearsal(self, item: pytest.Item, suite: Suite) -> Rehearsal | None:
        """Return who asks the submission of a check; nobody, without a sandbox."""
        from pytest_embedbench.grading.host.rehearsal import Rehearsal  # noqa: PLC0415

        program = grading_of(self.config).host_program(suite, item)
        if not is_apart(program):
            return None
        key = suite.root, label_of(item)
        for other in [each for each in self._rehearsals if each[1] != key[1]]:
            self._rehearsals.pop(other).stop()
        if key not in self._rehearsals:
            self._rehearsals[key] = rehearsal = Rehearsal(program.image)
            self.config.add_cleanup(rehearsal.stop)
        return self._rehearsals[key]

    def _next(self, item: pytest.Item) -> Iterator[pytest.Item]:
        """Yield a check, and those of the same submission that come after it."""
        items = item.session.items
        if not self._places:
            self._places = {each: place for place, each in enumerate(items)}
        suite, label, at = item.stash[CHECK].suite, label_of(item), self._places[item]
        for each in islice(items, at, at + _AHEAD):
            if (
                is_answered_only(each)
                and each.stash[CHECK].suite is suite
                and label_of(each) == label
            ):
                yield each


def begin(config: pytest.Config) -> None:
    """Begin to remember, when all tests are collected and none has run."""
    config.stash[_MEMORY] = Memory(config, (*sys.modules,))


def recall(item: pytest.Item) -> None:
    """Let a check pass without running, if the submission answers as it has to."""
    if not is_answered_only(item):
        return
    log = log_of(item)
    with told_plainly():
        if not item.config.stash[_MEMORY].passes(item):
            return
        program = grading_of(item.config).host_program(item.stash[CHECK].suite, item)
        log.stash[HOST_IMAGE] = program.image
    log.ran = True
    item.stash[PASSED] = True
    setattr(item, "fixturenames", [])  # noqa: B010  # not every kind of test has them


def recorded(item: pytest.Item, program: HostProgram) -> SteppedProgram:
    """Return a program that keeps what is said, if a check goes by that alone.

    Without a sandbox nothing is kept: a submission could have a hand in it.
    """
    if is_apart(program) and is_answered_only(item):
        return RecordedProgram(program)
    return program


def is_apart(program: HostProgram) -> bool:
    """Say whether a submission runs in a sandbox."""
    return program.image.isolation is Isolation.BUBBLEWRAP


def keep(item: pytest.Item, report: pytest.TestReport) -> None:
    """Keep what has been said in a check that has passed; of one recalled, say so."""
    if PASSED in item.stash:
        setattr(report, RECALLED, True)
        return
    log = log_of(item)
    outcomes = {phase["outcome"] for phase in log.phases.values()}
    if outcomes != {"passed"} or not is_answered_only(item):
        return
    program = log.stash.get(HOST_PROGRAM, None)
    if isinstance(program, RecordedProgram) and program.is_whole:
        known = item.config.stash[_MEMORY].known(item.stash[CHECK].suite)
        known.add(_name(item), program.conversation)


def is_answered_only(item: pytest.Item) -> bool:
    """Say whether a check goes by nothing but what a submission on the host answers.

    That is not known of one that takes other people's fixtures, or is driven by chance.
    """
    if CHECK not in item.stash or DONE in item.stash:
        return False
    check = item.stash[CHECK]
    if check.goal is not Stage.HOST_TEST or not isinstance(item, pytest.Function):
        return False
    if _NAME not in item.stash:
        item.stash[_NAME] = _named(item) if _takes_ours_only(item) else ""
    return bool(item.stash[_NAME])


def _takes_ours_only(item: pytest.Function) -> bool:
    names = set(item.fixturenames)
    if HOST_FIXTURES.isdisjoint(names) or hasattr(item.obj, "hypothesis"):
        return False
    root = item.stash[CHECK].suite.root
    callspec = getattr(item, "callspec", None)
    given = set(callspec.params) if callspec is not None else set[str]()
    info = item._fixtureinfo  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]
    for name in names - given:
        place = _PACKAGE if name in _OURS else root
        for each in info.name2fixturedefs.get(name, ()):
            if not Path(each.func.__code__.co_filename).is_relative_to(place):
                return False
    return True


def _named(item: pytest.Function) -> str:
    """Return by what a check is known, wherever its suite lies."""
    _, _, test = own_id(item.nodeid, label_of(item)).partition("::")
    file = item.path.relative_to(item.stash[CHECK].suite.root).as_posix()
    return f"{file}::{test}"


def _name(item: pytest.Item) -> str:
    return item.stash[_NAME]
