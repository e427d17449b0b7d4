"""Unity's cases in a test's conversation, and suites of builders that know of some."""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import pytest

if TYPE_CHECKING:
    from tests.plugin.conftest import Suite

FIRMWARE = """
def firmware(uart):
    yield 10
    uart.write(b"a.c:1:test_a:PASS\\na.c:2:ns::test_b:FAIL: Expected 1 Was 2\\n")
    uart.write(b"a.c:3:test_c:IGNORE: later\\n\\n-----\\n")
    uart.write(b"3 Tests 1 Failures 1 Ignored\\nFAIL\\n")
    while True:
        yield 1000
"""
TEST = """
def test_unity(bench):
    bench.dut.expect_unity_test_output(timeout=5)

def test_other(bench):
    bench.dut.expect("test_a")
"""


@pytest.mark.parametrize("words", [(), ("-n1",)], ids=["one-process", "a-worker"])
def test_cases_that_a_firmware_prints_are_cases_in_junit(
    words: tuple[str, ...], suite: Suite
) -> None:
    suite.firmware(FIRMWARE)
    suite.test(TEST)
    result = suite.run("--junitxml=out.xml", *words)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["*1 of 3 cases failed:*", "*Expected 1 Was 2*"])
    found = {
        (case.attrib["classname"], case.attrib["name"]): [
            child.tag for child in case if child.tag != "properties"
        ]
        for case in ET.parse(suite.root / "out.xml").iter("testcase")
    }
    assert found == {
        ("test_it", "test_unity[lab]"): ["failure"],
        ("test_it.test_unity", "test_a[lab]"): [],
        ("test_it.test_unity", "ns.test_b[lab]"): ["failure"],
        ("test_it.test_unity", "test_c[lab]"): ["skipped"],
        ("test_it", "test_other[lab]"): [],
    }


def test_a_builder_that_knows_of_no_unit_tests_has_none(suite: Suite) -> None:
    suite.firmware("def firmware(uart):\n    yield 10")
    suite.test("def test_it(board):\n    pass")
    (suite.root / "platformio.ini").touch()
    folder = suite.root / "test" / "test_x"
    folder.mkdir(parents=True)
    (folder / "x.c").write_text("int main(void) { RUN_TEST(test_x); }")
    suite.run().assert_outcomes(passed=1)


def test_a_project_without_an_environment_for_a_board_is_one_error(
    suite: Suite,
) -> None:
    suite.test("def test_it():\n    pass")
    (suite.root / "platformio.ini").write_text("[env:other]\nplatform = native\n")
    folder = suite.root / "test" / "test_x"
    folder.mkdir(parents=True)
    (folder / "x.c").write_text("int main(void) { RUN_TEST(test_x); }")
    result = suite.run("--embedbench-builder=platformio")
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["*no environment for board 'lab'*"])
