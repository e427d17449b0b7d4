"""``python -O``: pytest keeps the asserts of tests, and nothing of ours needs any."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pytest

    from tests.plugin.conftest import Suite

TESTS = """
import pytest

from pytest_embedbench.testing import (
    LOOPBACK_SPEC, Loopback, check_engine, loopback_image, tank_firmware)

def test_there_are_no_asserts():
    assert not __debug__

def test_our_fake_keeps_its_promises():
    check_engine(Loopback(tank_firmware), LOOPBACK_SPEC, loopback_image())

def test_a_board_is_talked_to(bench):
    bench.wait_for_boot("DBG BOOTED")
    bench.send("SENSE LEVEL 20")
    assert bench.expect("ACT PUMP ON", within_ms=500).text == "ACT PUMP ON"

def test_a_wrong_firmware_is_told(bench):
    bench.run_for(100)
    assert "ACT VENT OPEN" in bench.uart.heard()
"""


def test_a_suite_tells_right_from_wrong_without_asserts(
    suite: Suite, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONOPTIMIZE", "1")
    suite.test(TESTS)
    result = suite.run("-n0")
    result.assert_outcomes(passed=3, failed=1)
    result.stdout.fnmatch_lines(["embedbench: 1 x firmware fault"])
