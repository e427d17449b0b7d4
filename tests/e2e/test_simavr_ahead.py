"""A simulated AVR runs ahead through ticks in which nothing new is said.

Whatever it says, does, or ends with is the same as stretch by stretch.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pytest_embedbench.errors import BoardLost
from tests.e2e.avr_firmware import avr_image, boot, simavr
from tests.support.stretches import heard_of

if TYPE_CHECKING:
    from tests.e2e.avr_firmware import Boot

__all__ = ["avr_image", "boot", "simavr"]

AT_ONCE, IN_TWO, IN_THREE = 1, 2, 3


@pytest.mark.parametrize(
    ("what", "asked_count"),
    [
        ("NOTHING", AT_ONCE),
        ("SAYS_MORE", IN_TWO),
        ("SAYS_HALF", IN_THREE),
        ("ENDS_OTHERWISE", IN_TWO),
        ("TALKS_ON", IN_TWO),
        ("IS_DEAF", IN_TWO),
        ("CRASHES", AT_ONCE),
        ("RESTARTS", AT_ONCE),
    ],
)
def test_ahead_or_not_it_is_the_same(boot: Boot, what: str, asked_count: int) -> None:
    stretches = [(b"%d\n" % number, 100) for number in range(12)]
    plain = heard_of(boot("answers", f"-DWHAT={what}"), stretches, ahead=False)
    ahead = heard_of(boot("answers", f"-DWHAT={what}"), stretches, ahead=True)
    assert (ahead.chunks, ahead.stamps_us) == (plain.chunks, plain.stamps_us)
    assert (ahead.notes, ahead.fault) == (plain.notes, plain.fault)
    assert bool(plain.fault) == (what in ("CRASHES", "RESTARTS"))
    assert ahead.asked_count == asked_count


def test_a_restart_that_is_allowed_ends_what_was_foreseen(boot: Boot) -> None:
    stretches = [(b"%d\n" % number, 100) for number in range(12)]
    how = ("answers", "-DWHAT=RESTARTS")
    plain = heard_of(boot(*how, allow_resets=True), stretches, ahead=False)
    ahead = heard_of(boot(*how, allow_resets=True), stretches, ahead=True)
    assert ahead.chunks == plain.chunks
    assert ahead.notes == plain.notes
    assert any("watchdog reset" in note for note in plain.notes[-1])
    assert ahead.asked_count > 1


def test_who_goes_elsewhere_than_was_foreseen_is_told(boot: Boot) -> None:
    board = boot("answers", "-DWHAT=NOTHING")
    board.foresee([(b"1\n", 100), (b"2\n", 100)], [b"ok\n"])
    board.link().send(b"1\n")
    board.advance(100)
    assert board.is_ahead()
    board.link().send(b"3\n")
    with pytest.raises(BoardLost, match="pure function"):
        board.advance(100)


def test_what_is_foreseen_and_does_not_come_is_forgotten(boot: Boot) -> None:
    board = boot("answers", "-DWHAT=NOTHING")
    board.foresee([(b"1\n", 100), (b"2\n", 100)], [b"ok\n"])
    board.link().send(b"1\n2\n")
    board.advance(50)
    assert not board.is_ahead()
    assert [chunk.data for chunk in board.link().receive()] == [b"ok\n", b"ok\n"]
