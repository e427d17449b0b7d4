"""Without Espressif's QEMU: one skip with the advice, or an error where required."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pytest_embedbench.engines.qemu import discovery

if TYPE_CHECKING:
    from tests.plugin.conftest import Suite

ESP32 = """\
engine = "qemu-esp32"
mcu = "esp32"
cpu_hz = 240_000_000
environments = ["lab"]
[uarts.uart0]
baud_bps = 115_200
"""
ADVICE = "*qemu-esp32 needs Espressif's qemu-system-xtensa*idf_tools.py install*"


@pytest.fixture(autouse=True)
def nothing_installed(suite: Suite, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ESPRESSIF_QEMU_PATH", "QEMU_BIN_PATH"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PATH", "")
    monkeypatch.setenv("IDF_TOOLS_PATH", str(suite.root))
    suite.board("esp", ESP32)
    suite.test("def test_it(board): pass\ndef test_that(board): pass\n")


def test_the_tests_skip_with_the_advice(suite: Suite) -> None:
    result = suite.run("-rs", board="esp")
    result.assert_outcomes(skipped=2)
    result.stdout.fnmatch_lines(
        ["embedbench engines: qemu-esp32: no QEMU found", f"SKIPPED {ADVICE}"]
    )


def test_where_it_is_required_it_is_an_error(suite: Suite) -> None:
    result = suite.run("--embedbench-require=qemu-esp32", board="esp")
    result.assert_outcomes(errors=2)
    result.stdout.fnmatch_lines([f"*required here*{ADVICE}"])


def test_a_chosen_program_that_is_none_is_a_fault_of_the_bench(suite: Suite) -> None:
    discovery.ask.cache_clear()
    result = suite.run("--embedbench-option=esp.qemu=/bin/true", board="esp")
    result.assert_outcomes(errors=2)
    result.stdout.fnmatch_lines(["*option qemu = '/bin/true': no qemu-system-xtensa*"])
    result.stdout.fnmatch_lines(["*embedbench: 2 x bench fault*"])
