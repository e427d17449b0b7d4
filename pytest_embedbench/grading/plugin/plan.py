"""What a process is going to run, for the one that keeps the verdicts."""

from __future__ import annotations

import hashlib
import platform
from importlib.metadata import version
from typing import TYPE_CHECKING

import pytest

from pytest_embedbench.errors import ConfigError
from pytest_embedbench.grading.plugin.options import PROFILE
from pytest_embedbench.grading.plugin.profile import DESELECTED
from pytest_embedbench.grading.plugin.stash import CHECK, grading_of
from pytest_embedbench.grading.task import submitted
from pytest_embedbench.plugin.options import setting

if TYPE_CHECKING:
    from pytest_embedbench.grading.ledger import CheckPlan, PlannedCheck
    from pytest_embedbench.grading.task import Suite


def check_plans(session: pytest.Session) -> list[CheckPlan]:
    """Return what is going to run of each suite, in the order of the tests."""
    made: dict[str, CheckPlan] = {}
    for item in session.items:
        check = item.stash.get(CHECK, None)
        if check is None:
            continue
        name = suite_name(check.suite, item.config)
        if name not in made:
            made[name] = _check_plan(item, check.suite)
        planned: PlannedCheck = {
            "check": item.nodeid,
            "board": check.board,
            "stage": check.goal.value,
            "brief": list(check.brief),
        }
        made[name]["checks"].append(planned)
    return list(made.values())


def _check_plan(item: pytest.Item, suite: Suite) -> CheckPlan:
    config = item.config
    submission, sources = _submitted(config, suite)
    return {
        "suite": suite_name(suite, config),
        "task": suite.task.name,
        "profile": setting(config, PROFILE),
        "submission": submission,
        "sources": sources,
        "sentences": dict(grading_of(config).brief(suite)),
        "tools": {
            "pytest-embedbench": version("pytest-embedbench"),
            "pytest": pytest.__version__,
            "python": platform.python_version(),
            "host": platform.platform(),
        },
        "deselected_count": config.stash.get(DESELECTED, 0),
        "checks": [],
    }


def _submitted(
    config: pytest.Config, suite: Suite
) -> tuple[str | None, dict[str, str]]:
    """Return where the submission is, if there is one, and the digests of its files."""
    try:
        folder = grading_of(config).submission(suite)
    except ConfigError:
        return setting(config, "firmware"), {}
    files = {
        name: submitted(folder or suite.root, name) or suite.root / name
        for name in suite.task.edit_surface
    }
    digests = {
        name: hashlib.sha256(file.read_bytes()).hexdigest()
        for name, file in files.items()
        if file.is_file()
    }
    return str(folder) if folder else None, digests


def suite_name(suite: Suite, config: pytest.Config) -> str:
    """Return a suite's folder as people see it: from the rootdir, if it is in there."""
    root = config.rootpath.resolve()
    if suite.root.is_relative_to(root):
        return suite.root.relative_to(root).as_posix()
    return suite.root.as_posix()
