"""A test that is part of an evaluation: one with a ``brief`` marker."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_embedbench.grading.task import Suite
    from pytest_embedbench.grading.verdict import Stage


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """What it is of, where it runs, and the sentences that it enforces, by id.

    ``board`` is one that the user has chosen, ``""`` for checks that do without.
    ``goal`` is the stage that it is about: ``HOST_TEST`` and ``TARGET_TEST`` step the
    controller themselves.
    """

    suite: Suite
    board: str
    goal: Stage
    brief: Mapping[str, str]
