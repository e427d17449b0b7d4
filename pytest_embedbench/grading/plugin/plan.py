"""What a process is going to run, for the one that keeps the verdicts."""

from __future__ import annotations

import platform
from functools import lru_cache
from importlib.metadata import version
from typing import TYPE_CHECKING

import pytest

from pytest_embedbench.errors import BenchFault, ConfigError
from pytest_embedbench.grading.edit_surface import ignored_files
from pytest_embedbench.grading.edit_surface.files import digest
from pytest_embedbench.grading.plugin.apart import sandbox_record
from pytest_embedbench.grading.plugin.options import PROFILE
from pytest_embedbench.grading.plugin.profile import deselected_count
from pytest_embedbench.grading.plugin.stash import CHECK, DIGESTS, DONE, grading_of
from pytest_embedbench.grading.plugin.submissions import (
    label_of,
    own_id,
    submission_of,
)
from pytest_embedbench.grading.submitted import submitted
from pytest_embedbench.plugin.options import setting
from pytest_embedbench.plugin.stash import session_of
from pytest_embedbench.support.shown import shown

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_embedbench.grading.check_records import CheckPlan, PlannedCheck
    from pytest_embedbench.grading.task import Suite


def check_plans(session: pytest.Session) -> list[CheckPlan]:
    """Return what is going to run of each suite, in the order of the tests."""
    made: dict[tuple[str, str], CheckPlan] = {}
    for item in session.items:
        check = item.stash.get(CHECK, None)
        if check is None:
            continue
        label = label_of(item)
        name = suite_name(check.suite, item.config), label
        if name not in made:
            made[name] = _check_plan(item, check.suite)
        planned: PlannedCheck = {
            "check": own_id(item.nodeid, label),
            "board": check.board,
            "stage": check.goal.value,
            "brief": list(check.brief),
        }
        made[name]["checks"].append(planned)
        made[name]["kept_count"] += DONE in item.stash
    return list(made.values())


def _check_plan(item: pytest.Item, suite: Suite) -> CheckPlan:
    config = item.config
    one_of_many = submission_of(item)
    submission, sources, ignored = _submitted(item, suite)
    key = suite_name(suite, config), label_of(item)
    known = config.stash[DIGESTS].get(key) if DIGESTS in config.stash else None
    digests, changed = known or (None, list[str]())
    return {
        "suite": suite_name(suite, config),
        "label": one_of_many.label if one_of_many else "",
        "name": one_of_many.name if one_of_many else "",
        "task": suite.task.name,
        "profile": setting(config, PROFILE),
        "submission": one_of_many.shown if one_of_many else submission,
        "sources": sources,
        "ignored": ignored,
        "boards": [*session_of(config).board_names()],
        "has_host_stage": suite.task.host_stage and suite.task.diagram is None,
        "sentences": dict(grading_of(config).due(suite)),
        "tools": {
            "pytest-embedbench": version("pytest-embedbench"),
            "pytest": pytest.__version__,
            "python": platform.python_version(),
            "host": platform.platform(),
        },
        "sandbox": sandbox_record(config),
        "deselected_count": deselected_count(item),
        "checks": [],
        "digests": digests,
        "kept_count": 0,
        "changed": changed,
    }


def _submitted(
    item: pytest.Item, suite: Suite
) -> tuple[str | None, dict[str, str], list[str]]:
    """Return where the submission is, the digests of its files, and what is ignored."""
    try:
        folder = grading_of(item.config).submission(suite, item)
        ignored = [] if folder is None else ignored_files(suite, folder)
        files = {
            name: submitted(folder or suite.root, name) or suite.root / name
            for name in suite.task.edit_surface
        }
    except (ConfigError, BenchFault):
        return shown(setting(item.config, "firmware")), {}, []
    digests = {name: digest(file) for name, file in files.items()}
    known = {name: value for name, value in digests.items() if value}
    return shown(folder) if folder else None, known, ignored


def suite_name(suite: Suite, config: pytest.Config) -> str:
    """Return a suite's folder as people see it: from the rootdir, if it is in there."""
    return _from_root(suite.root, config.rootpath)


@lru_cache(maxsize=64)
def _from_root(folder: Path, root: Path) -> str:
    root = root.resolve()
    inside = folder.relative_to(root) if folder.is_relative_to(root) else folder
    return inside.as_posix()
