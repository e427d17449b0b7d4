"""The same results with and without workers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.plugin.conftest import Suite

TESTS = """
import pytest

@pytest.mark.parametrize("level", range(6))
def test_it(bench, plant, level):
    bench.wait_for_boot()
    bench.connect(plant("tank_fill_drain", level=20 + level))
    bench.run_for(3_000)
    if level == 5:
        bench.expect("NEVER", within_ms=100)
"""
VIRTUAL = ("transcript.log", "trace.csv", "metrics.json")


def evidence(run: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(run)): path.read_bytes()
        for path in sorted(run.rglob("*"))
        if path.name in VIRTUAL
    }


def test_workers_leave_the_same_bytes(suite: Suite) -> None:
    suite.test(TESTS)
    suite.run("-n0").assert_outcomes(passed=5, failed=1)
    suite.run("-n2").assert_outcomes(passed=5, failed=1)
    alone, shared = (evidence(run) for run in suite.runs())
    assert len(alone) == 18
    assert alone == shared


def test_one_build_serves_all_workers(suite: Suite) -> None:
    # X3: a session fixture would build once per worker.
    suite.test(TESTS)
    suite.run("-n2")
    assert (suite.root / "cache" / "builds.log").read_text() == "built\n"


def test_all_workers_put_their_files_into_one_run(suite: Suite) -> None:
    # X4: with workers there is no live output; the header says what to follow.
    suite.test(TESTS)
    result = suite.run("-n2")
    (run,) = suite.runs()
    result.stdout.fnmatch_lines([f"embedbench artifacts: {run} (a transcript.log *"])


def test_a_run_can_be_found_as_the_latest(suite: Suite) -> None:
    suite.test(TESTS)
    suite.run("-n2")
    (run,) = suite.runs()
    assert (run.parent / "latest").resolve() == run


@pytest.mark.parametrize("name", ["passed", "failed"])
def test_faults_are_counted_across_workers(suite: Suite, name: str) -> None:
    suite.test(TESTS)
    result = suite.run("-n2", "-k", "5" if name == "failed" else "not 5")
    text = result.stdout.str()
    assert ("embedbench: 1 x firmware fault" in text) == (name == "failed")
