"""Checks of the target stage that a submission passes by what others have answered.

As in the host stage: ``remembered`` says what that is. A board goes through what is
known by itself, ahead of time, while other checks run here.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest

from pytest_embedbench.errors import EmbedbenchError
from pytest_embedbench.grading.plugin import answered
from pytest_embedbench.grading.plugin.stash import (
    CHECK,
    CONTROLLER,
    SAMPLES,
    TARGET_BOARD,
    TARGET_PROGRAM,
    grading_of,
)
from pytest_embedbench.grading.plugin.submissions import label_of
from pytest_embedbench.grading.target import known_talks
from pytest_embedbench.grading.target.rehearsal import TargetRehearsal
from pytest_embedbench.model import Isolation
from pytest_embedbench.plugin.stash import log_of, session_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pytest_embedbench.grading.host.conversation import Conversation
    from pytest_embedbench.grading.host.known_conversations import KnownConversations
    from pytest_embedbench.grading.target.program import TargetProgram
    from pytest_embedbench.grading.task import Suite

_NOT_TO_BE_HAD = (EmbedbenchError, pytest.skip.Exception, pytest.fail.Exception)


@dataclass(slots=True)
class TargetMemory:
    """What one process knows of checks on boards, and who asks a submission for it."""

    config: pytest.Config
    known: Callable[[Suite], KnownConversations]
    _rehearsals: dict[tuple[Path, str, str], TargetRehearsal] = field(
        default_factory=dict["tuple[Path, str, str]", "TargetRehearsal"], init=False
    )
    _not_built: set[tuple[Path, str, str]] = field(
        default_factory=set["tuple[Path, str, str]"], init=False
    )
    _talks: dict[str, list[Conversation]] = field(
        default_factory=dict[str, "list[Conversation]"], init=False
    )
    """What is known of each check that has been looked up."""
    _to_come: dict[str, deque[pytest.Item]] | None = field(default=None, init=False)
    """Of each submission, the checks that its boards have not been told of."""

    def look_ahead(self, item: pytest.Item) -> None:
        """Have checks that come after this one gone through by their boards.

        A worker of several does not know which of them it will have.
        """
        to_come = self._line(item)
        self._go_on()
        while to_come:
            prepared = self._prepared(to_come[0])
            if prepared is None and _key(to_come[0]) in self._not_built:
                break
            to_come.popleft()
            if prepared is not None and prepared.is_busy:
                break
        self._go_on()

    def passes(self, item: pytest.Item) -> bool:
        """Say whether a submission on a board answers as it has to in this check."""
        self._not_built.clear()
        to_come = self._line(item)
        while to_come and to_come[0] is item:
            to_come.popleft()
        rehearsal = self._prepared(item)
        name = answered.name_of(item)
        if rehearsal is None or not rehearsal.passes(name):
            return False
        log = log_of(item)
        log.board = item.stash[TARGET_BOARD]
        log.stash[TARGET_PROGRAM] = rehearsal.program
        log.stash[SAMPLES] = known_talks.samples_of(self._talks[name][0])
        return True

    def keep(self, item: pytest.Item) -> None:
        """Keep what has been said in a check that has passed."""
        log = log_of(item)
        program = log.stash.get(TARGET_PROGRAM, None)
        if program is None or not _is_apart(program) or CONTROLLER not in log.stash:
            return
        samples = log.stash[CONTROLLER].samples
        conversation = known_talks.with_samples(program.said, samples)
        known = self.known(item.stash[CHECK].suite)
        known.add(answered.name_of(item), conversation)
        self._talks.pop(answered.name_of(item), None)

    def _line(self, item: pytest.Item) -> deque[pytest.Item]:
        """Return what of a check's submission is still to come."""
        if self._to_come is None:
            self._to_come = {}
            is_alone = not hasattr(self.config, "workerinput")
            for each in filter(answered.on_a_board, item.session.items):
                if is_alone:
                    self._to_come.setdefault(label_of(each), deque()).append(each)
        return self._to_come.get(label_of(item), deque())

    def _go_on(self) -> None:
        for rehearsal in self._rehearsals.values():
            rehearsal.go_on()

    def _prepared(self, item: pytest.Item) -> TargetRehearsal | None:
        """Return who asks a submission of a check, which has been told what to ask.

        Nobody does of what is unknown, or not built yet: whatever is wrong with that
        the check itself will say.
        """
        name, suite = answered.name_of(item), item.stash[CHECK].suite
        if name not in self._talks:
            self._talks[name] = self.known(suite).of(name)
        rehearsal = self._rehearsal(item) if self._talks[name] else None
        if rehearsal is not None and not rehearsal.knows(name):
            rehearsal.prepare(name, self._talks[name])
        return rehearsal

    def _rehearsal(self, item: pytest.Item) -> TargetRehearsal | None:
        key = _key(item)
        for other in [each for each in self._rehearsals if each[2] != key[2]]:
            del self._rehearsals[other]
        if key in self._rehearsals:
            return self._rehearsals[key]
        if key in self._not_built:
            return None
        grading, suite = grading_of(self.config), item.stash[CHECK].suite
        spec = session_of(self.config).registry.board(item.stash[TARGET_BOARD])
        try:
            program = grading.built_target_program(suite, item, spec)
        except _NOT_TO_BE_HAD:
            program = None
        if program is None or not _is_apart(program):
            self._not_built.add(key)
            return None
        self._rehearsals[key] = TargetRehearsal(program)
        return self._rehearsals[key]


def _key(item: pytest.Item) -> tuple[Path, str, str]:
    return item.stash[CHECK].suite.root, item.stash[TARGET_BOARD], label_of(item)


def _is_apart(program: TargetProgram) -> bool:
    return program.image.isolation is Isolation.BUBBLEWRAP
