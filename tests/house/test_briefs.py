"""Every check of a task enforces a sentence, and every sentence has a check."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from pytest_embedbench.grading.brief import load_brief, read_brief
from pytest_embedbench.grading.task import load_task

SUITES = Path(__file__).parents[2] / "example_suites"
TASKS = sorted(file.parent.name for file in SUITES.glob("*/task.toml"))


@dataclass
class Collected:
    """A plugin that keeps what is collected."""

    brief: dict[str, set[str]] = field(default_factory=dict)

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        for item in session.items:
            marks = item.iter_markers("brief")
            self.brief[item.nodeid] = {name for mark in marks for name in mark.args}


def collected(task: str, profile: str) -> dict[str, set[str]]:
    seen = Collected()
    ended = pytest.main(
        [
            str(SUITES / task / "hidden"),
            f"--embedbench-profile={profile}",
            "--collect-only",
            "-qq",
            "-pno:cacheprovider",
        ],
        plugins=[seen],
    )
    assert ended == pytest.ExitCode.OK
    return seen.brief


@pytest.mark.parametrize("profile", ["full", "paper", "paper-strict"])
@pytest.mark.parametrize("task", TASKS)
def test_every_hidden_check_names_what_it_enforces(task: str, profile: str) -> None:
    checks = collected(task, profile)
    assert checks
    assert [name for name, brief in checks.items() if not brief] == []


@pytest.mark.parametrize("task", TASKS)
def test_every_sentence_of_a_brief_has_a_check(task: str) -> None:
    enforced = set[str]().union(*collected(task, "full").values())
    brief = SUITES / task / load_task(SUITES / task / "task.toml").brief
    assert [name for name in read_brief(brief) if name not in enforced] == []


@pytest.mark.parametrize("task", TASKS)
def test_a_profile_without_our_sentences_checks_all_others(task: str) -> None:
    strict = collected(task, "paper-strict")
    brief = load_brief(SUITES / task / "BRIEF.md")
    enforced = set[str]().union(*strict.values())
    assert [name for name in brief.published if name not in enforced] == []
    ours = {name for name, named in strict.items() if named & brief.ours}
    by_the_oracle = {name for name in ours if "test_host.py" in name}
    assert ours == by_the_oracle


@pytest.mark.parametrize("task", TASKS)
def test_what_is_ours_is_listed_as_left_open(task: str) -> None:
    file = SUITES / task / "BRIEF.md"
    _, _, section = file.read_text().partition("## What the published task leaves open")
    ours, _, _ = section.partition("Where that brief can be read")
    listed = set(re.findall(r"\b[A-Z]+\d+\b", ours))
    assert listed == load_brief(file).ours
