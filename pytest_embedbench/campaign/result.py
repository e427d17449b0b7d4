"""What came of one run of an agent: one plain table, which reports are made of."""

from __future__ import annotations

import ast
import difflib
from itertools import islice
from typing import TYPE_CHECKING, Any

from pytest_embedbench.campaign.handed_out import FIRST_TEST, OWN_TESTS, handed_out
from pytest_embedbench.campaign.taking import take
from pytest_embedbench.campaign.unfollowed import contents_below
from pytest_embedbench.grading.verdict import Verdict

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from pytest_embedbench.campaign.agent_run import AgentEnd
    from pytest_embedbench.campaign.campaign_file import Campaign, Cell
    from pytest_embedbench.campaign.desk import Desk, Submitted
    from pytest_embedbench.campaign.judging import Judgement
    from pytest_embedbench.campaign.usage import Usage

SCHEMA = 1
_MOST_TEST_BYTES, _MOST_TEST_FILES = 1_000_000, 1000


def result_of(  # all that there is to know of a run
    campaign: Campaign,
    cell: Cell,
    desk: Desk,
    end: AgentEnd,
    workspace: Path,
    usage: Mapping[str, Usage | None],
) -> dict[str, Any]:
    """Return the table of one run.

    ``usage`` has ``before_first`` and ``total``: what the agent reported until its
    first submission, and in all.
    """
    decided = deciding(desk.submissions, campaign.verdict_rule)
    judgement = decided.judgement if decided is not None else None
    return {
        "schema": SCHEMA,
        "campaign": campaign.name,
        "campaign_digest": campaign.digest,
        "agent": cell.entry.label,
        "model": cell.entry.model,
        "provider": cell.entry.provider,
        "sampling": dict(cell.entry.sampling),
        "serving": dict(cell.entry.serving),
        "task": cell.suite.task.name,
        "mode": cell.mode.name,
        "repetition": cell.repetition,
        "boards": list(campaign.boards),
        "profile": campaign.profile,
        "verdict_rule": campaign.verdict_rule,
        "verdict": judgement.verdict if judgement else Verdict.NONE.value,
        "stage": judgement.stage if judgement else None,
        "reason": judgement.reason if judgement else "nothing was submitted",
        "scenarios": _scenarios(judgement) if judgement else {},
        "submissions": [_submission(each) for each in desk.submissions],
        "first_submission_s": (
            round(desk.submissions[0].at_s, 3) if desk.submissions else None
        ),
        "wall_s": round(end.wall_s, 3),
        "timed_out": end.timed_out,
        "returncode": end.returncode,
        "usage": {key: each.table() if each else None for key, each in usage.items()},
        **_self_tests(desk),
        **_changes(cell, workspace),
        "record": {"count": desk.seal.count, "digest": desk.seal.digest},
    }


def deciding(submissions: Sequence[Submitted], rule: str) -> Submitted | None:
    """Return the submission whose verdict is the run's: the last, or the best one."""
    if not submissions:
        return None
    if rule == "last":
        return submissions[-1]
    passed = [each for each in submissions if each.judgement.passed]
    return (passed or submissions)[-1]


def _submission(each: Submitted) -> dict[str, Any]:
    judgement = each.judgement
    return {
        "number": each.number,
        "at_s": round(each.at_s, 3),
        "verdict": judgement.verdict,
        "stage": judgement.stage,
        "reason": judgement.reason.partition("\n")[0],
        "boards": dict(judgement.boards),
    }


def _scenarios(judgement: Judgement) -> dict[str, bool]:
    """Return whether each scenario that was run passed, on every board."""
    passed: dict[str, bool] = {}
    for about in judgement.details.values():
        for check in about["checks"]:
            for scenario in check["scenarios"]:
                name = scenario["name"]
                passed[name] = passed.get(name, True) and check["outcome"] == "passed"
    return passed


def _self_tests(desk: Desk) -> dict[str, int]:
    """Return what runs of pytest in the workspace have told the desk.

    A false green is a submission that is no PASS although the agent's last run of its
    own tests before it was all green.
    """
    # Workers of xdist tell of boards alone.
    runs = [run for run in desk.test_runs if run.passed or run.failed]
    last_green = {
        each.number: next(
            (run.failed == 0 for run in reversed(runs) if run.at_s <= each.at_s), False
        )
        for each in desk.submissions
    }
    return {
        "self_test_runs": len(runs),
        "build_attempts": sum(run.builds for run in desk.test_runs),
        "runtime_probes": sum(run.boots for run in desk.test_runs),
        "false_greens": sum(
            last_green[each.number]
            and each.judgement.verdict is not None
            and not each.judgement.passed
            for each in desk.submissions
        ),
    }


def _changes(cell: Cell, workspace: Path) -> dict[str, Any]:
    """Return what an agent has changed, and how many tests it has written."""
    given = handed_out(cell.suite, cell.mode)
    surface = cell.suite.task.edit_surface
    taken = take(workspace, given, surface, cell.suite.task.ignored)
    touched = [name for name in surface if taken.surface.get(name) != given.get(name)]
    lines = sum(
        _lines_changed(given.get(name, b""), taken.surface.get(name, b""))
        for name in touched
    )
    return {
        "files_touched": len(touched) + len(taken.offences),
        "lines_changed": lines,
        "self_tests_written": len(_tests_in(workspace) - {FIRST_TEST}),
    }


def _lines_changed(before: bytes, after: bytes) -> int:
    """Return how many lines were added or removed."""
    one, two = (data.decode(errors="replace").splitlines() for data in (before, after))
    steps = difflib.unified_diff(one, two, n=0, lineterm="")
    return sum(step[:1] in "+-" and step[:3] not in {"+++", "---"} for step in steps)


def _tests_in(workspace: Path) -> set[str]:
    """Return the names of functions that pytest would take for tests."""
    names: set[str] = set()
    found = contents_below(workspace, OWN_TESTS, ".py", _MOST_TEST_BYTES)
    for source in islice(found, _MOST_TEST_FILES):
        try:
            tree = ast.parse(source)
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            continue
        names |= {
            node.name
            for node in ast.walk(tree)
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test")
        }
    return names
