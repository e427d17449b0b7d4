"""Checks that a submission passes because it says what others said who have passed.

A check of the host stage goes by nothing but what it is answered. What it asked and was
answered when it passed is kept, with a digest of all else that it depends on. In later
runs the submission is asked the same first: if it answers the same, byte for byte, it
has passed, and nobody works out again what a brief wants. If not, the check runs.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest

from pytest_embedbench.grading.host.conversation import RecordedProgram
from pytest_embedbench.grading.host.known_conversations import KnownConversations
from pytest_embedbench.grading.plugin import answered
from pytest_embedbench.grading.plugin.digests import suite_digest
from pytest_embedbench.grading.plugin.remembered_target import TargetMemory
from pytest_embedbench.grading.plugin.stash import (
    CHECK,
    HOST_IMAGE,
    HOST_PROGRAM,
    RECALLED,
    grading_of,
)
from pytest_embedbench.grading.plugin.submissions import label_of
from pytest_embedbench.model import Isolation
from pytest_embedbench.plugin.failures import told_plainly
from pytest_embedbench.plugin.options import path_setting
from pytest_embedbench.plugin.stash import log_of
from pytest_embedbench.support.paths import cache_root

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pytest_embedbench.grading.host.program import HostProgram
    from pytest_embedbench.grading.host.rehearsal import Rehearsal
    from pytest_embedbench.grading.host.stepped import SteppedProgram
    from pytest_embedbench.grading.task import Suite

_AHEAD = 24
"""So many of the next checks are asked for while one runs."""
PASSED: pytest.StashKey[bool] = pytest.StashKey()
"""Of a check that need not run any more."""
_MEMORY: pytest.StashKey[Memory] = pytest.StashKey()


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
    on_boards: TargetMemory = field(init=False)
    _looked_at: dict[tuple[Path, str], int] = field(
        default_factory=dict["tuple[Path, str]", "int"], init=False
    )
    """The place of the last check that was asked for ahead of time."""
    _places: dict[pytest.Item, int] = field(
        default_factory=dict["pytest.Item", int], init=False
    )

    def __post_init__(self) -> None:
        self.on_boards = TargetMemory(self.config, self.known)

    def passes(self, item: pytest.Item) -> bool:
        """Say whether a submission answers as it has to in this check.

        Raises what it raises that there is nothing to ask.
        """
        suite = item.stash[CHECK].suite
        rehearsal = self._rehearsal(item, suite)
        if rehearsal is None:
            return False
        for each in (item, *self._next(item)):
            name = answered.name_of(each)
            if not rehearsal.knows(name):
                rehearsal.prepare(name, self.known(suite).of(name))
            if rehearsal.is_busy:
                break
        return rehearsal.passes(answered.name_of(item))

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
            self._looked_at.pop(key, None)
            self.config.add_cleanup(rehearsal.stop)
        return self._rehearsals[key]

    def _next(self, item: pytest.Item) -> Iterator[pytest.Item]:
        """Yield checks of the same submission that come after this one, each once."""
        items = item.session.items
        if not self._places:
            self._places = {each: place for place, each in enumerate(items)}
        suite, label, at = item.stash[CHECK].suite, label_of(item), self._places[item]
        begin = max(at, self._looked_at.get((suite.root, label), 0)) + 1
        for place, each in enumerate(items[begin : at + _AHEAD], begin):
            self._looked_at[suite.root, label] = place
            if (
                answered.on_the_host(each)
                and each.stash[CHECK].suite is suite
                and label_of(each) == label
            ):
                yield each


def begin(config: pytest.Config) -> None:
    """Begin to remember, when all tests are collected and none has run."""
    config.stash[_MEMORY] = Memory(config, (*sys.modules,))


def recall(item: pytest.Item) -> None:
    """Let a check pass without running, if the submission answers as it has to."""
    memory = item.config.stash[_MEMORY]
    memory.on_boards.look_ahead(item)
    if not (_recalled_on_host(item, memory) or _recalled_on_board(item, memory)):
        return
    log_of(item).ran = True
    item.stash[PASSED] = True
    setattr(item, "fixturenames", [])  # noqa: B010  # not every kind of test has them


def _recalled_on_host(item: pytest.Item, memory: Memory) -> bool:
    if not answered.on_the_host(item):
        return False
    with told_plainly():
        if not memory.passes(item):
            return False
        program = grading_of(item.config).host_program(item.stash[CHECK].suite, item)
        log_of(item).stash[HOST_IMAGE] = program.image
    return True


def _recalled_on_board(item: pytest.Item, memory: Memory) -> bool:
    return answered.on_a_board(item) and memory.on_boards.passes(item)


def recorded(item: pytest.Item, program: HostProgram) -> SteppedProgram:
    """Return a program that keeps what is said, if a check goes by that alone.

    Without a sandbox nothing is kept: a submission could have a hand in it.
    """
    if is_apart(program) and answered.on_the_host(item):
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
    if outcomes != {"passed"}:
        return
    memory = item.config.stash[_MEMORY]
    if answered.on_a_board(item):
        memory.on_boards.keep(item)
    program = log.stash.get(HOST_PROGRAM, None)
    if not answered.on_the_host(item) or not isinstance(program, RecordedProgram):
        return
    if program.is_whole:
        known = memory.known(item.stash[CHECK].suite)
        known.add(answered.name_of(item), program.conversation)
