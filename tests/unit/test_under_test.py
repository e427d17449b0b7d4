"""A board in a test's hands is what the engine made, and says what it lacks."""

from __future__ import annotations

import pickle
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from pytest_embedbench.bench.bench import Bench
from pytest_embedbench.bench.under_test import under_test
from pytest_embedbench.contracts import (
    Board,
    DrivesPins,
    HasAnalog,
    HasConsole,
    HasPins,
    HasPower,
    HasReset,
    ReadsPins,
    SharedBoard,
    capabilities_of,
)
from pytest_embedbench.errors import BoardLacks, NotSupported
from pytest_embedbench.model import Capability, Level
from pytest_embedbench.testing import (
    LOOPBACK_SPEC,
    Loopback,
    LoopbackBoard,
    loopback_image,
    tank_firmware,
)
from tests.support.plain_board import PlainBoard

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_embedbench.model import PinTrace


class Plain(PlainBoard):
    """A board that exists once, and can nothing beyond what every board can."""

    def __init__(self) -> None:
        super().__init__(
            tank_firmware, replace(LOOPBACK_SPEC, name="plain", engine="thirdparty")
        )
        self.waited_s = 0.0
        self.waited_for = ""
        self.remarks = ()
        self.needs_recovery = False


class Seeing(Plain):
    """A board whose pins can be seen and not driven."""

    virtual_time = False
    notes = ("it blinks",)

    def pin_trace(self) -> PinTrace:
        return self.inner.pin_trace()


def loopback() -> LoopbackBoard:
    return Loopback(tank_firmware).boot(LOOPBACK_SPEC, loopback_image())


def test_capabilities_follow_from_what_a_board_is() -> None:
    assert capabilities_of(Plain()) == frozenset()
    assert capabilities_of(Seeing()) == {Capability.READ_PINS}
    assert capabilities_of(loopback()) == {
        Capability.VIRTUAL_TIME,
        Capability.READ_PINS,
        Capability.DRIVE_PINS,
        Capability.ANALOG,
        Capability.RESET,
    }


def test_a_board_may_have_an_ability_that_others_of_its_class_lack() -> None:
    board = Plain()
    board.reset = board.inner.reset  # type: ignore[attr-defined]
    assert capabilities_of(board) == {Capability.RESET}
    assert under_test(board).capabilities == {Capability.RESET}
    assert isinstance(under_test(board), HasReset)
    under_test(board).reset()


def test_it_is_what_the_engine_made() -> None:
    board = under_test(Seeing())
    assert isinstance(board, Board)
    assert isinstance(board, Seeing)
    assert isinstance(board, ReadsPins)
    assert isinstance(board, SharedBoard)
    lacking = (DrivesPins, HasPins, HasReset, HasPower, HasAnalog, HasConsole)
    assert [kind for kind in lacking if isinstance(board, kind)] == []
    assert not hasattr(board, "reset")
    assert under_test(board) is board


def test_it_does_what_the_board_does() -> None:
    inner = loopback()
    board = under_test(inner)
    board.drive_pin("D2", Level.HIGH)
    board.advance(1000)
    assert b"DBG BOOTED\n" in [chunk.data for chunk in board.link().receive()]
    assert (board.now_us(), board.spec) == (1_000_000, LOOPBACK_SPEC)
    assert [event.pin for event in board.pin_trace().events] == ["D2"]
    board.close()
    assert inner.closed


def test_what_else_the_board_has_can_be_had_and_set() -> None:
    inner = Seeing()
    board = under_test(inner)
    assert board.inner is inner.inner  # type: ignore[attr-defined]
    board.needs_recovery = True  # type: ignore[attr-defined]
    assert inner.needs_recovery
    with pytest.raises(AttributeError, match="'Seeing' object has no attribute 'sing'"):
        board.sing()  # type: ignore[attr-defined]


def test_notes_and_position_are_there_for_failures_to_quote() -> None:
    seeing, plain = under_test(Seeing()), under_test(Plain())
    assert (tuple(seeing.notes), seeing.position) == (("it blinks",), "")
    assert (tuple(plain.notes), plain.position) == ((), "")


SIMULATED = "mega, nano, nano-168, pro-mini, pro-mini-8mhz, uno"


@pytest.mark.parametrize(
    ("method", "arguments", "lack", "capability", "able"),
    [
        (
            "pin_trace",
            (),
            "no pins that can be read",
            "read-pins",
            SIMULATED,
        ),
        (
            "drive_pin",
            ("D2", Level.LOW),
            "no pins that can be driven",
            "drive-pins",
            "",
        ),
        (
            "drive_pulses",
            ("D2", [10]),
            "no pins that can be driven at a given microsecond",
            "drive-pulses",
            SIMULATED,
        ),
        ("set_analog", ("A0", 0), "no pins that take a voltage", "analog", "uno"),
        ("reset", (), "no way to press reset", "reset", "native"),
        ("power_cycle", (), "no way to switch its power", "power-cycle", "uno"),
        ("power_off", (), "no way to keep its power off", "power-switch", "none that"),
    ],
)
def test_what_it_lacks_names_board_engine_and_those_that_have_it(
    method: str, arguments: tuple[object, ...], lack: str, capability: str, able: str
) -> None:
    board = under_test(Plain())
    with pytest.raises(NotSupported) as caught:
        getattr(board, method)(*arguments)
    said = str(caught.value)
    assert said.startswith(f"plain has {lack}")
    assert "on engine thirdparty; boards that have: " in said
    assert able in said.partition("boards that have: ")[2]
    assert f"needs({capability!r})" in said


def test_a_board_that_can_only_be_driven_now_says_so() -> None:
    board = under_test(loopback())
    board.drive_pin("D2", Level.HIGH, at_us=None)
    with pytest.raises(BoardLacks, match="no pins that can be driven at a given micro"):
        board.drive_pin("D2", Level.LOW, at_us=10)


def test_a_console_is_lacking_in_words_too() -> None:
    board = under_test(Plain())
    with pytest.raises(BoardLacks, match="no console beside its firmware"):
        board.console.run("true")


def test_a_lack_crosses_process_borders() -> None:
    lack = BoardLacks("uno", "simavr", "no wings", "fly", ["crow"])
    again = pickle.loads(pickle.dumps(lack))
    assert (type(again), str(again)) == (BoardLacks, str(lack))
    assert str(again).startswith("uno has no wings, on engine simavr; boards that have")


def test_a_bench_says_the_same_of_any_board(tmp_path: Path) -> None:
    bench = Bench(Plain(), tmp_path)
    with pytest.raises(BoardLacks, match="plain has no way to press reset"):
        bench.reset()
    with pytest.raises(BoardLacks, match="plain has no pins that can be read"):
        _ = bench.pins
    bench.close()


def test_it_reads_as_a_board() -> None:
    assert repr(under_test(Plain())) == "<board plain on thirdparty>"
