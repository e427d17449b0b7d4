"""Command line, ini and environment agree, in that order."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.plugin.conftest import Suite

SHOW = """
def test_show(pytestconfig):
    from pytest_embedbench.plugin.options import setting, settings
    print()
    print("BOARDS", *settings(pytestconfig, "board"))
    print("PLOTS", setting(pytestconfig, "plots"))
"""


def shown(suite: Suite, *args: str) -> list[str]:
    suite.test(SHOW)
    result = suite.run("-s", *args, board="")
    return [line for line in result.outlines if line.startswith(("BOARDS", "PLOTS"))]


def test_the_default_is_the_last_resort(suite: Suite) -> None:
    assert shown(suite) == ["BOARDS", "PLOTS always"]


def test_the_environment_beats_the_default(
    suite: Suite, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EMBEDBENCH_BOARD", "lab")
    monkeypatch.setenv("EMBEDBENCH_PLOTS", "never")
    assert shown(suite) == ["BOARDS lab", "PLOTS never"]


def test_the_ini_beats_the_environment(
    suite: Suite, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EMBEDBENCH_PLOTS", "never")
    suite.pytester.makeini(
        "[pytest]\nembedbench_plots = failed\nembedbench_board = lab"
    )
    assert shown(suite) == ["BOARDS lab", "PLOTS failed"]


def test_the_command_line_beats_the_ini(suite: Suite) -> None:
    suite.pytester.makeini("[pytest]\nembedbench_plots = failed")
    assert shown(suite, "--embedbench-plots=never") == ["BOARDS", "PLOTS never"]


def without_sandbox(suite: Suite, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have a bubblewrap that may not make namespaces, as in many containers."""
    bwrap = suite.pytester.mkdir("programs") / "bwrap"
    bwrap.write_text("#!/bin/sh\necho bwrap: No permissions >&2\nexit 1\n")
    bwrap.chmod(0o755)
    monkeypatch.setenv("PATH", str(bwrap.parent), prepend=os.pathsep)


def test_a_sandbox_that_is_required_is_missed_before_any_test(
    suite: Suite, monkeypatch: pytest.MonkeyPatch
) -> None:
    without_sandbox(suite, monkeypatch)
    suite.test(SHOW)
    result = suite.run("--embedbench-sandbox=require", board="")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    needs = "a bubblewrap that works (*), not found here: it takes"
    result.stderr.fnmatch_lines(
        [f"ERROR: --embedbench-sandbox=require: --embedbench-sandbox needs {needs} *"]
    )


def test_a_sandbox_that_is_not_required_is_not_missed(
    suite: Suite, monkeypatch: pytest.MonkeyPatch
) -> None:
    without_sandbox(suite, monkeypatch)
    assert shown(suite, "--embedbench-sandbox=auto") == ["BOARDS", "PLOTS always"]


def test_a_profile_that_is_none_is_told_where_no_test_has_one(suite: Suite) -> None:
    suite.pytester.makeini("[pytest]\nembedbench_profile = ful")
    suite.test(SHOW)
    result = suite.run(board="")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(
        ["ERROR: embedbench_profile: 'ful' is not one of: full, paper, *"]
    )


def test_a_wrong_choice_names_where_it_came_from_and_the_choices(suite: Suite) -> None:
    suite.pytester.makeini("[pytest]\nembedbench_plots = sometimes")
    suite.test(SHOW)
    result = suite.run(board="")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(
        ["ERROR: embedbench_plots: 'sometimes' is not one of: always, failed, never"]
    )


def test_help_shows_every_way_to_set_an_option(suite: Suite) -> None:
    result = suite.run("--help", board="")
    text = " ".join(" ".join(result.outlines).split())
    assert "ini: embedbench_plots; env: EMBEDBENCH_PLOTS; default: always" in text


def test_a_path_starts_where_it_is_written(suite: Suite) -> None:
    suite.pytester.makeini("[pytest]\nembedbench_artifacts = from_ini")
    suite.test("def test_it(bench):\n    bench.wait_for_boot()\n")
    suite.run()
    assert (suite.root / "from_ini").is_dir()


@pytest.mark.parametrize(
    ("when", "drawn"),
    [("always", {"good", "bad"}), ("failed", {"bad"}), ("never", set[str]())],
)
def test_plots_are_drawn_when_they_are_wanted(
    suite: Suite, when: str, drawn: set[str]
) -> None:
    suite.test(
        "def loop(bench, plant):\n"
        "    bench.connect(plant('tank_fill_drain'))\n"
        "    bench.run_for(500)\n"
        "def test_good(bench, plant):\n    loop(bench, plant)\n"
        "def test_bad(bench, plant):\n    loop(bench, plant)\n    assert False\n"
    )
    suite.run(f"--embedbench-plots={when}").assert_outcomes(passed=1, failed=1)
    (run,) = suite.runs()
    plots = {path.parent.name for path in run.rglob("plot.svg")}
    assert plots == {f"test_{name}[lab]" for name in drawn}


@pytest.mark.parametrize("option", ["unit-test-limit-s", "build-limit"])
def test_a_limit_of_nothing_is_refused(suite: Suite, option: str) -> None:
    suite.test("def test_it(bench): pass")
    result = suite.run(f"--embedbench-{option}=0")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"ERROR: --embedbench-{option}: 0 is less than 1"])


@pytest.mark.parametrize("seed", ["abc", "-1", "1.5", ""])
def test_a_seed_that_is_no_number_is_told_before_any_test_runs(
    suite: Suite, seed: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EMBEDBENCH_SEED", "7")
    suite.test("def test_nothing(): pass")
    result = suite.run(f"--embedbench-seed={seed}", board="")
    if not seed:  # as if nobody had said anything
        result.assert_outcomes(passed=1)
        return
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(
        [f"ERROR: --embedbench-seed: '{seed}' is not a whole number"]
    )
