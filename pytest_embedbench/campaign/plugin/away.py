"""A campaign on xdist's workers: what they are told, and what those far away send."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import pytest

from pytest_embedbench.campaign.plugin import CAMPAIGN
from pytest_embedbench.plugin.options import path_setting
from pytest_embedbench.plugin.shipping import ship
from pytest_embedbench.plugin.workers import WorkerNode, input_of, is_away

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence


KEPT: pytest.StashKey[dict[str, str]] = pytest.StashKey()
"""The verdicts of runs that an earlier attempt has brought to an end, by name."""
_INPUT, _FILE = "embedbench_campaign_kept", "embedbench_campaign_file"
_MOST_SENT = 64_000_000


class Roots(Protocol):
    """What xdist's manager of workers knows: folders that it has sent (--rsyncdir)."""

    roots: Sequence[Path]


class ManagedNode(WorkerNode, Protocol):
    """A worker, and who manages it."""

    nodemanager: Roots


def campaign_file(config: pytest.Config) -> Path | None:
    """Return where the campaign's file is, which is elsewhere on another machine."""
    sent = input_of(config).get(_FILE)
    if is_away(config) and sent:
        return Path(sent).absolute()
    return path_setting(config, CAMPAIGN)


def tell_worker(node: ManagedNode) -> None:
    """Say to a worker where the campaign is, and which runs are there already."""
    node.workerinput[_INPUT] = json.dumps(node.config.stash.get(KEPT, dict[str, str]()))
    file = path_setting(node.config, CAMPAIGN)
    assert file is not None, "somebody has set it"
    for root in map(Path, node.nodemanager.roots):
        if file.is_relative_to(root):
            node.workerinput[_FILE] = str(root.name / file.relative_to(root))


def kept_verdict(config: pytest.Config, name: str) -> str | None:
    """Return the verdict of a run that an earlier attempt has brought to its end."""
    told = input_of(config)
    kept = (
        json.loads(told[_INPUT])
        if _INPUT in told
        else config.stash.get(KEPT, dict[str, str]())
    )
    verdict: str | None = kept.get(name)
    return verdict


class Sender:
    """In a worker on another machine: sends home what a run has left."""

    def __init__(self, run_dir: Path, cells: str) -> None:
        self._run_dir, self._cells = run_dir, cells

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Put the run's folder into its last report."""
        report = yield
        folder = self._run_dir / self._cells / item.name
        if call.when == "teardown" and folder.is_dir():
            _thin(folder)
            ship(report, self._run_dir, folder)
        else:
            ship(report, self._run_dir, None)
        return report


def _thin(folder: Path) -> None:
    """Drop links, which mean nothing elsewhere, and a workspace beyond all measure."""
    files = [path for path in folder.rglob("*") if path.is_symlink() or path.is_file()]
    for path in files:
        if path.is_symlink():
            path.unlink()
    if sum(each.stat().st_size for each in files if each.exists()) > _MOST_SENT:
        shutil.rmtree(folder / "workspace", ignore_errors=True)
