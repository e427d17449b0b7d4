"""The profile ``paper`` gives the published evaluator's traces and figures."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.e2e.evaluator import skip_without_engine
from tests.e2e.native_firmware import SUITES, needs_gcc

if TYPE_CHECKING:
    from tests.e2e.evaluator import Evaluator

pytestmark = needs_gcc

GOLDEN: dict[str, dict[str, Any]] = json.loads(
    (Path(__file__).parents[1] / "data" / "golden_paper_profile.json").read_text()
)
TASKS = [task for task in sorted(GOLDEN) if (SUITES / task / "task.toml").is_file()]


def trace(folder: Path, columns: list[str]) -> list[list[int | bool]]:
    with (folder / "trace.csv").open() as file:
        return [
            [json.loads(row[name].lower()) for name in columns]
            for row in csv.DictReader(file)
        ]


@pytest.mark.parametrize("board", ["native", "uno"])
@pytest.mark.parametrize("task", TASKS)
def test_the_reference_gives_the_published_figures(
    evaluate: Evaluator, task: str, board: str
) -> None:
    """Also where not all published controllers agree: there our briefs decide so."""
    skip_without_engine(board)
    done = evaluate(
        "--embedbench-profile=paper",
        "--embedbench-firmware=solution",
        suite=SUITES / task,
        board=board,
    )
    assert done.ending == ("PASS", "INTEGRATION"), done.printed
    ran = {
        scenario["name"]: (scenario["metrics"], done.folder / check["folder"])
        for check in done.verdict["checks"]
        for scenario in check["scenarios"]
    }
    assert set(ran) == set(GOLDEN[task])
    for name, golden in GOLDEN[task].items():
        metrics, folder = ran[name]
        assert metrics == golden["metrics"], name
        assert trace(folder, golden["trace_columns"]) == golden["trace"], name
