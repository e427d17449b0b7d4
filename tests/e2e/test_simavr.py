"""AVR firmware on simavr: what it says, and exactly when."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from pytest_embedbench.support.uart_speeds import spoken_at
from tests.e2e.avr_firmware import MCUS, avr_image, board_spec, boot, simavr

if TYPE_CHECKING:
    from pytest_embedbench.engines.simavr import Simavr
    from tests.e2e.avr_firmware import Boot, Build, SimavrBoard

__all__ = ["avr_image", "boot", "simavr"]

BYTE_US = 85
"""Ten bits at 16 MHz / (8 * (16 + 1)), which is what 115200 Bd is on these boards."""


def converse(board: SimavrBoard, steps_ms: list[int]) -> list[tuple[int, bytes]]:
    """Send a line every 100 ms while time passes in steps; return stamped lines."""
    link = board.link()
    lines: list[tuple[int, bytes]] = []
    line = b""
    for step_ms in steps_ms:
        if board.now_us() % 100_000 == 0:
            link.send(b"SENSE LEVEL 20\n")
        board.advance(step_ms)
        for chunk in link.receive():
            line += chunk.data
            if line.endswith(b"\n"):
                lines.append((chunk.at_us, line))
                line = b""
    return lines


def heard(board: SimavrBoard, duration_ms: int) -> bytes:
    """Let time pass; return what was said."""
    board.advance(duration_ms)
    return b"".join(chunk.data for chunk in board.link().receive())


def test_the_version_says_whether_delays_are_leapt_over(simavr: Simavr) -> None:
    uno = board_spec("uno")
    assert simavr.version_for(uno) == f"{simavr.version()}, delay() leapt over"
    plain = replace(uno, options={**uno.options, "skip_delays": False})
    assert simavr.version_for(plain) == f"{simavr.version()}, delay() run through"


@pytest.mark.parametrize("name", MCUS)
def test_firmware_answers_a_line_on_every_board(boot: Boot, name: str) -> None:
    said = converse(boot("line", board=name), [100] * 3)
    assert [line for _, line in said] == [
        b"BOOT\n",
        b"ACT PUMP ON t 0\n",
        b"ACT PUMP ON t 10\n",
        b"ACT PUMP ON t 20\n",
    ]


@pytest.mark.parametrize(
    "steps_ms",
    [[1] * 2_000, [10] * 200, [50] * 40, [1, 2, 30, 60, 7] * 20, [99, 1] * 20],
    ids=["1", "10", "50", "odd", "99+1"],
)
def test_stamps_do_not_depend_on_how_time_is_cut(
    boot: Boot, steps_ms: list[int]
) -> None:
    # E9: and a sleeping core must not run past the end of a step.
    assert converse(boot("line"), steps_ms) == converse(boot("line"), [100] * 20)


def test_every_run_is_the_same_run(boot: Boot) -> None:
    runs = [tuple(converse(boot("line"), [100] * 20)) for _ in range(5)]
    assert len(set(runs)) == 1


def test_a_sleeping_core_takes_no_wall_clock_time(boot: Boot) -> None:
    board = boot("line")
    board.advance(1_000_000)  # in wall-clock time it would hit the test's timeout
    assert board.now_us() == 1_000_000_000


@pytest.mark.parametrize("way", ["SPEAK_POLLED", "SPEAK_BY_INTERRUPT"])
def test_a_byte_takes_ten_bits_at_the_firmwares_baud_rate(boot: Boot, way: str) -> None:
    board = boot("bytes", f"-DWAY={way}")
    board.advance(20)
    (chunk,) = board.link().receive()
    assert chunk.data == b"x" * 99 + b"\n"
    assert 100 * BYTE_US <= chunk.at_us <= 100 * BYTE_US + 10


def test_a_line_is_said_when_its_last_stop_bit_is_out(boot: Boot) -> None:
    board = boot("bytes", "-DWAY=SPEAK_POLLED")
    board.advance(8)  # 94 bytes and a bit
    (chunk,) = board.link().receive()
    assert len(chunk.data) == 8_000 // BYTE_US
    assert chunk.at_us <= board.now_us()


@pytest.mark.parametrize("name", ["uno", "mega"])
def test_a_burst_arrives_whole_at_a_firmware_that_reads(boot: Boot, name: str) -> None:
    # E11
    board = boot("bytes", "-DWAY=COUNT", board=name)
    board.advance(1)
    board.link().send(b"x" * 1023 + b"\n")
    assert heard(board, 100) == b"BYTES 1024\n"
    assert board.notes == ()


def test_input_comes_at_the_uarts_own_pace(boot: Boot) -> None:
    board = boot("bytes", "-DWAY=ECHO")
    board.advance(1)
    board.link().send(b"x" * 400)
    assert heard(board, 17) == b"x" * (17_000 // BYTE_US - 2)


def test_a_firmware_that_does_not_read_loses_bytes_as_on_the_chip(boot: Boot) -> None:
    board = boot("bytes", "-DWAY=DEAF")
    board.advance(1)
    board.link().send(b"0123456789")
    said = heard(board, 110)
    # Two bytes in the buffer; the shift register is overwritten until the last one.
    assert said == b"OVERRUN 1\n019\n"
    (note,) = board.notes
    assert "serial0 lost 7 bytes before 111.000 ms" in note
    board.link().send(b"fine again")
    assert heard(board, 10) == b"fine again"


def test_bytes_that_had_to_wait_are_read_without_a_pause(boot: Boot) -> None:
    board = boot("bytes", "-DWAY=BUSY")
    board.advance(1)
    board.link().send(b"x" * 299 + b"\n")
    assert heard(board, 40) == b"BYTES 300\n"
    assert board.notes == ()


def test_bytes_for_a_receiver_that_is_off_are_lost_and_noted(boot: Boot) -> None:
    board = boot("bytes", "-DWAY=LATE")
    board.link().send(b"too early")
    assert heard(board, 60) == b""
    assert "9 bytes" in board.notes[0]
    assert "receiver was off" in board.notes[0]


def test_bytes_come_back_as_they_were(boot: Boot) -> None:
    # U1, U2: all bytes, split anywhere
    board = boot("bytes", "-DWAY=ECHO")
    board.advance(1)
    board.link().send(bytes(range(256)))
    assert b"".join(heard(board, 1) for _ in range(30)) == bytes(range(256))


def test_the_reset_button_starts_the_firmware_again(boot: Boot) -> None:
    board = boot("faults", "-DFAULT=SPIN")
    assert heard(board, 10) == b"BOOT 1\n"  # power-on
    board.reset()
    assert heard(board, 10) == b"BOOT 2\n"  # external
    assert board.now_us() == 20_000


def test_a_closed_board_keeps_what_it_heard(boot: Boot) -> None:
    board = boot("faults", "-DFAULT=SPIN")
    board.advance(10)
    board.close()
    board.close()
    assert [chunk.data for chunk in board.link().receive()] == [b"BOOT 1\n"]


def test_a_mega_has_four_uarts(boot: Boot) -> None:
    board = boot("mega", board="mega")
    board.advance(1)
    links = [board.link(f"serial{number}") for number in range(4)]
    for link in links:
        link.send(b"AAA")
    board.advance(1)
    said = [b"".join(chunk.data for chunk in link.receive()) for link in links]
    assert said == [b"AAA", b"BBB", b"CCC", b"DDD"]


def test_the_other_end_speaks_as_fast_as_the_firmware(boot: Boot) -> None:
    board = boot("bytes", "-DWAY=ECHO", "-DDIVISOR=207")
    board.advance(1)
    board.link().send(b"slow")
    assert heard(board, 20) == b"slow"
    assert board.notes == ()


def test_a_baud_rate_that_the_other_end_would_not_understand_is_noted(
    avr_image: Build, simavr: Simavr
) -> None:
    image = avr_image("bytes", "-DWAY=ECHO", "-DDIVISOR=207")
    spec = spoken_at(board_spec("uno"), 115_200)
    with closing(simavr.boot(spec, image)) as board:
        board.advance(1)
        board.link().send(b"slow")
        assert heard(board, 20) == b"slow"
        (note,) = board.notes
    assert note.startswith(
        "serial0 runs at 9615 Bd, and the other end listens at 115200 Bd (the test "
    )
    with closing(simavr.boot(spoken_at(board_spec("uno"), 9600), image)) as board:
        board.advance(1)
        board.link().send(b"slow")
        assert heard(board, 20) == b"slow"
        assert board.notes == ()


def test_a_transmitter_that_was_never_switched_on_says_nothing(boot: Boot) -> None:
    board = boot("bytes", "-DWAY=MUTE")
    assert heard(board, 20) == b""
    board.reset()
    assert heard(board, 20) == b""


def test_a_usart_can_be_switched_off_and_on_again(boot: Boot) -> None:
    # Arduino's Serial.end() and begin(): simavr would wait for room for ever.
    said = heard(boot("again"), 30)
    assert b"empty 32\none\ntwo\n" in said


def test_a_timer_begins_at_zero_after_a_reset(boot: Boot) -> None:
    # simavr would have it count on from before.
    board = boot("again")
    first = heard(board, 33)
    board.reset()
    assert b"count 0\n" in first
    assert heard(board, 33) == first
