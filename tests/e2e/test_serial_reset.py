"""A board is started afresh, and what it said before is not taken for news."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING

import pytest

from pytest_embedbench.bench.bench import Bench
from pytest_embedbench.bench.under_test import under_test
from pytest_embedbench.contracts import capabilities_of
from pytest_embedbench.engines.serial_port import SerialBoard, SerialPort
from pytest_embedbench.errors import BoardLost
from pytest_embedbench.model import NO_IMAGE, Capability
from tests.support.pty_board import Button, PtyBoard, spec_for

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator
    from pathlib import Path

    from pytest_embedbench.testing import Firmware, LoopbackUart


class Babbler:
    """A firmware that numbers its boots and never stops talking; some are mute."""

    def __init__(self, *mute: int) -> None:
        self.boots = 0
        self.mute = mute

    def __call__(self, uart: LoopbackUart) -> Generator[int, None, None]:
        self.boots += 1
        boot = self.boots
        while True:
            if boot not in self.mute:
                uart.write(b"boot %d\n" % boot)
            yield 1


@pytest.fixture(autouse=True)
def locks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EMBEDBENCH_LOCKS", str(tmp_path / "locks"))


@pytest.fixture
def button(tmp_path: Path) -> Button:
    return Button(tmp_path)


@pytest.fixture
def boot(button: Button) -> Iterator[Callable[..., SerialBoard]]:
    """Return a function that boots a firmware on a board with a reset button."""
    with ExitStack() as opened:

        def boot(firmware: Firmware, **options: int | tuple[str, ...]) -> SerialBoard:
            device = PtyBoard(firmware, button)
            opened.callback(device.close)
            pressed = {
                "reset_hold": button.command("hold"),
                "reset_command": button.command("go"),
            }
            spec = spec_for(device.path, **{**pressed, **options})
            board = SerialPort().boot(spec, NO_IMAGE)
            opened.callback(board.close)
            return board

        yield boot


def lines(board: SerialBoard) -> set[bytes]:
    return {chunk.data.strip() for chunk in board.receive()}


def test_a_boot_hears_only_itself(boot: Callable[..., SerialBoard]) -> None:
    # U15: the hold restarts the firmware once, the command once more.
    board = boot(Babbler())
    board.advance(50)
    assert lines(board) == {b"boot 3"}


def test_a_reset_parts_what_was_said_before_from_what_comes_after(
    boot: Callable[..., SerialBoard],
) -> None:
    # U14, U15: nothing is lost, and nothing is on the wrong side.
    board = boot(Babbler())
    board.advance(20)
    under_test(board).reset()
    assert lines(board) == {b"boot 3"}
    board.advance(50)
    assert lines(board) == {b"boot 5"}


def test_a_bench_that_resets_reads_on_in_the_new_boot(
    boot: Callable[..., SerialBoard], tmp_path: Path
) -> None:
    (tmp_path / "test").mkdir()
    bench = Bench(boot(Babbler()), tmp_path / "test")
    bench.run_for(20)
    bench.reset()
    assert bench.expect("boot", within_ms=1000).line.payload == b"boot 5"
    bench.close()


def test_a_board_that_can_be_reset_says_so(boot: Callable[..., SerialBoard]) -> None:
    assert capabilities_of(boot(Babbler())) == {Capability.RESET}


def test_a_silent_board_is_reset_once_more(boot: Callable[..., SerialBoard]) -> None:
    # B16
    board = boot(Babbler(3), answers_within_ms=100)
    board.advance(50)
    assert lines(board) == {b"boot 5"}


def test_a_board_that_stays_silent_needs_a_power_cycle(
    boot: Callable[..., SerialBoard],
) -> None:
    # B16, B18: within its budget, and not for ever.
    with pytest.raises(
        BoardLost, match=r"desk on .*: the board is silent: nothing with"
    ):
        boot(Babbler(*range(100)), answers_within_ms=50)


def test_a_board_that_may_want_dtr_is_told_with_that_hint(
    boot: Callable[..., SerialBoard],
) -> None:
    # B18
    with pytest.raises(BoardLost, match="some boards speak only while DTR is on"):
        boot(Babbler(*range(100)), answers_within_ms=20, dtr=False)


def test_power_is_switched_where_reset_does_not_help(
    boot: Callable[..., SerialBoard], button: Button
) -> None:
    board = boot(
        Babbler(*range(6)),
        answers_within_ms=50,
        power_off=button.command("hold"),
        power_on=button.command("go"),
        power_off_ms=1,
    )
    board.advance(50)
    assert lines(board) == {b"boot 7"}


def test_power_can_be_switched_by_a_test(
    boot: Callable[..., SerialBoard], button: Button
) -> None:
    board = boot(
        Babbler(),
        power_off=button.command("hold"),
        power_on=button.command("go"),
        power_off_ms=1,
    )
    under_test(board).power_cycle()
    board.receive()
    board.advance(50)
    assert lines(board) == {b"boot 5"}


def test_a_command_that_fails_is_shown(boot: Callable[..., SerialBoard]) -> None:
    with pytest.raises(
        Exception, match=r"'sh -c echo no probe; exit 3' exited 3: no pro"
    ):
        boot(Babbler(), reset_hold=("sh", "-c", "echo no probe; exit 3"))
