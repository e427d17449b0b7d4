"""Whose fault a failure is, and the evidence."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tests.plugin.conftest import Suite

HELLO = "def test_it(bench):\n    bench.wait_for_boot()\n"


def record(suite: Suite) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads(suite.only("test.json").read_text())
    return loaded


def test_a_silent_firmware_is_to_blame(suite: Suite) -> None:
    suite.firmware("def firmware(uart):\n    yield 1\n")
    suite.test(HELLO)
    result = suite.run()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["E *said nothing*", "embedbench: 1 x firmware fault"])
    assert record(suite)["blame"] == "firmware"


def test_a_full_disk_is_the_benchs_trouble_with_what_to_do(suite: Suite) -> None:
    suite.firmware(
        "def firmware(uart):\n    uart.write('DBG BOOTED\\n')\n    yield 1\n"
    )
    suite.test(
        "import errno, os\n"
        "def test_it(bench):\n"
        "    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), 'transcript.log')\n"
    )
    suite.run().assert_outcomes(failed=1)
    assert record(suite)["blame"] == "bench"
    assert "make room on its disk" in record(suite)["reason"]


def test_a_build_that_fails_is_the_submissions_own_outcome(suite: Suite) -> None:
    suite.firmware("syntax error")
    suite.test(HELLO + HELLO.replace("test_it", "test_two"))
    result = suite.run()
    result.assert_outcomes(errors=2)
    result.stdout.fnmatch_lines(
        ["*firmware.c:1:1: error: expected ;", "embedbench: 2 x the submission *build"]
    )
    assert (suite.root / "cache" / "builds.log").read_text() == "built\n", (
        "built once, blamed twice"
    )


def test_an_assertion_about_a_running_firmware_blames_the_firmware(
    suite: Suite,
) -> None:
    suite.test(HELLO + "    assert bench.uart.heard() == ['x']\n")
    suite.run().stdout.fnmatch_lines(
        [
            "*UART (firmware fault)*",
            "*fw-> DBG BOOTED*",
            "embedbench: 1 x firmware fault",
        ]
    )


def test_a_mistake_in_the_test_blames_the_test(suite: Suite) -> None:
    suite.test(HELLO + "    bench.no_such_thing()\n")
    suite.run().stdout.fnmatch_lines(["embedbench: 1 x test error"])
    assert record(suite)["blame"] == "test"


def test_a_failure_shows_the_line_of_the_test_and_nothing_from_inside(
    suite: Suite,
) -> None:
    suite.test(HELLO + "    bench.expect('NEVER', within_ms=100)\n")
    text = suite.run().stdout.str()
    assert "> " in text
    assert "bench.expect('NEVER', within_ms=100)" in text
    assert "conversation.py" not in text


def test_device_output_survives_the_junit_xml(suite: Suite) -> None:
    # U6: NUL, ESC and VT are not XML characters.
    suite.firmware(
        "def firmware(uart):\n"
        "    uart.write(b'\\x00\\x1b[31mred\\x0b\\n')\n    yield 1\n"
    )
    suite.test(HELLO + "    bench.expect('NEVER', within_ms=10)\n")
    suite.run("--junitxml=out.xml")
    text = "".join(ET.parse(suite.root / "out.xml").getroot().itertext())
    assert r"\x1b[31mred" in text


def test_blame_is_a_property_in_the_junit_xml(suite: Suite) -> None:
    suite.firmware("def firmware(uart):\n    yield 1\n")
    suite.test(HELLO)
    suite.run("--junitxml=out.xml")
    found = ET.parse(suite.root / "out.xml").getroot().iter("property")
    assert {"name": "embedbench_blame", "value": "firmware"} in [
        p.attrib for p in found
    ]


def test_output_that_no_test_read_is_in_the_transcript(suite: Suite) -> None:
    # U13, U14: nothing is dropped, nothing is cleared.
    suite.test(HELLO + "    bench.run_for(1_500)\n")
    suite.run()
    assert "DBG HEARTBEAT" in suite.only("transcript.log").read_text()


def test_a_rerun_reads_its_own_output_only(suite: Suite) -> None:
    # U16, V1: the second attempt is silent; the first one's log must not save it.
    suite.firmware(
        "import pathlib\n"
        "def firmware(uart):\n"
        "    seen = pathlib.Path('seen')\n"
        "    if not seen.exists():\n"
        "        seen.touch()\n"
        "        uart.write(b'HALF\\n')\n"
        "    yield 1\n"
    )
    suite.test(
        "def test_it(bench):\n"
        "    bench.expect('HALF', within_ms=100)\n"
        "    bench.expect('READY', within_ms=100)\n"
    )
    outcomes = suite.run("--reruns=1").parseoutcomes()
    assert outcomes == {"failed": 1, "rerun": 1}
    logs = [p.read_text() for run in suite.runs() for p in run.rglob("transcript.log")]
    assert sorted("HALF" in log for log in logs) == [False, True]


def test_attempts_are_counted_in_the_record(suite: Suite) -> None:
    # X10: a test that passed at the second attempt says so.
    suite.test(
        "import pathlib\n" + HELLO + "    seen = pathlib.Path('seen')\n"
        "    first = not seen.exists()\n    seen.touch()\n    assert not first\n"
    )
    outcomes = suite.run("--reruns=1").parseoutcomes()
    assert outcomes == {"passed": 1, "rerun": 1}
    records = [
        json.loads(path.read_text())
        for run in suite.runs()
        for path in run.rglob("test.json")
    ]
    assert sorted((r["attempt"], r["outcome"]) for r in records) == [
        (1, "failed"),
        (2, "passed"),
    ]


def test_the_same_name_in_two_modules_has_two_folders(suite: Suite) -> None:
    # U16, V2
    suite.test(HELLO, "test_a.py")
    suite.test(HELLO, "test_b.py")
    suite.run().assert_outcomes(passed=2)
    (run,) = suite.runs()
    assert len(list(run.rglob("transcript.log"))) == 2


@pytest.mark.parametrize("wide", ["a/b", "..", "x" * 300, "ü ü"])
def test_any_parameter_id_makes_a_folder(suite: Suite, wide: str) -> None:
    suite.test(
        f"import pytest\n@pytest.mark.parametrize('p', [{wide!r}], ids=[{wide!r}])\n"
        "def test_it(bench, p):\n    bench.wait_for_boot()\n"
    )
    suite.run().assert_outcomes(passed=1)
    assert suite.only("transcript.log").is_relative_to(suite.root / ".embedbench")
