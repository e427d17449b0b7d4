"""A failed subtest is a failed test, and a failed check."""

from __future__ import annotations

import importlib.util
import json
from typing import TYPE_CHECKING, Any

import pytest

from pytest_embedbench.grading.plugin.robust import FILE as ROBUSTNESS

if TYPE_CHECKING:
    from tests.plugin.conftest import Suite

TEST = """
def test_parts(bench, subtests):
    with subtests.test("fine"):
        bench.wait_for_boot()
    with subtests.test("wrong"):
        bench.expect("^NEVER SAID$", within_ms=50)
    with subtests.test("wrong again"):
        assert False, "later"
"""
TASK = """
[task]
name = "tank"
plant = "tank_fill_drain"
brief = "BRIEF.md"
boot_line = "DBG BOOTED"
edit_surface = ["src/controller.c"]
"""
CONFTEST = """
import pytest

@pytest.fixture
def controller():
    return object()
"""
HOST = """
import pytest

@pytest.mark.brief("T1")
def test_host(controller):
    pass
"""

pytestmark = pytest.mark.skipif(
    not hasattr(pytest, "Subtests")
    and importlib.util.find_spec("pytest_subtests") is None,
    reason="pytest >= 9 or pytest-subtests has the fixture",
)


@pytest.fixture
def task(suite: Suite) -> Suite:
    (suite.root / "task.toml").write_text(TASK)
    (suite.root / "BRIEF.md").write_text("- **T1** One.\n- **T2** Two.\n")
    (suite.root / "conftest.py").write_text(CONFTEST)
    suite.test(HOST, "test_host.py")
    suite.test(f'import pytest\n@pytest.mark.brief("T2"){TEST}', "test_loop.py")
    return suite


def record(suite: Suite, name: str) -> dict[str, Any]:
    read: dict[str, Any] = json.loads(suite.only(name).read_text())
    return read


@pytest.mark.parametrize("workers", [(), ("-n1",)])
def test_a_failed_subtest_is_a_failed_test_with_its_blame(
    suite: Suite, workers: tuple[str, ...]
) -> None:
    suite.test(TEST)
    result = suite.run(*workers)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    test = record(suite, "test.json")
    assert test["outcome"] == "failed"
    assert test["blame"] == "firmware"
    assert "NEVER SAID" in test["reason"]
    assert list(test["phases"]) == ["setup", "call", "teardown"]
    result.stdout.fnmatch_lines(["embedbench: 2 x firmware fault"])


def test_a_test_whose_subtests_pass_has_passed(suite: Suite) -> None:
    suite.test(TEST.replace("NEVER SAID", "DBG .*").replace("False", "True"))
    suite.run()
    test = record(suite, "test.json")
    assert (test["outcome"], test["blame"]) == ("passed", None)


@pytest.mark.parametrize("workers", [(), ("-n1",)])
def test_a_check_with_a_failed_subtest_is_a_failed_check(
    task: Suite, workers: tuple[str, ...]
) -> None:
    task.run(*workers)
    verdict = record(task, "verdict.json")
    assert (verdict["verdict"], verdict["stage"]) == ("INT", "INTEGRATION")
    assert "NEVER SAID" in verdict["reason"]
    assert verdict["counts"]["failed"] == 1
    assert verdict["complete"] is True


def test_what_a_subtest_did_not_tolerate_is_not_tolerated(suite: Suite) -> None:
    suite.test(f"import pytest\n@pytest.mark.robust{TEST}")
    suite.run("--embedbench-profile=robust")
    (trial,) = record(suite, ROBUSTNESS)["trials"]
    assert trial["tolerance"] == "not tolerated"
    assert "NEVER SAID" in trial["reason"]
