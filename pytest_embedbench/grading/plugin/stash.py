"""Where grading keeps things on pytest's own objects, and finds them again."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pytest_embedbench.grading.check_records import Digests, Done
    from pytest_embedbench.grading.host.controller import Controller
    from pytest_embedbench.grading.host.stepped import SteppedProgram
    from pytest_embedbench.grading.plugin.check import Check
    from pytest_embedbench.grading.plugin.session import Grading
    from pytest_embedbench.grading.target.program import TargetProgram
    from pytest_embedbench.model import FirmwareImage
    from pytest_embedbench.submissions import Submission

_GRADING: pytest.StashKey[Grading] = pytest.StashKey()
SUBMITTED: pytest.StashKey[list[Submission]] = pytest.StashKey()
"""All submissions, in a run on many."""
DIGESTS: pytest.StashKey[dict[tuple[str, str], tuple[Digests, list[str]]]] = (
    pytest.StashKey()
)
"""By suite and label: what outcomes depend on, and what of it has changed."""
DONE: pytest.StashKey[Done] = pytest.StashKey()
"""How a check has ended in the run that goes on."""
NOTE = "embedbench_note"
CHECK_PLANS = "embedbench_check_plans"
TRIAL = "embedbench_trial"
RECALLED = "embedbench_recalled"
"""Attributes of a test report, which xdist carries along; the first two as JSON."""
CHECK: pytest.StashKey[Check] = pytest.StashKey()
HOST_IMAGE: pytest.StashKey[FirmwareImage] = pytest.StashKey()
HOST_PROGRAM: pytest.StashKey[SteppedProgram] = pytest.StashKey()
CONTROLLER: pytest.StashKey[Controller] = pytest.StashKey()
"""What an attempt at a test ran in the host stage, in the stash of its log."""
TARGET_PROGRAM: pytest.StashKey[TargetProgram] = pytest.StashKey()
SAMPLES: pytest.StashKey[list[str]] = pytest.StashKey()
SET: pytest.StashKey[str] = pytest.StashKey()
"""What an attempt ran in the target stage, what of it was known to be but a part, and
with which set of parameters."""
TARGET_BOARD: pytest.StashKey[str] = pytest.StashKey()
"""Of a check of the target stage: the board whose CPU it is about."""
SUBMISSION: pytest.StashKey[Submission] = pytest.StashKey()
"""And which of many submissions, which others have as a parameter."""
ROBUST = "robust"
"""Both a profile and the marker of the tests that it runs."""
HOST_FIXTURES = frozenset({"controller", "protocol"})
"""What a check of the host stage takes."""


def grading_of(config: pytest.Config) -> Grading:
    """Return what this process knows of task packages; made on first use."""
    if _GRADING not in config.stash:
        from pytest_embedbench.grading.plugin.session import Grading  # noqa: PLC0415

        config.stash[_GRADING] = Grading(config)
    return config.stash[_GRADING]


def is_graded(item: pytest.Item) -> bool:
    """Say whether a test may have a mark of ours: quick, for runs that have none."""
    words = item.keywords
    return "brief" in words or "profile" in words or ROBUST in words


def steps_a_controller(item: object) -> bool:
    """Say whether a test takes a submission's functions by hand: quick, as above."""
    fixtures: tuple[str, ...] | list[str] = getattr(item, "fixturenames", ())
    return not HOST_FIXTURES.isdisjoint(fixtures)
