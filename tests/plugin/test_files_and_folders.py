"""A file where a folder is wanted, and the reverse, or nothing: one sentence each."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.plugin.conftest import Suite

TEST = "def test_it(bench):\n    bench.wait_for_boot()\n"


@pytest.mark.parametrize("inside", ["", "/below"])
def test_a_file_is_no_core_directory(suite: Suite, inside: str) -> None:
    suite.test(TEST)
    (suite.root / "taken").touch()
    result = suite.run(f"--embedbench-core=taken{inside}")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(
        ["ERROR: --embedbench-core: *taken is a file, and no folder"]
    )


def test_a_file_is_no_submission(suite: Suite) -> None:
    suite.test(TEST)
    result = suite.run("--embedbench-firmware=firmware.py")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(
        ["*/firmware.py: is a file, and a submission is a folder"]
    )


@pytest.mark.parametrize(
    ("name", "why"), [("here", "it is a folder"), ("nowhere", "there is no such file")]
)
def test_a_lab_file_is_a_file(suite: Suite, name: str, why: str) -> None:
    suite.test(TEST)
    (suite.root / "here").mkdir()
    result = suite.run(f"--embedbench-lab={name}")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"ERROR: */{name}: not a readable TOML file: {why}"])
    result.stderr.no_fnmatch_line("*Errno*")


def test_scenarios_that_are_not_there_are_told_in_a_sentence(suite: Suite) -> None:
    suite.test("def test_it(scenario):\n    scenario('leak')\n")
    result = suite.run()
    result.stdout.fnmatch_lines(
        ["*/scenarios.toml: not a readable TOML file: there is no such file"]
    )
    result.stdout.no_fnmatch_line("*Errno*")
