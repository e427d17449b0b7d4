"""A test that is part of an evaluation: one with a ``brief`` marker."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_embedbench.grading.verdict import Stage

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_embedbench.grading.task import Suite


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """What it is of, where it runs, and the sentences that it enforces, by id.

    ``board`` is one that the user has chosen, ``""`` for checks that do without.
    """

    suite: Suite
    board: str
    on_host: bool
    """Whether it does without any: it steps the controller itself."""
    brief: Mapping[str, str]

    @property
    def goal(self) -> Stage:
        """The stage that it is about."""
        return Stage.HOST_TEST if self.on_host else Stage.INTEGRATION
