"""A native program runs ahead through ticks in which nothing new is said.

Whatever it says, does, or ends with is the same as stretch by stretch.
"""

from __future__ import annotations

import os
import signal
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_embedbench.datasheet import load_board
from pytest_embedbench.engines.native import Native
from pytest_embedbench.errors import BoardLost
from tests.e2e.native_firmware import HEAD, NativeCompiler, needs_gcc
from tests.support.stretches import heard_of

if TYPE_CHECKING:
    from pytest_embedbench.model import BoardSpec

pytestmark = needs_gcc

ANSWERS = (
    HEAD
    + """
static void on_line(int number);
void firmware_main(void)
{
    uint8_t bytes[64];
    for (int number = 1;; number++) {
        while (port_uart_read(bytes, sizeof bytes, 20) == 0) {
        }
        say("ok\\n");
        on_line(number);
    }
}
static void on_line(int number)
"""
)
FIFTH = {
    "says nothing else": "{ (void)number; }",
    "says something else": '{ if (number == 5) say("what\\n"); }',
    "says half a line": '{ if (number == 5) say("o"); if (number == 7) say("k\\n"); }',
    "ends a line otherwise": '{ if (number == 5) say("ok\\r\\n"); }',
    "is on the wire": "{ if (number == 5) { port_delay_ms(72); say("
    '"0123456789abcdefghijklmnop\\n"); } }',
    "talks on and on": '{ for (int i = 0; number == 5 && i < 250; i++) say("ok\\n"); }',
    "is silent": "{ if (number == 5) port_delay_ms(250); }",
    "crashes": '{ if (number == 5) { say("ow\\n"); *(volatile int *)8 = 1; } }',
    "exits": "{ if (number == 5) exit(3); }",
    "spins": "{ while (number == 5) { } }",
}


@pytest.fixture(scope="module")
def compiler(tmp_path_factory: pytest.TempPathFactory) -> NativeCompiler:
    return NativeCompiler(tmp_path_factory.mktemp("native"))


@pytest.fixture(scope="module")
def spec() -> BoardSpec:
    boards = Path(__file__).parents[2] / "boards" / "embedbench_boards"
    spec = load_board(boards / "native.toml")
    return replace(spec, options={"cpu_limit_ms": 100})


@pytest.mark.parametrize("what", FIFTH)
def test_ahead_or_not_it_is_the_same(
    spec: BoardSpec, compiler: NativeCompiler, what: str
) -> None:
    image = compiler.firmware(ANSWERS + FIFTH[what])
    stretches = [(b"%d\n" % number, 100) for number in range(12)]
    with closing(Native().boot(spec, image)) as board:
        plain = heard_of(board, stretches, ahead=False)
    with closing(Native().boot(spec, image)) as board:
        ahead = heard_of(board, stretches, ahead=True)
    assert (ahead.chunks, ahead.stamps_us) == (plain.chunks, plain.stamps_us)
    assert ahead.fault == plain.fault
    asked = {"says nothing else": 1, "is silent": 1, "says half a line": 3}
    if not plain.fault:
        assert ahead.asked_count == asked.get(what, 2)


def test_who_is_ended_from_outside_is_lost_ahead_too(
    spec: BoardSpec, compiler: NativeCompiler
) -> None:
    image = compiler.firmware(ANSWERS + FIFTH["says nothing else"])
    with closing(Native().boot(spec, image)) as board:
        os.kill(board._program.process.pid, signal.SIGKILL)
        board.foresee([(b"1\n", 100), (b"2\n", 100)], [b"ok\n"])
        board.link().send(b"1\n")
        with pytest.raises(BoardLost, match="from outside"):
            board.advance(100)


def test_who_goes_elsewhere_than_was_foreseen_is_told(
    spec: BoardSpec, compiler: NativeCompiler
) -> None:
    image = compiler.firmware(ANSWERS + FIFTH["says nothing else"])
    with closing(Native().boot(spec, image)) as board:
        board.foresee([(b"1\n", 100), (b"2\n", 100)], [b"ok\n"])
        board.link().send(b"1\n")
        board.advance(100)
        assert board.is_ahead()
        board.link().send(b"3\n")
        with pytest.raises(BoardLost, match="pure function"):
            board.advance(100)


def test_reset_forgets_what_was_foreseen(
    spec: BoardSpec, compiler: NativeCompiler
) -> None:
    image = compiler.firmware(ANSWERS + FIFTH["says nothing else"])
    with closing(Native().boot(spec, image)) as board:
        board.foresee([(b"1\n", 100), (b"2\n", 100)], [b"ok\n"])
        board.link().send(b"1\n")
        board.advance(100)
        board.reset()
        assert not board.is_ahead()
        board.link().receive()
        board.link().send(b"3\n")
        board.advance(100)
        assert [chunk.data for chunk in board.link().receive()] == [b"ok\n"]
        assert board.now_us() == 200_000
