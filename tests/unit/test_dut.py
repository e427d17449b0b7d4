"""What people from pexpect and pytest-embedded expect of ``expect``."""

from __future__ import annotations

import pickle
import re
import subprocess
import sys
from typing import TYPE_CHECKING

import pexpect
import pytest

from pytest_embedbench.bench.dut import DutTimeout
from pytest_embedbench.errors import (
    ConfigError,
    ExpectTimeout,
    FirmwareCrash,
    ForbiddenOutput,
    UnitTestsFailed,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from pytest_embedbench.bench.bench import Bench
    from pytest_embedbench.testing import Firmware, LoopbackUart

    PutOnBench = Callable[[Firmware], Bench]


def saying(*pieces: bytes, every_ms: int = 100) -> Firmware:
    def firmware(uart: LoopbackUart) -> Generator[int, None, None]:
        for piece in pieces:
            yield every_ms
            uart.write(piece)

    return firmware


@pytest.mark.parametrize(
    "pattern", [r"level=(\d+)", rb"level=(\d+)", re.compile(r"level=(\d+)")]
)
def test_one_pattern_returns_its_match_in_bytes(
    pattern: str | bytes | re.Pattern[str], bench_with: PutOnBench
) -> None:
    dut = bench_with(saying(b"boot\r\nlevel=20 ok\r\n")).dut
    assert dut.expect(pattern, timeout=1).group(1) == b"20"
    assert (dut.before, dut.after) == (b"boot\r\n", b"level=20")


def test_a_list_returns_the_index_of_what_comes_first(bench_with: PutOnBench) -> None:
    dut = bench_with(saying(b"FOO BAR\n")).dut
    assert dut.expect(["BAR", "FOO", pexpect.TIMEOUT], timeout=1) == 1
    assert dut.expect(["BAR", "FOO", pexpect.TIMEOUT], timeout=1) == 0
    assert dut.expect(["BAR", "FOO", pexpect.TIMEOUT], timeout=1) == 2


def test_exact_text_needs_no_escapes(bench_with: PutOnBench) -> None:
    dut = bench_with(saying(b"a (b) [c]\n")).dut
    assert dut.expect_exact("(b) [").group() == b"(b) ["
    assert dut.expect_exact([b"c", pexpect.EOF]) == 0


def test_a_line_end_in_a_pattern_is_any_line_end(bench_with: PutOnBench) -> None:
    dut = bench_with(saying(b"one\ntwo\r\nthree\n")).dut
    dut.expect("one\r\n")
    dut.expect(r"two\n")
    assert dut.before == b""
    assert dut.expect("(.*)\r\n").group(1) == b"three"


def test_a_prompt_is_matched_and_what_follows_it_too(bench_with: PutOnBench) -> None:
    dut = bench_with(saying(b"> ", b"done\n")).dut
    dut.expect("> ", timeout=1)
    dut.sendline("go")
    assert dut.expect(".+").group() == b"done"


def test_half_a_number_is_not_taken_for_a_whole_one(bench_with: PutOnBench) -> None:
    dut = bench_with(saying(b"v=1", b"2", b"3\n", every_ms=10)).dut
    assert dut.expect(r"v=(\d+)").group(1) == b"123"


def test_a_timeout_is_both_kinds_and_says_what_was_read(
    bench_with: PutOnBench,
) -> None:  # V5, U11
    dut = bench_with(saying(b"boot ok\n", b"some log\n")).dut
    with pytest.raises(pexpect.TIMEOUT, match="some log") as caught:
        dut.expect_exact("NEVER", timeout=0.5)
    assert isinstance(caught.value, ExpectTimeout)
    assert "b'NEVER' within 0.5 s" in str(caught.value)
    assert dut.before == b"boot ok\r\nsome log\r\n"
    dut.expect("boot")


def test_waiting_for_the_timeout_returns_what_was_read(bench_with: PutOnBench) -> None:
    dut = bench_with(saying(b"a\n", b"b")).dut
    assert dut.expect(pexpect.TIMEOUT, timeout=0.5) == b"a\r\nb"


def test_the_default_timeout_is_simulated(bench_with: PutOnBench) -> None:
    bench = bench_with(saying())
    bench.dut.timeout_s = 20.0
    assert bench.dut.expect(["x", pexpect.TIMEOUT]) == 1
    assert bench.uart.now_us == 20_000_000


def test_a_dead_firmware_is_the_end_of_file(bench_with: PutOnBench) -> None:
    def crashing(uart: LoopbackUart) -> Generator[int, None, None]:
        uart.write(b"last words")
        yield 10
        raise FirmwareCrash("segmentation fault")

    dut = bench_with(crashing).dut
    assert dut.expect(["never", pexpect.EOF]) == 1
    assert dut.before == b"last words\r\n"
    with pytest.raises(FirmwareCrash):
        dut.expect("never")


def test_text_is_written_with_a_newline_and_bytes_without(
    bench_with: PutOnBench,
) -> None:
    def echoing(uart: LoopbackUart) -> Generator[int, None, None]:
        while True:
            yield 10
            uart.write(uart.read())

    dut = bench_with(echoing).dut
    dut.write(b"by")
    dut.write("tes")
    assert dut.expect("(.*)\n").group(1) == b"bytes"


def test_a_catastrophic_pattern_is_cut_off_here_too(bench_with: PutOnBench) -> None:
    dut = bench_with(saying(b"a" * 60 + b"b\n")).dut  # U9
    with pytest.raises(ConfigError, match="backtracks"):
        dut.expect(r"(a+)+$", timeout=1)


def test_a_timeout_crosses_a_process_border() -> None:
    error = pickle.loads(pickle.dumps(DutTimeout("no answer")))
    assert (type(error), str(error)) == (DutTimeout, "no answer")


def test_pexpect_is_not_imported_before_it_is_asked_for() -> None:  # E17
    code = (
        "import sys, pytest_embedbench.bench.bench; assert 'pexpect' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


@pytest.mark.parametrize("timeout", ["a", None, True, float("nan"), float("inf"), 1e9])
def test_a_timeout_that_is_no_time_is_refused(
    timeout: float, bench_with: PutOnBench
) -> None:
    dut = bench_with(saying(b"x\n")).dut
    with pytest.raises(
        ConfigError, match=r"^timeout = .*: must be a number of seconds"
    ):
        dut.expect("x", timeout=timeout)


def test_all_of_a_list_in_any_order(bench_with: PutOnBench) -> None:
    dut = bench_with(saying(b"b=2\n", b"a=1\n", b"b=3\n")).dut
    found = dut.expect([r"a=(\d)", r"b=(\d)"], timeout=1, expect_all=True)
    assert [match.group(1) for match in found] == [b"2", b"1"]
    assert dut.expect(r"b=(\d)", timeout=1, expect_all=True).group(1) == b"3"
    with pytest.raises(DutTimeout):
        dut.expect(["a", "b"], timeout=0.1, expect_all=True)


@pytest.mark.parametrize(
    "unwanted", ["err(or)?", b"err", re.compile("ERR", re.IGNORECASE), ["x", "err"]]
)
def test_what_must_not_come_before_a_match(
    unwanted: str | bytes | re.Pattern[str] | list[str], bench_with: PutOnBench
) -> None:
    dut = bench_with(saying(b"an error\nready\nready\n")).dut
    with pytest.raises(ForbiddenOutput, match="which must not come before b'ready'"):
        dut.expect("ready", timeout=1, not_matching=unwanted)
    dut.expect("ready", timeout=1, not_matching=unwanted)


def test_what_came_before_a_match(bench_with: PutOnBench) -> None:
    dut = bench_with(saying(b"one\ntwo three\n")).dut
    before = dut.expect_exact("three", timeout=1, return_what_before_match=True)
    assert before == b"one\r\ntwo "
    with pytest.raises(ConfigError, match="give one"):
        dut.expect("x", expect_all=True, return_what_before_match=True)


UNITY = b"""\
menu
a.c:1:test_a:PASS
\x1b[31ma.c:2:test_b:FAIL: Expected 1 Was 2\x1b[0m
a.c:3:test_c:IGNORE

-----------------------
3 Tests 1 Failures 1 Ignored
FAIL
"""


def test_unity_by_itself_is_read_up_to_its_summary(bench_with: PutOnBench) -> None:
    dut = bench_with(
        saying(UNITY, b"x.c:1:again:PASS\n1 Tests 0 Failures 0 Ignored\n")
    ).dut
    with pytest.raises(UnitTestsFailed, match=r"1 of 3 cases failed:\n  a.c:2: test_b"):
        dut.expect_unity_test_output(timeout=5)
    cases = dut.testsuite.testcases
    assert [(case.name, case.result) for case in cases] == [
        ("test_a", "PASS"),
        ("test_b", "FAIL"),
        ("test_c", "IGNORE"),
    ]
    assert cases[1].attrs == {"file": "a.c", "line": "2", "message": "Expected 1 Was 2"}
    dut.expect_unity_test_output(timeout=5)
    assert [case.name for case in dut.testsuite.failed_cases] == ["test_b"]
    assert dut.testsuite.testcases[-1].name == "again"
    with pytest.raises(DutTimeout):
        dut.expect_unity_test_output(timeout=0.1)


def test_unity_cases_that_were_not_heard_have_failed(bench_with: PutOnBench) -> None:
    dut = bench_with(saying(UNITY)).dut
    dut.expect("test_b")
    with pytest.raises(UnitTestsFailed, match="2 more that ran were not heard of"):
        dut.expect_unity_test_output(timeout=5)


def test_unity_output_that_was_read_before_can_be_given(bench_with: PutOnBench) -> None:
    dut = bench_with(saying(UNITY)).dut
    read = dut.expect(r"a\.c:2:test_b:FAIL: ").group()
    read = dut.before + read
    with pytest.raises(UnitTestsFailed, match="1 of 3 cases failed"):
        dut.expect_unity_test_output(timeout=5, extra_before=read)


def test_a_summary_without_cases_is_no_result(bench_with: PutOnBench) -> None:
    dut = bench_with(saying(b"0 Tests 0 Failures 0 Ignored\n")).dut
    with pytest.raises(ConfigError, match="extra_before"):
        dut.expect_unity_test_output(timeout=5)
