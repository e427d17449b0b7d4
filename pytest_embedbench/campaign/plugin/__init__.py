"""The pytest plugin of campaigns: hooks and a fixture by name, nothing else."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from pytest_embedbench.campaign.plugin.judge_options import JUDGE_SETTINGS
from pytest_embedbench.plugin.options import Setting, add_settings, setting

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pytest_embedbench.campaign.judge.answer_judge import AnswerJudge
    from pytest_embedbench.campaign.plugin.away import ManagedNode

CAMPAIGN = Setting(
    name="campaign",
    flag="--embedbench-campaign",
    metavar="FILE",
    help="Let the agents of a campaign work, each at each task in each mode",
)
SHARD = Setting(
    name="shard",
    flag="--embedbench-shard",
    metavar="I/N",
    help="Of a campaign, the I-th of N parts, from 1 on: for arrays of machines",
    default_text="all of it",
)
_DESK = "EMBEDBENCH_DESK"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options of campaigns and of a judge, their ini keys and environment."""
    add_settings(parser, (CAMPAIGN, SHARD, *JUDGE_SETTINGS))


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Have the campaign's file collected, in the run that is to go on, if one is."""
    if setting(config, CAMPAIGN):
        from pytest_embedbench.campaign.plugin import running  # noqa: PLC0415  # late

        running.begin(config)
    elif desk := os.environ.get(_DESK):
        from pytest_embedbench.campaign.plugin import notes  # noqa: PLC0415  # late

        notes.begin(config, desk)


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: ManagedNode) -> None:
    """Tell a worker of xdist which runs are there already."""
    if setting(node.config, CAMPAIGN):
        from pytest_embedbench.campaign.plugin import away  # noqa: PLC0415  # late

        away.tell_worker(node)


def pytest_collect_file(
    file_path: Path, parent: pytest.Collector
) -> pytest.Collector | None:
    """Collect the runs of the campaign's file."""
    if not setting(parent.config, CAMPAIGN):
        return None
    from pytest_embedbench.campaign.plugin import running  # noqa: PLC0415  # late

    return running.collector_for(file_path, parent)


@pytest.fixture(scope="session")
def answer_judge(request: pytest.FixtureRequest) -> Iterator[AnswerJudge]:
    """A model that judges free-form answers, named by ``--embedbench-judge-model``.

    ``answer_judge(query=..., gold=..., answer=..., images=[...])`` returns a score of
    several judgings; see docs/judging.md.
    """
    from pytest_embedbench.campaign.plugin import (  # noqa: PLC0415  # late
        answer_judging,
    )

    yield from answer_judging.judging(request.config)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print what came of all runs."""
    if setting(terminalreporter.config, CAMPAIGN):
        from pytest_embedbench.campaign.plugin import running  # noqa: PLC0415  # late

        running.summarise(terminalreporter)
