"""A campaign as tests: each run of an agent is an item, under xdist as any.

An item passes if the run was carried out, whatever the verdict: an agent that fails its
task is a result. It fails if there is no verdict, through a fault of ours.
"""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_embedbench.bench.artifacts import point_latest, replace_file, replace_json
from pytest_embedbench.campaign.campaign_file import Campaign, Cell, read_campaign
from pytest_embedbench.campaign.carrying_out import RESULT, carry_out
from pytest_embedbench.campaign.overview import read_result, result_lines
from pytest_embedbench.campaign.plugin import SHARD
from pytest_embedbench.campaign.plugin.away import (
    KEPT,
    Sender,
    campaign_file,
    kept_verdict,
)
from pytest_embedbench.campaign.progress import Progress
from pytest_embedbench.campaign.shards import Shard, parse_shard
from pytest_embedbench.errors import BenchFault, ConfigError
from pytest_embedbench.plugin.options import RESUME, path_setting, setting
from pytest_embedbench.plugin.resuming import hold
from pytest_embedbench.plugin.stash import RUN_NAME, session_of
from pytest_embedbench.plugin.workers import input_of, is_away

if TYPE_CHECKING:
    from collections.abc import Iterator

_CELLS = "cells"
"""In a run's folder: one folder per run of an agent."""
ABOUT = "campaign.json"
_VERDICT, _KEPT = "embedbench_verdict", "embedbench_kept"


def begin(config: pytest.Config) -> None:
    """Read the campaign, and have its file collected in place of all else.

    Raises:
        pytest.UsageError: it is broken, or there is nothing to go on with.
    """
    file = campaign_file(config)
    assert file is not None, "somebody has set it"
    config.args[:] = [str(file)]
    if is_away(config):
        sender = Sender(session_of(config).run_dir, _CELLS)
        config.pluginmanager.register(sender, "embedbench-sender")
    if input_of(config):  # what is wrong there is told when it is collected
        return
    try:
        campaign = read_campaign(file)
        _shard(config)
    except ConfigError as error:
        raise pytest.UsageError(str(error)) from error
    if config.option.collectonly:
        return
    if setting(config, RESUME):
        config.stash[RUN_NAME] = _run_to_go_on_with(config, campaign)
    run_dir = hold(config)
    if setting(config, RESUME):
        config.stash[KEPT] = dict(_kept(run_dir, campaign))
    about: dict[str, Any] = {
        "campaign": campaign.name,
        "digest": campaign.digest,
        "cells": [
            {
                "id": cell.id,
                "agent": cell.entry.label,
                "task": cell.suite.task.name,
                "mode": cell.mode.name,
                "repetition": cell.repetition,
            }
            for cell in campaign.cells()
        ],
    }
    wanted = sum(_shard(config).holds(cell["id"]) for cell in about["cells"])
    config.pluginmanager.register(_Teller(config, wanted), "embedbench-progress")
    replace_json(run_dir / ABOUT, about)
    replace_file(run_dir / "campaign.toml", file.read_text("utf-8"))


def collector_for(file: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Return a collector for the campaign's file; none for any other file."""
    wanted = campaign_file(parent.config)
    if wanted is None or not wanted.exists() or not file.samefile(wanted):
        return None
    return _CampaignFile.from_parent(parent, path=file)  # pyright: ignore[reportUnknownMemberType]


def summarise(reporter: pytest.TerminalReporter) -> None:
    """Print the table of all runs, and leave it in files."""
    if input_of(reporter.config) or reporter.config.option.collectonly:
        return
    run_dir = session_of(reporter.config).run_dir
    results = [
        read_result(file) for file in sorted(run_dir.glob(f"{_CELLS}/*/{RESULT}"))
    ]
    if not results:
        return
    point_latest(run_dir)
    reporter.section("embedbench campaign")
    for line in result_lines(results):
        reporter.write_line(line)
    replace_json(run_dir / "results.json", {"schema": 1, "rows": results})
    replace_file(run_dir / "results.csv", _as_csv(results))


class _Teller:
    """Says after each run how far the campaign is."""

    def __init__(self, config: pytest.Config, wanted: int) -> None:
        self._config, self._progress = config, Progress(wanted)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Print a line for a run that is over."""
        reporter = self._config.pluginmanager.get_plugin("terminalreporter")
        if reporter is None or (report.when != "call" and not report.failed):
            return
        about = dict(report.user_properties)
        line = self._progress.line(
            report.nodeid.rpartition("::")[2],
            str(about.get(_VERDICT) or "no verdict"),
            kept=bool(about.get(_KEPT)),
        )
        writer = self._config.get_terminal_writer()
        if writer.width_of_current_line:  # xdist's dots
            writer.line()
        reporter.write_line(line)

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Let a shard that holds no run succeed: others of its array do the work."""
        nothing = session.exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED
        if nothing and setting(self._config, SHARD):
            session.exitstatus = pytest.ExitCode.OK


class _CampaignFile(pytest.File):
    def collect(self) -> Iterator[pytest.Item]:
        try:
            campaign = read_campaign(self.path)
        except ConfigError as error:
            raise self.CollectError(str(error)) from error
        shard = _shard(self.config)
        for cell in campaign.cells():
            if shard.holds(cell.id):
                item: _Run = _Run.from_parent(self, name=cell.id)  # pyright: ignore[reportUnknownMemberType]
                item.campaign, item.cell = campaign, cell
                yield item


class _Run(pytest.Item):
    """One agent at one task in one mode, once."""

    campaign: Campaign
    cell: Cell

    def runtest(self) -> None:
        folder = session_of(self.config).run_dir / _CELLS / self.cell.id
        kept = kept_verdict(self.config, self.cell.id)
        if kept is not None:
            self.user_properties += [(_VERDICT, kept), (_KEPT, True)]
            return
        result = carry_out(self.campaign, self.cell, folder)
        self.user_properties.append((_VERDICT, result["verdict"]))
        if result["verdict"] is None:
            raise BenchFault(f"{self.cell.id}: {result['reason']}")

    def repr_failure(  # type: ignore[override]  # as pytest's own items do
        self, excinfo: pytest.ExceptionInfo[BaseException]
    ) -> str | Any:  # noqa: ANN401
        if isinstance(excinfo.value, BenchFault):
            return str(excinfo.value)
        return super().repr_failure(excinfo)

    def reportinfo(self) -> tuple[Path, None, str]:
        return self.path, None, self.name


def _shard(config: pytest.Config) -> Shard:
    """Return which part is to be run.

    Raises:
        ConfigError: the option makes no sense.
    """
    try:
        return parse_shard(setting(config, SHARD))
    except ConfigError as error:
        raise ConfigError(f"{SHARD.flag}: {error}") from None


def _run_to_go_on_with(config: pytest.Config, campaign: Campaign) -> str:
    """Return the name of the run that ``--embedbench-resume`` means.

    Raises:
        pytest.UsageError: there is none of this campaign.
    """
    root = path_setting(config, "artifacts")
    assert root is not None, "the option has a default"
    runs = [
        file.parent.name
        for file in sorted(root.glob(f"*/{ABOUT}"))
        if not file.parent.is_symlink()
        and read_result(file)["digest"] == campaign.digest
    ]
    wanted = setting(config, RESUME)
    if wanted == RESUME.alone and runs:
        return runs[-1]
    if Path(wanted).name in runs:
        return Path(wanted).name
    raise pytest.UsageError(
        f"{RESUME.flag}: {wanted!r} is no run of this campaign in {root}; those are: "
        f"{', '.join(runs[-3:]) or 'none'}; with another file it is another campaign"
    )


def _kept(run_dir: Path, campaign: Campaign) -> Iterator[tuple[str, str]]:
    """Yield the runs of an earlier attempt that still hold: those with a verdict."""
    for file in run_dir.glob(f"{_CELLS}/*/{RESULT}"):
        result = read_result(file)
        if result["campaign_digest"] == campaign.digest and result["verdict"]:
            yield file.parent.name, result["verdict"]


def _as_csv(results: list[dict[str, Any]]) -> str:
    text = io.StringIO()
    columns = [
        key for key, value in results[0].items() if not isinstance(value, list | dict)
    ]
    writer = csv.DictWriter(text, columns, extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    writer.writerows(results)
    return text.getvalue()
