"""The five tasks, as a user runs them: the reference passes, the starter does not."""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.e2e.native_firmware import SUITES, needs_gcc

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_embedbench.builders.platformio.seed import Seeded

pytestmark = [needs_gcc, pytest.mark.timeout(600)]

ROOT = Path(__file__).parents[2]
GOLDEN = json.loads((ROOT / "tests/data/golden_paper_profile.json").read_text())
RUNS = [(task, scenario) for task, runs in GOLDEN.items() for scenario in runs]
BOARDS = ("native", "uno")


@dataclass(frozen=True, slots=True)
class Evaluated:
    """The artifacts of one run over all five tasks."""

    folder: Path

    def verdict(self, task: str, board: str) -> dict[str, Any]:
        file = self.folder / "example_suites" / task / board / "verdict.json"
        return json.loads(file.read_text())  # type: ignore[no-any-return]

    def of_scenario(self, task: str, name: str, board: str) -> Path:
        tests = self.folder / "example_suites" / task / "hidden" / "test_paper.py"
        return tests / f"test_{name}[{board}]"


@pytest.fixture(scope="module")
def evaluate(
    seeded: Seeded, tmp_path_factory: pytest.TempPathFactory
) -> Callable[..., Evaluated]:
    """A function that runs the hidden suites of all five tasks."""
    folder = tmp_path_factory.mktemp("tasks")

    def run(profile: str, *options: str, name: str) -> Evaluated:
        boards = [f"--board={board}" for board in BOARDS]
        words: tuple[str | Path, ...] = (
            *(sys.executable, "-m", "pytest", "-q", "-n2", *boards),
            f"--embedbench-profile={profile}",
            f"--embedbench-core={seeded.core_dir}",
            f"--embedbench-cache={folder / 'cache'}",
            f"--embedbench-artifacts={folder / name}",
            "--embedbench-plots=never",
            *options,
            *sorted(SUITES.glob("*/hidden")),
        )
        subprocess.run(words, cwd=ROOT, env=_plain(), timeout=600, check=False)
        (made,) = (path for path in (folder / name).iterdir() if not path.is_symlink())
        return Evaluated(made)

    return run


@pytest.fixture(scope="module")
def as_published(evaluate: Callable[..., Evaluated]) -> Evaluated:
    return evaluate("paper", "--embedbench-firmware=solution", name="paper")


@pytest.mark.parametrize("board", BOARDS)
@pytest.mark.parametrize("task", GOLDEN)
def test_the_reference_passes_as_published(
    as_published: Evaluated, task: str, board: str
) -> None:
    verdict = as_published.verdict(task, board)
    assert (verdict["verdict"], verdict["stage"]) == ("PASS", "INTEGRATION")


@pytest.mark.parametrize("board", BOARDS)
@pytest.mark.parametrize(("task", "scenario"), RUNS)
def test_the_reference_gives_the_published_traces_and_figures(
    as_published: Evaluated, task: str, scenario: str, board: str
) -> None:
    golden = GOLDEN[task][scenario]
    folder = as_published.of_scenario(task, scenario, board)
    with (folder / "trace.csv").open(newline="") as file:
        columns, *rows = csv.reader(file)
    assert columns == golden["trace_columns"]
    assert [[_value(cell) for cell in row] for row in rows] == golden["trace"]
    assert json.loads((folder / "metrics.json").read_text()) == golden["metrics"]


def _value(cell: str) -> int | bool:
    return cell == "True" if cell in ("True", "False") else int(cell)


def _plain() -> dict[str, str]:
    """Return the environment without settings that would change a run."""
    return {k: v for k, v in os.environ.items() if not k.startswith("EMBEDBENCH_")}
