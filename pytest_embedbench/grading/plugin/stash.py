"""Where grading keeps things on pytest's own objects, and finds them again."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pytest_embedbench.grading.host.controller import Controller
    from pytest_embedbench.grading.host.program import HostProgram
    from pytest_embedbench.grading.plugin.check import Check
    from pytest_embedbench.grading.plugin.session import Grading
    from pytest_embedbench.model import FirmwareImage

_GRADING: pytest.StashKey[Grading] = pytest.StashKey()
NOTE = "embedbench_note"
CHECK_PLANS = "embedbench_check_plans"
TRIAL = "embedbench_trial"
"""Attributes of a test report, which xdist carries along."""
CHECK: pytest.StashKey[Check] = pytest.StashKey()
HOST_IMAGE: pytest.StashKey[FirmwareImage] = pytest.StashKey()
HOST_PROGRAM: pytest.StashKey[HostProgram] = pytest.StashKey()
CONTROLLER: pytest.StashKey[Controller] = pytest.StashKey()
"""What an attempt at a test ran in the host stage, in the stash of its log."""
ROBUST = "robust"
"""Both a profile and the marker of the tests that it runs."""


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
