"""A simulated AVR goes through a talk by itself, as if somebody led it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pytest_embedbench.contracts import RunsScripts, ScriptStep
from pytest_embedbench.errors import BoardLost
from tests.e2e.avr_firmware import avr_image, boot, simavr

if TYPE_CHECKING:
    from pytest_embedbench.contracts import Board
    from tests.e2e.avr_firmware import Boot

__all__ = ["avr_image", "boot", "simavr"]

LINE, OK = b"line\n", b"ok\n"
_ENDS = ("IS_DEAF", "CRASHES", "RESTARTS")


def step(data: bytes = LINE, *answers: bytes, resets: bool = False) -> ScriptStep:
    return ScriptStep(data, answers or (OK,), 1, 4, 200, resets)


def led(board: Board, steps: list[ScriptStep]) -> tuple[list[bytes], int]:
    """Return what a board answers to who does what steps say, and the time after."""
    heard: list[bytes] = []
    for each in steps:
        board.link().send(each.data)
        wait_ms, next_ms, said = each.first_ms, 1, b""
        while len(said) < len(each.answers[0]):
            board.advance(wait_ms)
            said += b"".join(chunk.data for chunk in board.link().receive())
            wait_ms, next_ms = next_ms, min(2 * next_ms, each.longest_ms)
        heard.append(said)
    return heard, board.now_us()


def test_it_is_as_if_somebody_led_it(boot: Boot) -> None:
    steps = [step() for _ in range(12)]
    heard, until_us = led(boot("answers", "-DWHAT=NOTHING"), steps)
    assert heard == [OK] * 12
    board = boot("answers", "-DWHAT=NOTHING")
    assert isinstance(board, RunsScripts)
    board.begin_script(steps)
    assert board.end_script() == {0}
    assert board.now_us() == until_us
    assert led(board, [step()])[0] == [OK]


@pytest.mark.parametrize(
    "what",
    ["SAYS_MORE", "SAYS_HALF", "ENDS_OTHERWISE", "TALKS_ON", *_ENDS],
)
def test_who_answers_otherwise_is_found_out(boot: Boot, what: str) -> None:
    board = boot("answers", f"-DWHAT={what}")
    board.begin_script([step() for _ in range(4)])
    board.begin_script([step() for _ in range(8)])
    assert board.end_script() == {0}
    assert board.end_script() == set()


def test_of_several_ways_those_are_told_whose_answers_all_came(boot: Boot) -> None:
    board = boot("answers", "-DWHAT=NOTHING")
    board.begin_script([step(LINE, b"no\n", OK, OK), step(LINE, OK, OK, b"no\n")])
    assert board.end_script() == {1}


def test_a_byte_that_is_lost_goes_no_way(boot: Boot) -> None:
    board = boot("answers", "-DWHAT=IS_DEAF")
    board.begin_script([*[step() for _ in range(4)], step(b"1\n2345678\n", OK * 2)])
    assert board.end_script() == set()


def test_a_reset_begins_anew(boot: Boot) -> None:
    board = boot("answers", "-DWHAT=CRASHES")
    six = [step() for _ in range(4)]
    board.begin_script([*six, step(resets=True), *six[1:]])
    assert board.end_script() == {0}


def test_talks_wait_for_each_other_and_nothing_else_goes_on(boot: Boot) -> None:
    board = boot("answers", "-DWHAT=NOTHING")
    for _ in range(3):
        board.begin_script([step() for _ in range(50)])
    with pytest.raises(BoardLost, match="interrupted"):
        board.advance(1)
    assert [board.end_script() for _ in range(3)] == [{0}] * 3
    assert not board.script_has_ended()
    with pytest.raises(BoardLost, match="no talk"):
        board.end_script()
    board.begin_script([step()])
    board.close()
    board.close()
