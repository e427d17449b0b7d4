"""The gallery of circuits, as a user runs it, in one run for each variant."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from pytest_embedbench.grading.brief import read_brief
from tests.e2e.evaluator import skip_without_engine
from tests.e2e.native_firmware import SUITES

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_embedbench.builders.platformio.core_setup import CoreSetup

pytestmark = pytest.mark.timeout(600)

CIRCUITS = SUITES / "circuits"
TASKS = sorted(file.parent.name for file in CIRCUITS.glob("*/task.toml"))


class Gallery:
    """Runs all packages with one variant of their firmware, and remembers what came."""

    def __init__(self, core_dir: Path, images_dir: Path, folder: Path) -> None:
        self._core_dir, self._images_dir, self._folder = core_dir, images_dir, folder
        self._runs: dict[str, tuple[list[dict[str, Any]], str]] = {}

    def run(self, firmware: str) -> tuple[list[dict[str, Any]], str]:
        """Return the records of all tests, and what was printed."""
        if firmware not in self._runs:
            self._runs[firmware] = self._run(firmware)
        return self._runs[firmware]

    def _run(self, firmware: str) -> tuple[list[dict[str, Any]], str]:
        artifacts = self._folder / firmware
        done = subprocess.run(
            [
                *(sys.executable, "-m", "pytest", "-n0", "-rs", "--tb=short"),
                *("-p", "no:cacheprovider", "-p", "no:hypothesispytest"),
                *("--board=uno", f"--embedbench-firmware={firmware}"),
                "--embedbench-plots=never",
                f"--embedbench-core={self._core_dir}",
                f"--embedbench-cache={self._images_dir}",
                f"--embedbench-artifacts={artifacts}",
                *(str(CIRCUITS / task / "hidden") for task in TASKS),
            ],
            capture_output=True,
            text=True,
            check=False,
        )
        run = next(each for each in artifacts.iterdir() if each.name != "latest")
        records = [json.loads(file.read_text()) for file in run.rglob("test.json")]
        return records, done.stdout + done.stderr


@pytest.fixture(scope="module")
def gallery(
    seeded: CoreSetup, images_dir: Path, tmp_path_factory: pytest.TempPathFactory
) -> Gallery:
    skip_without_engine("uno")
    return Gallery(seeded.core_dir, images_dir, tmp_path_factory.mktemp("gallery"))


def of(task: str, records: list[dict[str, Any]]) -> list[dict[str, Any]]:
    found = [it for it in records if f"circuits/{task}/hidden/" in it["test"]]
    assert found
    return found


@pytest.mark.parametrize("task", TASKS)
def test_the_solution_passes_and_nothing_is_skipped(
    gallery: Gallery, task: str
) -> None:
    records, printed = gallery.run("solution")
    outcomes = {it["test"]: it["outcome"] for it in of(task, records)}
    assert set(outcomes.values()) == {"passed"}, printed
    assert "skipped" not in printed.splitlines()[-1]
    checked = {name for it in of(task, records) for name in it["brief"]}
    assert checked == {*read_brief(CIRCUITS / task / "BRIEF.md")}


@pytest.mark.parametrize("task", TASKS)
def test_the_wrong_sketch_fails_and_the_firmware_is_blamed(
    gallery: Gallery, task: str
) -> None:
    records, printed = gallery.run("wrong")
    failed = [it for it in of(task, records) if it["outcome"] != "passed"]
    assert failed, printed
    assert {it["blame"] for it in failed} == {"firmware"}, printed
