"""AVR firmware on simavr: what it says, and exactly when."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.e2e.avr_firmware import avr_image, boot

if TYPE_CHECKING:
    from tests.e2e.avr_firmware import Boot, SimavrBoard

__all__ = ["avr_image", "boot"]


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


@pytest.mark.parametrize("name", ["uno", "nano", "mega"])
def test_firmware_answers_a_line_on_every_board(boot: Boot, name: str) -> None:
    said = converse(boot("line", board=name), [100] * 3)
    assert [line for _, line in said] == [
        b"BOOT\n",
        b"ACT PUMP ON t=0\n",
        b"ACT PUMP ON t=10\n",
        b"ACT PUMP ON t=20\n",
    ]


@pytest.mark.parametrize("step_ms", [1, 10, 50])
def test_stamps_do_not_depend_on_how_time_is_cut(boot: Boot, step_ms: int) -> None:
    # E9
    whole = converse(boot("line"), [100] * 20)
    assert converse(boot("line"), [step_ms] * (2_000 // step_ms)) == whole


def test_a_byte_takes_as_long_as_the_baud_rate_says(boot: Boot) -> None:
    board = boot("line")
    board.advance(10)
    (chunk,) = board.link().receive()
    # 16 MHz / (8 * (16 + 1)) is 117647 Bd: 85 us per byte of ten bits.
    assert chunk.data == b"BOOT\n"
    assert 5 * 85 <= chunk.at_us <= 5 * 85 + 50
