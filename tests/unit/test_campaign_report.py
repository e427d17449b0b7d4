"""Tables of runs: the published ones from the published columns, and what is odd."""

from __future__ import annotations

import csv
import json
from itertools import product
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import pytest

from pytest_embedbench.campaign.modes import MODES
from pytest_embedbench.campaign.report.comparisons import paired
from pytest_embedbench.campaign.report.formats import (
    as_csv,
    as_json,
    as_latex,
    as_markdown,
)
from pytest_embedbench.campaign.report.outcomes import (
    modal_outcomes,
    scenario_sensitivity,
)
from pytest_embedbench.campaign.report.pictures import all_pictures, passes_over
from pytest_embedbench.campaign.report.report_table import ReportTable
from pytest_embedbench.campaign.report.runs import AgentRun, read_runs
from pytest_embedbench.campaign.report.statistics import (
    compare,
    detectable_difference,
    pass_at_k,
)
from pytest_embedbench.campaign.report.tables import (
    all_tables,
    overall,
    passes_by_mode,
    self_verify,
)
from pytest_embedbench.campaign.report.thirds import early_or_late
from pytest_embedbench.errors import ConfigError

if TYPE_CHECKING:
    from pathlib import Path

TASKS = ("tank", "thermal", "pressure", "mixing", "filter")
PASSES = {
    "gpt-5.4": (13, 14, 15, 14),
    "gpt-5.4-mini": (10, 8, 12, 11),
    "qwen3.5-27B": (8, 9, 9, 12),
    "qwen3.5-35B-A3B": (4, 4, 8, 10),
    "qwen3.5-9B": (2, 2, 3, 7),
    "qwen3.5-4B": (0, 2, 1, 2),
    "qwen3.5-2B": (0, 0, 0, 0),
}
"""Table 4 of the paper: passes of 15, by mode."""


@pytest.fixture
def index(tmp_path: Path) -> Path:
    """An index in the published columns, with the published number of passes."""
    file = tmp_path / "index.csv"
    with file.open("w", newline="") as out:
        writer = csv.writer(out)
        writer.writerow(
            ["repetition", "task_id", "mode", "model_label", "pass_fail",
             "failure_family", "failure_category", "wall_clock_seconds",
             "time_to_first_submission_seconds", "hidden_eval_calls", "total_tokens",
             "tool_call_count", "self_test_runs", "something_else"]
        )  # fmt: skip
        for (model, passes), (mode, count) in product(PASSES.items(), enumerate(MODES)):
            name = count
            for number, (task, repetition) in enumerate(product(TASKS, (1, 2, 3))):
                passed = number < passes[mode]
                family = (
                    "" if passed else ("host_tests" if number % 2 else "integration")
                )
                writer.writerow(
                    [repetition, task, name, model, "PASS" if passed else "FAIL",
                     family, "sensor_timeout" if family == "integration" else "",
                     "120", "60.5", "1", "420000", "35", "2", "x"]
                )  # fmt: skip
    return file


def test_the_published_columns_give_the_published_passes(index: Path) -> None:
    table = passes_by_mode(read_runs([index]).runs)
    assert table.head == ("model", *MODES)
    assert table.rows == (
        *(
            (model, *(f"{count}/15" for count in counts))
            for model, counts in PASSES.items()
        ),
        ("all", "37/105", "39/105", "48/105", "56/105"),
    )


def test_table_3_has_the_published_rates_and_intervals(index: Path) -> None:
    rows = {row[0]: row[1:] for row in self_verify(read_runs([index]).runs).rows}
    assert rows["gpt-5.4"] == (
        "15", "14 (93.3%)", "70.2-98.8", "0.42", "35.0", "1.0", "2.0",
    )  # fmt: skip
    assert rows["gpt-5.4-mini"][1:3] == ("8 (53.3%)", "30.1-75.2")
    assert rows["qwen3.5-27B"][1:3] == ("9 (60.0%)", "35.7-80.2")
    assert rows["qwen3.5-35B-A3B"][1:3] == ("4 (26.7%)", "10.9-52.0")
    assert rows["qwen3.5-9B"][1:3] == ("2 (13.3%)", "3.7-37.9")
    assert rows["qwen3.5-2B"][1:3] == ("0 (0.0%)", "0.0-20.4")


def test_table_5_has_the_published_rates_and_intervals(index: Path) -> None:
    rows = {row[0]: row[1:] for row in overall(read_runs([index]).runs).rows}
    assert rows["qwen3.5-27B"][:3] == ("60", "38 (63.3%)", "50.7-74.4")
    assert rows["qwen3.5-35B-A3B"][1:3] == ("26 (43.3%)", "31.6-55.9")
    assert rows["qwen3.5-9B"][1:3] == ("14 (23.3%)", "14.4-35.4")
    assert rows["qwen3.5-2B"] == (
        "60", "0 (0.0%)", "0.0-6.0", "2.0", "60", "1.0", "0.42", "35.0",
    )  # fmt: skip


def run(**changes: object) -> AgentRun:
    fields: dict[str, object] = {
        "model": "m", "task": "t", "mode": "ci_red_green", "repetition": 1,
        "verdict": "PASS",
    }  # fmt: skip
    return AgentRun(**fields | changes)  # type: ignore[arg-type]


def test_what_was_not_recorded_is_no_zero() -> None:
    row = overall([run(wall_s=60.0), run(repetition=2)]).rows[0]
    assert row == ("m", "2", "2 (100.0%)", "34.2-100.0", "1.0", "0", "-", "-", "-")


def test_cells_without_a_mode_name_all_that_are_as_frequent() -> None:
    verdicts = ("PASS", "HOST", "INT", "HOST")
    runs = [run(repetition=n, verdict=each) for n, each in enumerate(verdicts)]
    runs += [run(task="u"), run(task="u", verdict="INT")]
    assert modal_outcomes(runs).rows == (
        ("m", "t", "HOST 2/4"),
        ("m", "u", "PASS/INT 1/2"),
    )


def test_thirds_are_by_when_a_run_first_submitted() -> None:
    runs = [
        run(
            repetition=n,
            first_submission_s=float(n),
            verdict="PASS" if n > 4 else "HOST",
        )
        for n in range(1, 7)
    ]
    rows = early_or_late(runs).rows
    assert [row[:3] for row in rows] == [
        ("first submission (s)", "1 to 2", "0 (0.0%)"),
        ("first submission (s)", "3 to 4", "0 (0.0%)"),
        ("first submission (s)", "5 to 6", "2 (100.0%)"),
    ]


def test_a_run_without_a_verdict_is_in_no_table() -> None:
    assert all_tables([run(verdict="")]) == []


@pytest.mark.parametrize(
    ("count", "passed", "k", "rate"),
    [(5, 0, 1, 0.0), (5, 5, 3, 1.0), (10, 3, 1, 0.3), (5, 2, 2, 0.7), (4, 1, 4, 1.0)],
)
def test_pass_at_k_is_unbiased(count: int, passed: int, k: int, rate: float) -> None:
    assert pass_at_k(count, passed, k) == pytest.approx(rate)


def test_pass_at_k_takes_k_runs() -> None:
    with pytest.raises(
        ValueError, match="pass@3 takes 3 runs or more, and there are 2"
    ):
        pass_at_k(2, 1, 3)


def test_pairs_are_of_what_both_have_run() -> None:
    first = {1: True, 2: True, 3: False, 4: True}
    second = {1: True, 2: False, 3: False, 5: True}
    found = compare(first, second)
    assert (found.both, found.first_only, found.second_only, found.neither) == (
        1,
        1,
        0,
        1,
    )
    assert found.p_value == 1.0


def test_mcnemar_is_exact() -> None:
    # A. Agresti, Categorical Data Analysis, section 10.1: the binomial test of the
    # pairs that differ. Of 12, 2 and 10: 2 * sum(C(12, i), i <= 2) / 2 ** 12.
    first = dict.fromkeys(range(10), True) | dict.fromkeys((10, 11), False)
    second = {key: not value for key, value in first.items()}
    assert compare(first, second).p_value == pytest.approx(2 * 79 / 4096)


def test_the_detectable_difference_solves_its_own_equation() -> None:
    # 15 runs each, from 50 %: 1.96 + 0.8416 standard errors.
    least = detectable_difference(0.5, 15)
    assert least is not None
    spread = (0.25 + (0.5 + least) * (0.5 - least)) / 15
    assert least == pytest.approx((1.959964 + 0.841621) * spread**0.5, rel=1e-5)
    more = detectable_difference(0.5, 150)
    assert more is not None
    assert more < least
    assert detectable_difference(0.95, 15) is None


def test_pairs_come_with_a_caveat_on_power(index: Path) -> None:
    note = paired(read_runs([index]).runs).note
    assert note.startswith(
        "With 60 runs of a model, a power of 80 % and a level of 5 %"
    )


TABLE = ReportTable(
    title="A_title", head=("a|b", "c"), rows=(("50%", "x_y"),), note="So & so."
)


def test_tables_are_written_in_four_formats() -> None:
    assert as_markdown([TABLE]) == (
        "## A_title\n\n| a\\|b | c |\n| --- | --- |\n| 50% | x_y |\n\nSo & so.\n"
    )
    assert as_csv(TABLE) == "a|b,c\n50%,x_y\n"
    assert json.loads(as_json([TABLE]))["tables"][0]["rows"] == [["50%", "x_y"]]
    latex = as_latex([TABLE])
    assert "\\caption{A\\_title}" in latex
    assert "50\\% & x\\_y \\\\" in latex
    assert "So \\& so." in latex


def test_what_is_no_index_is_named(tmp_path: Path) -> None:
    file = tmp_path / "rows.csv"
    file.write_text("a,b\n1,2\n")
    with pytest.raises(ConfigError, match=r"rows\.csv: lacks the columns mode, model_"):
        read_runs([file])
    file.write_text(
        "repetition,task_id,mode,model_label,pass_fail,total_tokens\n1,t,m,l,PASS,many\n"
    )
    with pytest.raises(
        ConfigError, match=r"rows\.csv:2: total_tokens: 'many' is no num"
    ):
        read_runs([file])
    with pytest.raises(ConfigError, match="holds no runs of a campaign"):
        read_runs([tmp_path])


def test_shards_merge_and_gaps_and_duplicates_are_named(tmp_path: Path) -> None:
    cells = [
        {"id": f"a-t-ci_red_green-{n}", "agent": "a", "task": "t",
         "mode": "ci_red_green", "repetition": n}
        for n in (1, 2, 3)
    ]  # fmt: skip
    for shard, numbers in (("one", (1,)), ("two", (1, 2))):
        folder = tmp_path / shard
        folder.mkdir()
        (folder / "campaign.toml").touch()
        about = {"campaign": "c", "digest": "d", "cells": cells}
        (folder / "campaign.json").write_text(json.dumps(about))
        for number in numbers:
            place = folder / "cells" / f"a-t-ci_red_green-{number}"
            place.mkdir(parents=True)
            (place / "result.json").write_text(json.dumps({
                "agent": "a", "model": "", "task": "t", "mode": "ci_red_green",
                "repetition": number, "verdict": "PASS", "wall_s": 1.0,
                "first_submission_s": 0.5, "submissions": [1], "usage": {"total": None},
                "self_test_runs": 0, "false_greens": 0, "campaign_digest": "d",
            }))  # fmt: skip
    read = read_runs([tmp_path / "one", tmp_path / "two"])
    assert sorted(each.repetition for each in read.runs) == [1, 2]
    assert read.gaps == ("c: a-t-ci_red_green-3: nobody has run it",)
    (duplicate,) = read.duplicates
    assert "two/cells/a-t-ci_red_green-1/result.json: is there again" in duplicate


def test_scenarios_are_counted_among_runs_that_ran_them(index: Path) -> None:
    ours = [
        run(agent="a", scenarios={"smoke": True, "happy_path": False}, verdict="INT"),
        run(agent="a", repetition=2, scenarios={"smoke": True, "happy_path": True}),
        run(agent="a", repetition=3, verdict="HOST"),
    ]
    assert scenario_sensitivity(ours).rows == (
        ("t", "happy_path", "1/2"),
        ("t", "smoke", "0/2"),
    )
    published = read_runs([index]).runs
    (row,) = [
        row
        for row in scenario_sensitivity(published).rows
        if row[:2] == ("thermal", "sensor_timeout")
    ]
    thermal = [each for each in published if each.task == "thermal"]
    for model, cell in zip(PASSES, row[2:], strict=True):
        own = [each for each in thermal if each.model == model]
        failed = sum(each.verdict == "INT" for each in own)
        passed = sum(each.passed for each in own)
        assert cell == f"{failed}/{failed + passed}"


def test_pictures_show_each_cell_and_each_run(index: Path) -> None:
    runs = read_runs([index]).runs
    pictures = all_pictures(runs)
    assert sorted(pictures) == [
        "passes_by_first_submission", "passes_by_task", "passes_by_tokens",
    ]  # fmt: skip
    for svg in pictures.values():
        ET.fromstring(svg)
    heat = pictures["passes_by_task"]
    assert heat.count("<rect") == 1 + len(PASSES) * len(TASKS)
    assert ">12/12</text>" in heat
    times = passes_over(
        [run(repetition=n, tokens=100 * n, verdict="PASS" if n > 3 else "INT")
         for n in range(1, 7)],
        "tokens",
        lambda each: each.tokens,
    )  # fmt: skip
    assert [f">{cell}</text>" in times for cell in ("0/2", "1/2", "2/2")] == [True] * 3
    assert times.count("<circle") == 3
    assert all_pictures([]) == {}
