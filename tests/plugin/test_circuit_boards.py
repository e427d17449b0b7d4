"""Suites with circuits on boards that stand in none, and with files that are none."""

from __future__ import annotations

import pytest

from tests.plugin.conftest import WITHOUT
from tests.support.diagrams import UNO, diagram_text

SUITE = "def test_it(circuit, bench): ..."
INI = "[env:uno]\nplatform = atmelavr\nboard = uno\nframework = arduino\n"


@pytest.fixture
def suite(pytester: pytest.Pytester) -> pytest.Pytester:
    """A suite with a circuit, for an Uno alone."""
    pytester.makeini("[pytest]\n")
    pytester.makefile(".ini", platformio=INI)
    pytester.path.joinpath("diagram.json").write_text(diagram_text(UNO))
    pytester.path.joinpath("test_it.py").write_text(SUITE)
    return pytester


@pytest.mark.parametrize("board", ["native", "qemu-esp32", "nano-168"])
def test_a_board_that_stands_in_no_circuit_needs_no_environment(
    suite: pytest.Pytester, board: str
) -> None:
    result = suite.runpytest_inprocess(*WITHOUT, "-rs", f"--board={board}")
    result.assert_outcomes(skipped=1)
    result.stdout.fnmatch_lines([f"SKIPPED * {board} lacks circuit"])
