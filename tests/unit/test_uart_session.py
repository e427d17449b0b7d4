"""Send, expect, expect silence."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest

from pytest_embedbench.errors import (
    ConfigError,
    ExpectTimeout,
    FirmwareCrash,
    FirmwareFault,
    FirmwareFlood,
    FirmwareReset,
    ForbiddenOutput,
)
from pytest_embedbench.wire.patterns import exact

if TYPE_CHECKING:
    from collections.abc import Callable, Generator
    from pathlib import Path

    from pytest_embedbench.bench.bench import Bench
    from pytest_embedbench.testing import Firmware, LoopbackUart

    PutOnBench = Callable[[Firmware], Bench]


def saying(*lines: bytes, every_ms: int = 100) -> Firmware:
    """Return a firmware that says a line, then the next."""

    def firmware(uart: LoopbackUart) -> Generator[int, None, None]:
        for line in lines:
            yield every_ms
            uart.write(line)

    return firmware


def repeating(line: bytes, every_ms: int) -> Firmware:
    def firmware(uart: LoopbackUart) -> Generator[int, None, None]:
        while True:
            uart.write(line)
            yield every_ms

    return firmware


def typing(text: bytes, *, at_ms: int) -> Firmware:
    """Return a firmware that says a byte every millisecond, the first at ``at_ms``."""

    def firmware(uart: LoopbackUart) -> Generator[int, None, None]:
        yield at_ms
        for byte in text:
            uart.write(bytes([byte]))
            yield 1

    return firmware


def echoing(uart: LoopbackUart) -> Generator[int, None, None]:
    while True:
        yield 10
        if heard := uart.read():
            uart.write(b"heard " + heard)


def test_a_line_is_matched_with_its_time_and_groups(bench_with: PutOnBench) -> None:
    bench = bench_with(saying(b"noise\n", b"LEVEL 20 pct\n"))
    match = bench.expect(r"LEVEL (?P<level>\d+)", within_ms=500)
    assert (match["level"], match[1], match.text) == ("20", "20", "LEVEL 20 pct")
    assert match.at_us == 200_000


def test_a_pattern_in_bytes_sees_the_bytes(bench_with: PutOnBench) -> None:  # U2
    bench = bench_with(saying(b"\x80\xff junk\n", b"21 \xc2\xb0C\n"))
    assert bench.expect(rb"\xff junk", within_ms=200).line.payload == b"\x80\xff junk"
    bench.expect("21 °C", within_ms=200)


def test_the_end_of_a_line_is_its_end_whatever_ends_it(
    bench_with: PutOnBench,
) -> None:  # U5
    bench = bench_with(saying(b"one\r\n", b"two\r", b"three\n\r", b"four\n"))
    for word in ("one", "two", "three", "four"):
        bench.expect(rf"^{word}$", within_ms=100)


def test_lines_before_the_match_are_read_and_those_after_are_not(
    bench_with: PutOnBench,
) -> None:
    bench = bench_with(saying(b"a\nb\nc\n"))
    bench.expect("b", within_ms=100)
    bench.expect("c", within_ms=0)
    with pytest.raises(ExpectTimeout):
        bench.expect("a", within_ms=100)


def test_a_wait_in_vain_reads_nothing(bench_with: PutOnBench) -> None:
    bench = bench_with(saying(b"a\n"))
    with pytest.raises(ExpectTimeout):
        bench.expect("b", within_ms=200)
    bench.expect("a", within_ms=0)


def test_what_was_said_before_anyone_listened_is_there(
    bench_with: PutOnBench,
) -> None:  # U14
    bench = bench_with(saying(b"boot 1\n", b"boot 2\n"))
    bench.run_for(1000)
    assert bench.uart.heard() == ["boot 1", "boot 2"]
    bench.expect("boot 1", within_ms=0)


def test_of_several_patterns_the_first_line_wins(bench_with: PutOnBench) -> None:
    bench = bench_with(saying(b"FAIL\nPASS\n"))
    match = bench.expect(["PASS", b"FAIL", re.compile("F.*")], within_ms=100)
    assert (match.index, match.text) == (1, "FAIL")


def test_a_line_after_the_deadline_does_not_count(bench_with: PutOnBench) -> None:
    bench = bench_with(saying(b"late\n", every_ms=101))
    with pytest.raises(ExpectTimeout):
        bench.expect("late", within_ms=100)
    assert bench.uart.now_us == 100_000


def test_exact_is_the_whole_line(bench_with: PutOnBench) -> None:
    bench = bench_with(saying(b"ACT PUMP ON.\n", b"ACT PUMP ON\n"))
    assert bench.expect(exact("ACT PUMP ON"), within_ms=300).at_us == 200_000


def test_a_timeout_says_what_how_long_and_what_came_instead(
    bench_with: PutOnBench, tmp_path: Path
) -> None:  # U11, V5
    bench = bench_with(repeating(b"still here\n", 100))
    bench.run_for(500)
    with pytest.raises(ExpectTimeout) as caught:
        bench.expect("ACT PUMP", within_ms=250)
    message = str(caught.value)
    assert "did not say 'ACT PUMP' within 250 ms" in message
    assert "waited 250 ms of simulated time, up to 0.750000 s" in message
    assert "     0.700000 fw-> still here" in message
    assert str(tmp_path / "transcript.log") in message
    assert "still here" in (tmp_path / "transcript.log").read_text()


def test_a_forbidden_line_before_the_match_fails(bench_with: PutOnBench) -> None:
    bench = bench_with(saying(b"ERROR 7\n", b"DONE\n"))
    with pytest.raises(ForbiddenOutput, match="'ERROR 7'"):
        bench.expect("DONE", within_ms=500, forbid="ERROR")


def test_a_line_that_is_waited_for_and_forbidden_fails(bench_with: PutOnBench) -> None:
    bench = bench_with(saying(b"DONE, ERROR 7\n"))
    with pytest.raises(ForbiddenOutput, match="'DONE, ERROR 7'"):
        bench.expect("DONE", within_ms=500, forbid="ERROR")


def test_a_forbidden_line_after_the_match_is_not_yet_a_failure(
    bench_with: PutOnBench,
) -> None:
    bench = bench_with(saying(b"DONE\nERROR 7\n"))
    bench.uart.forbid("ERROR")
    bench.expect("DONE", within_ms=500)
    with pytest.raises(ForbiddenOutput, match=r"at 0\.100000 s: 'ERROR 7'"):
        bench.run_for(10)


def test_silence_is_broken_by_half_a_line(bench_with: PutOnBench) -> None:
    bench = bench_with(saying(b"he"))
    with pytest.raises(ForbiddenOutput, match="'he'"):
        bench.expect_silence(for_ms=150)


def test_half_a_line_from_before_does_not_break_the_silence(
    bench_with: PutOnBench,
) -> None:
    bench = bench_with(saying(b"he", b"llo"))
    bench.run_for(150)
    bench.expect_silence(for_ms=40)
    with pytest.raises(ForbiddenOutput, match="'hello'"):
        bench.expect_silence(for_ms=50)


def test_a_heartbeat_on_the_wire_as_the_silence_ends_is_one(
    bench_with: PutOnBench,
) -> None:
    bench = bench_with(typing(b"DBG HEARTBEAT\nNEXT\n", at_ms=95))
    bench.expect_silence(for_ms=100, ignoring="^DBG HEARTBEAT$")
    assert bench.uart.now_us == 108_000  # its last byte
    bench.expect("^NEXT$", within_ms=10)


@pytest.mark.parametrize(
    ("text", "told"),
    [(b"DBG HEARTBEATS\n", "'DBG HEARTBEATS'"), (b"DBG HEART", "'DBG HEART'")],
    ids=["another line", "half a line"],
)
def test_what_is_on_the_wire_as_the_silence_ends_is_judged_by_all_of_it(
    text: bytes, told: str, bench_with: PutOnBench
) -> None:
    bench = bench_with(typing(text, at_ms=95))
    with pytest.raises(ForbiddenOutput, match=f"after 100 ms it said {told}"):
        bench.expect_silence(for_ms=100, ignoring="^DBG HEARTBEAT$")


def test_a_line_on_the_wire_as_the_silence_begins_was_said_before(
    bench_with: PutOnBench,
) -> None:
    bench = bench_with(typing(b"ACT PUMP ON\nDBG\n", at_ms=95))
    bench.run_for(100)
    with pytest.raises(ForbiddenOutput, match="after 10 ms it said 'DBG'"):
        bench.expect_silence(for_ms=100)


def test_a_last_line_on_the_wire_as_the_silence_begins_does_not_break_it(
    bench_with: PutOnBench,
) -> None:
    bench = bench_with(typing(b"ACT PUMP ON\n", at_ms=95))
    bench.run_for(100)
    bench.expect_silence(for_ms=100)
    assert bench.uart.now_us == 200_000


def test_silence_may_have_a_heartbeat(bench_with: PutOnBench) -> None:
    bench = bench_with(repeating(b"DBG HEARTBEAT\n", 100))
    bench.expect_silence(for_ms=500, ignoring="HEARTBEAT")
    with pytest.raises(ForbiddenOutput, match="after 100 ms"):
        bench.expect_silence(for_ms=500)


def test_a_prompt_needs_no_line_end(bench_with: PutOnBench) -> None:  # V12
    bench = bench_with(saying(b"booted\nlogin: "))
    assert bench.uart.expect_prompt("login: $", within_ms=500) == "login: "
    with pytest.raises(ExpectTimeout):
        bench.expect("booted", within_ms=10)


def test_last_words_without_a_line_end_are_in_the_transcript(
    bench_with: PutOnBench, tmp_path: Path
) -> None:  # V12, U13
    bench = bench_with(saying(b"Guru Meditation Error: Core 1 pan"))
    bench.run_for(200)
    bench.close()
    assert "Core 1 pan" in (tmp_path / "transcript.log").read_text()


def test_what_is_sent_arrives_with_a_line_end(bench_with: PutOnBench) -> None:
    bench = bench_with(echoing)
    bench.send("SENSE LEVEL 20")
    bench.expect(exact("heard SENSE LEVEL 20"), within_ms=50)
    bench.uart.send_bytes(b"\x01\n")
    bench.expect("heard \x01", within_ms=50)


def test_a_firmware_that_says_nothing_did_not_boot(bench_with: PutOnBench) -> None:
    bench = bench_with(saying())
    with pytest.raises(FirmwareFault, match="said nothing within 2000 ms"):
        bench.wait_for_boot()


def test_a_firmware_that_says_a_byte_is_not_silent(bench_with: PutOnBench) -> None:
    bench = bench_with(saying(b">"))
    with pytest.raises(ExpectTimeout, match="ended no line"):
        bench.wait_for_boot(within_ms=500)


def test_a_firmware_that_says_something_else_did_not_boot_either(
    bench_with: PutOnBench,
) -> None:
    bench = bench_with(saying(b"rst:0x10\n"))
    with pytest.raises(ExpectTimeout, match="rst:0x10"):
        bench.wait_for_boot("DBG BOOTED")


def test_a_second_boot_line_is_a_reset(bench_with: PutOnBench) -> None:  # X8
    bench = bench_with(repeating(b"DBG BOOTED\n", 300))
    bench.wait_for_boot("DBG BOOTED")
    with pytest.raises(FirmwareReset, match=r"at 0\.300000 s: 'DBG BOOTED'"):
        bench.run_for(5000)
    assert bench.uart.now_us < 500_000


def test_what_is_said_after_a_crash_is_not_waited_for(bench_with: PutOnBench) -> None:
    bench = bench_with(saying(b"panic\nDONE\n"))
    bench.uart.treat_as_crash("^panic")
    with pytest.raises(FirmwareCrash, match="reported its own crash"):
        bench.expect("DONE", within_ms=500)


@pytest.mark.parametrize("within_ms", [1, 9, 10, 11, 25])
def test_a_wait_in_vain_takes_as_long_as_it_may(
    within_ms: int, bench_with: PutOnBench
) -> None:
    bench = bench_with(saying())
    with pytest.raises(ExpectTimeout, match=f"waited {within_ms} ms of simulated time"):
        bench.expect("DONE", within_ms=within_ms)
    assert bench.uart.now_us == within_ms * 1000


def test_a_wait_in_vain_ends_where_time_is_no_whole_number_of_ms(
    bench_with: PutOnBench,
) -> None:
    bench = bench_with(saying())
    bench.board.uart.now_us = 400  # type: ignore[attr-defined]
    bench.uart.poll(3_000)
    assert bench.uart.now_us == 3_400


def test_a_reset_of_ours_may_report_its_boot(bench_with: PutOnBench) -> None:  # U15
    bench = bench_with(saying(b"DBG BOOTED\n", b"old\n"))
    bench.wait_for_boot("DBG BOOTED")
    bench.run_for(200)
    bench.reset()
    bench.run_for(150)
    assert bench.expect(".*", within_ms=100).text == "DBG BOOTED"


def test_a_crash_is_raised_after_what_was_said_before_it(
    bench_with: PutOnBench,
) -> None:
    def crashing(uart: LoopbackUart) -> Generator[int, None, None]:
        yield 3
        uart.write(b"last line\nlast wor")
        yield 3
        raise FirmwareCrash("segmentation fault at 0x0")

    bench = bench_with(crashing)
    bench.expect("last line", within_ms=100)
    with pytest.raises(FirmwareCrash, match="segmentation fault") as caught:
        bench.expect("never", within_ms=100)
    assert "last wor" in caught.value.__notes__[0]
    with pytest.raises(FirmwareCrash):
        bench.run_for(10)


def test_a_line_may_be_declared_a_crash(bench_with: PutOnBench) -> None:  # X8
    bench = bench_with(saying(b"Guru Meditation Error\n"))
    bench.uart.treat_as_crash("^Guru Meditation")
    with pytest.raises(FirmwareCrash, match="reported its own crash"):
        bench.expect("DONE", within_ms=60_000)
    assert bench.uart.now_us == 100_000


def test_a_flood_is_named(bench_with: PutOnBench) -> None:
    bench = bench_with(repeating(b"x" * 119 + b"\n", 10))
    with pytest.raises(FirmwareFlood, match=r"never stops talking: .* 115200 baud"):
        bench.run_for(5000)


def test_a_wait_in_vain_in_a_flood_is_a_flood(bench_with: PutOnBench) -> None:
    bench = bench_with(repeating(b"x" * 119 + b"\n", 10))
    with pytest.raises(FirmwareFlood, match="did not say 'READY'"):
        bench.expect("READY", within_ms=1500)


def test_a_long_log_at_full_speed_is_no_flood(bench_with: PutOnBench) -> None:
    bench = bench_with(saying(*[b"x" * 119 + b"\n"] * 300, b"END\n", every_ms=10))
    bench.expect("END", within_ms=5000)


def test_a_catastrophic_pattern_is_cut_off(bench_with: PutOnBench) -> None:  # U9
    bench = bench_with(saying(b"a" * 60 + b"b\n"))
    with pytest.raises(ConfigError, match=r"'\(a\+\)\+\$' .* backtracks"):
        bench.expect(r"(a+)+$", within_ms=1000)


def test_a_greedy_pattern_stays_in_its_line(bench_with: PutOnBench) -> None:  # V7
    log = b"level=1 x\n" * 25_000
    bench = bench_with(saying(log + b"END-OF-TEST\n"))
    match = bench.expect(r"level=(\d+) .*ALARM=1|END-OF-TEST", within_ms=200)
    assert match.text == "END-OF-TEST"


def test_a_pattern_that_is_none_is_refused(bench_with: PutOnBench) -> None:
    bench = bench_with(saying())
    with pytest.raises(ConfigError, match=r"use exact\(\)"):
        bench.expect("ACT (", within_ms=100)
    with pytest.raises(ConfigError, match="empty"):
        bench.expect([], within_ms=100)


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        (lambda b: b.expect(5, within_ms=1), "5 is no pattern: give text"),
        (lambda b: b.expect(["a", 5], within_ms=1), "5 is no pattern: give text"),
        (lambda b: b.expect("a", within_ms=1.5), r"within_ms = 1\.5: must be a whole"),
        (lambda b: b.expect_silence(for_ms=-1), "for_ms = -1: must be a whole"),
        (
            lambda b: b.uart.expect_prompt("a", within_ms="1"),
            "within_ms = '1': must be",
        ),
        (lambda b: b.run_for(0.5), r"duration_ms = 0\.5: must be a whole number"),
        (lambda b: b.send(5), r"a line must be text or bytes, is 5 \(int\)"),
        (lambda b: b.uart.send_bytes([1]), r"data must be text or bytes, is \[1\]"),
        (lambda b: b.board.drive_pin("D2", 1), "pin D2 can be Level.LOW, .*, not 1"),
    ],
)
def test_what_cannot_be_is_refused_by_name(
    bench_with: PutOnBench, ask: Callable[[Any], None], said: str
) -> None:
    bench = bench_with(repeating(b"hello\n", every_ms=10))
    with pytest.raises(ConfigError, match=said):
        ask(bench)
    bench.expect("hello", within_ms=20)


def test_a_prompt_is_no_boot_line_and_is_told_from_silence(
    bench_with: PutOnBench,
) -> None:
    bench = bench_with(saying(b"login: "))
    with pytest.raises(ExpectTimeout, match=r"ended no line .*expect_prompt\(\)") as no:
        bench.wait_for_boot(within_ms=500)
    assert "unfinished line: b'login: '" in str(no.value)


def test_the_transcript_can_be_read_while_it_grows(
    bench_with: PutOnBench, tmp_path: Path
) -> None:  # X4
    bench = bench_with(saying(b"early\n", every_ms=5))
    bench.run_for(10)
    assert "early" in (tmp_path / "transcript.log").read_text()


def test_a_dead_firmware_starts_anew_once_the_test_knows(
    bench_with: PutOnBench,
) -> None:
    def crashing(uart: LoopbackUart) -> Generator[int, None, None]:
        uart.write(b"booted\n")
        yield 50
        raise FirmwareCrash("segmentation fault")

    bench = bench_with(crashing)
    bench.expect("booted", within_ms=60)
    bench.run_for(10)
    with pytest.raises(FirmwareCrash):
        bench.run_for(60)
    bench.reset()
    bench.expect("booted", within_ms=10)


def test_a_reset_hides_no_fault(bench_with: PutOnBench) -> None:
    bench = bench_with(saying(b"DONE\nERROR\n"))
    bench.uart.forbid("ERROR")
    bench.expect("DONE", within_ms=200)
    with pytest.raises(ForbiddenOutput):
        bench.reset()


@pytest.mark.parametrize("since", [-1, 99, "READY", True])
def test_a_place_that_is_none_is_refused(
    since: Any,  # noqa: ANN401  # whatever a test may give
    bench_with: PutOnBench,
) -> None:
    bench = bench_with(saying(b"one\n"))
    bench.run_for(200)
    assert bench.uart.heard(bench.uart.mark()) == []
    with pytest.raises(ConfigError, match=r"heard\(.*\): give a place .* that is 1"):
        bench.uart.heard(since)


def test_a_line_end_may_be_text_too(bench_with: PutOnBench) -> None:
    bench = bench_with(echoing)
    line_end: Any = "\r\n"
    bench.uart.line_end = line_end
    bench.send("hello")
    bench.expect(exact("heard hello"), within_ms=100)
    bench.uart.line_end = None  # type: ignore[assignment]
    with pytest.raises(ConfigError, match="line_end must be text or bytes, is None"):
        bench.send("hello")


def test_nobody_waits_for_years(bench_with: PutOnBench) -> None:
    def silent(_uart: LoopbackUart) -> Generator[int, None, None]:
        while True:
            yield 1000

    bench = bench_with(silent)
    with pytest.raises(
        ConfigError, match=r"duration_ms = 10{15}: must be 31622400000 milliseconds"
    ):
        bench.run_for(10**15)
