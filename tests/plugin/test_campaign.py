"""A campaign as tests, with agents that do nothing: progress, shards, resuming."""

from __future__ import annotations

import json
import os
import re
from typing import TYPE_CHECKING

import pytest

# Inner runs in this process must meet the modules that the outer one has.
from pytest_embedbench.campaign.report.runs import read_runs
from pytest_embedbench.campaign.shards import parse_shard
from pytest_embedbench.cli.examples import copy_example
from tests.e2e.native_firmware import SUITES
from tests.plugin.conftest import WITHOUT
from tests.support.chat_server import chat_server, grades, reach_it_directly, said

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Run = Callable[..., pytest.RunResult]

CAMPAIGN = f"""
[campaign]
name = "idle"
modes = ["oneshot_blind", "oracle_full"]
boards = ["native"]
sandbox = "off"
[[agent]]
label = "idler"
command = ["true"]
[[agent]]
label = "quitter"
command = ["false"]
[[task]]
path = "{SUITES / "tank_fill_drain"}"
"""
CELLS = [
    f"{agent}-tank_fill_drain-{mode}-1"
    for mode in ("oneshot_blind", "oracle_full")
    for agent in ("idler", "quitter")
]


@pytest.fixture
def run(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Run:
    """A function that runs the campaign in this process."""
    for name in ("BOARD", "FIRMWARE", "REQUIRE", "ARTIFACTS", "CACHE"):
        monkeypatch.delenv(f"EMBEDBENCH_{name}", raising=False)
    file = pytester.path / "campaign.toml"
    file.write_text(CAMPAIGN)

    def run_pytest(*words: str) -> pytest.RunResult:
        campaign = f"--embedbench-campaign={file}"
        return pytester.runpytest_inprocess(*WITHOUT, campaign, *words)

    return run_pytest


def results(pytester: pytest.Pytester) -> dict[str, int]:
    """Return when each result was written, by the run's folder and name."""
    files = pytester.path.glob(".embedbench/runs/2*/cells/*/result.json")
    return {file.parent.name: file.stat().st_mtime_ns for file in files}


def test_each_run_is_an_item_and_tells_how_far_it_is(
    run: Run, pytester: pytest.Pytester
) -> None:
    done = run()
    done.assert_outcomes(passed=4)
    done.stdout.re_match_lines(
        [
            rf"1 of 4: {CELLS[0]}: NONE; about \d+ s to go",
            rf"4 of 4: {CELLS[3]}: NONE$",
            r"quitter  tank_fill_drain  oracle_full +1 +NONE .* nothing was submitted",
        ]
    )
    assert sorted(results(pytester)) == sorted(CELLS)


def test_it_goes_on_where_it_was_and_with_the_same_file_alone(
    run: Run, pytester: pytest.Pytester
) -> None:
    run("-k", "idler").assert_outcomes(passed=2, deselected=2)
    before = results(pytester)
    done = run("--embedbench-resume")
    done.assert_outcomes(passed=4)
    done.stdout.fnmatch_lines([f"1 of 4: {CELLS[0]}: NONE"])  # no estimate of it
    after = results(pytester)
    assert {name: after[name] for name in before} == before
    assert sorted(after) == sorted(CELLS)
    file = pytester.path / "campaign.toml"
    file.write_text(CAMPAIGN.replace('"idle"', '"other"'))
    refused = run("--embedbench-resume")
    assert refused.ret == pytest.ExitCode.USAGE_ERROR
    refused.stderr.fnmatch_lines(["*is no run of this campaign*"])


def test_shards_are_all_of_it_and_one_may_be_empty(
    run: Run, pytester: pytest.Pytester
) -> None:
    assert run("--embedbench-shard=4/3").ret == pytest.ExitCode.USAGE_ERROR
    shards = [parse_shard(f"{part}/7") for part in range(1, 8)]
    held = [[cell for cell in CELLS if shard.holds(cell)] for shard in shards]
    full = [number for number, cells in enumerate(held, start=1) if cells]
    empty = next(number for number in range(1, 8) if number not in full)
    folders: list[Path] = []
    for number in (empty, *full):
        artifacts = pytester.path / f"shard-{number}"
        shard = f"--embedbench-shard={number}/7"
        done = run(shard, f"--embedbench-artifacts={artifacts}")
        assert done.ret == pytest.ExitCode.OK
        done.assert_outcomes(passed=len(held[number - 1]))
        folders += [path for path in artifacts.iterdir() if path.name.startswith("2")]
    assert len(read_runs(folders[:-1]).gaps) == len(held[full[-1] - 1])
    read = read_runs(folders)
    assert len(read.runs) == len(CELLS)
    assert read.gaps == read.duplicates == ()


def test_an_answer_is_judged_by_the_fixture(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    reach_it_directly(monkeypatch)
    pytester.makepyfile(
        """
        def test_advice(answer_judge):
            score = answer_judge(query="Which pin?", gold="D13", answer="D13")
            assert score.mean == 0.75
            assert score.ratings == (4, 4, 4, 4, 4)

        def test_bad_advice(answer_judge):
            answer_judge(query="Which pin?", gold="D13", answer="unsayable", judgings=1)
        """
    )
    pytester.runpytest_inprocess(*WITHOUT).assert_outcomes(skipped=2)
    with chat_server() as server:
        server.otherwise = lambda request: said(
            "I do not say." if "unsayable" in json.dumps(request) else grades(4)
        )
        words = (f"--embedbench-judge-endpoint={server.url}",
                 "--embedbench-judge-model=judge")  # fmt: skip
        done = pytester.runpytest_inprocess(*WITHOUT, *words)
    done.assert_outcomes(passed=1, failed=1)
    done.stdout.fnmatch_lines(["*EndpointFault: the judge gives no score: *"])


def test_workers_on_other_machines_send_home_what_runs_have_left(
    pytester: pytest.Pytester,
) -> None:
    desk, away = pytester.path / "desk", pytester.path / "away"
    copy_example("tank_fill_drain", desk / "campaign" / "tank_fill_drain")
    away.mkdir()
    file = desk / "campaign" / "campaign.toml"
    file.write_text(
        re.sub('path = ".*"', 'path = "tank_fill_drain"', CAMPAIGN).replace(
            '["true"]', '["ln", "-s", "/etc/passwd", "link"]'
        )
    )
    os.chdir(desk)
    words = (
        f"--embedbench-campaign={file}",
        *("--rootdir=.", "--dist=load", f"--tx=popen//chdir={away}"),
        *(f"--rsyncdir={file.parent}", "-Wignore:The --rsyncdir:DeprecationWarning"),
    )
    done = pytester.runpytest_subprocess(*WITHOUT, *words)
    done.assert_outcomes(passed=4)
    # The campaign that was sent there was run, and nothing of it stayed.
    (run,) = desk.glob(".embedbench/runs/2*")
    results = {file.parent.name: file for file in run.glob("cells/*/result.json")}
    assert sorted(results) == sorted(CELLS)
    assert (away / "campaign" / "campaign.toml").is_file()
    assert not list(away.rglob("result.json"))
    assert (results[CELLS[0]].parent / "workspace/BRIEF.md").is_file()
    assert not (results[CELLS[0]].parent / "workspace/link").exists()

    results[CELLS[0]].unlink()
    kept = {name: results[name].stat().st_mtime_ns for name in CELLS[1:]}
    again = pytester.runpytest_subprocess(*WITHOUT, *words, "--embedbench-resume")
    again.assert_outcomes(passed=4)
    assert results[CELLS[0]].is_file()
    assert {name: results[name].stat().st_mtime_ns for name in CELLS[1:]} == kept
