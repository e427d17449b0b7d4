"""A mistake in a marker is told when its test is collected."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pytest_embedbench.flashing import Erase
from pytest_embedbench.plugin.markers import ERASABLE

if TYPE_CHECKING:
    from tests.plugin.conftest import Suite

TASK = """
[task]
name = "tank"
plant = "tank_fill_drain"
brief = "BRIEF.md"
boot_line = "DBG BOOTED"
edit_surface = ["src/controller.c"]
"""
CHECK = """
import pytest

@pytest.mark.brief("T1")
@pytest.mark.profile("full")
def test_one(bench):
    bench.wait_for_boot()

@pytest.mark.brief("T1")
def test_always(bench):
    bench.wait_for_boot()
"""


@pytest.fixture
def task(suite: Suite) -> Suite:
    (suite.root / "task.toml").write_text(TASK)
    (suite.root / "BRIEF.md").write_text("- **T1** One.\n")
    return suite


@pytest.mark.parametrize(
    ("marker", "told"),
    [
        ("needs()", "needs() says nothing; known: analog, circuit, *"),
        ("needs", "needs() says nothing; known: analog, circuit, *"),
        ("needs(7)", "needs(7) takes text, and 7 is int; known: *"),
        ("needs(['reset'])", "needs(['reset']) takes text, and * is list; *"),
        ("needs('rset')", "needs('rset') has no 'rset'; known: *reset*"),
        ("needs(able='reset')", "needs(able='reset') says nothing; known: *"),
        ("erase()", "erase() says nothing; known: nvs, all, none"),
        ("erase('nvm')", "erase('nvm') has no 'nvm'; known: nvs, all, none"),
        ("erase(True)", "erase(True) takes text, and True is bool; known: *"),
        ("erase('nvs', 'all')", "erase('nvs', 'all') takes one word; known: *"),
        ("brief()", "brief() says nothing; known: T1"),
        ("brief(1)", "brief(1) takes text, and 1 is int; known: T1"),
        ("brief(['T1'])", "brief(['T1']) takes text, and * is list; known: T1"),
        ("diagram()", "diagram() says nothing; known: the path of a diagram.json"),
        ("diagram(5)", "diagram(5) takes text, and 5 is int; known: *"),
        ("diagram('a', 'b')", "diagram('a', 'b') takes one path; known: *"),
        ("profile()", "profile() says nothing; known: full, paper, paper-strict*"),
        ("profile(None)", "profile(None) takes text, and None is NoneType; *"),
    ],
)
def test_a_mistake_in_a_marker_is_a_collection_error(
    task: Suite, marker: str, told: str
) -> None:
    task.test(
        f"import pytest\n@pytest.mark.{marker}\ndef test_it(bench):\n    assert False\n"
    )
    result = task.run()
    result.assert_outcomes(errors=1)
    pattern = told.replace("[", "[[]")
    result.stdout.fnmatch_lines([f"*test_it: {pattern}"])


def test_what_may_be_erased_is_what_can_be() -> None:
    assert set(ERASABLE) == {erase.value for erase in Erase}


def test_a_board_that_is_not_flashed_is_not_taken_for_wiped(suite: Suite) -> None:
    suite.test(
        "import pytest\n"
        "@pytest.mark.erase('nvs')\n"
        "def test_wiped(real_board):\n    real_board('loop://')\n"
        "@pytest.mark.erase('none')\n"
        "def test_as_it_is(real_board):\n    real_board('loop://')\n"
    )
    result = suite.run()
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["*any-serial runs what is on it: it is not flashed*"])


@pytest.mark.parametrize("profile", ["paper", "robust"])
@pytest.mark.parametrize("workers", [(), ("-n1",)])
def test_a_profile_that_a_suite_has_not_is_told(
    task: Suite, profile: str, workers: tuple[str, ...]
) -> None:
    task.test(CHECK)
    result = task.run(f"--embedbench-profile={profile}", *workers)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(
        [f"*--embedbench-profile={profile}: none of the tests in * is for it; *: full*"]
    )
    assert "PASS " not in result.stdout.str()


def test_a_profile_that_a_suite_has_runs(task: Suite) -> None:
    task.test(CHECK.replace('"full"', '"full", "paper"'))
    task.run("--embedbench-profile=paper").assert_outcomes(passed=2)
