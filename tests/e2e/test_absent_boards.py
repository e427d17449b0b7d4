"""A board whose plug is out for a while, or for good: no test passes without it."""

from __future__ import annotations

import threading
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

import pytest

from pytest_embedbench.bench.bench import Bench
from pytest_embedbench.engines.serial_port import SerialPort
from pytest_embedbench.errors import BenchFault, BoardLost, FirmwareFault, FirmwareReset
from pytest_embedbench.model import NO_IMAGE
from tests.support.pty_board import Pty, spec_for

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator
    from pathlib import Path

    from pytest_embedbench.model import Option


class Plug:
    """A port under a name that stays, with a board on it or none."""

    def __init__(self, link: Path) -> None:
        self.link = link
        self.board = Pty()
        link.symlink_to(self.board.path)

    def pull(self) -> None:
        self.link.unlink(missing_ok=True)
        self.board.unplug()

    def push_in(self) -> None:
        self.board = Pty()
        self.link.symlink_to(self.board.path)

    @contextmanager
    def out_for(self, away_s: float, says: bytes) -> Generator[None]:
        """Be out for so long, beside what the block does; then the board speaks."""

        def back() -> None:
            self.push_in()
            self.board.say(says)

        self.pull()
        timer = threading.Timer(away_s, back)
        timer.start()
        try:
            yield
        finally:
            timer.join()


@pytest.fixture(autouse=True)
def locks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EMBEDBENCH_LOCKS", str(tmp_path / "locks"))


@pytest.fixture
def plug(tmp_path: Path) -> Iterator[Plug]:
    plug = Plug(tmp_path / "by-id")
    yield plug
    plug.pull()


@pytest.fixture
def bench(tmp_path: Path, plug: Plug) -> Iterator[Callable[..., Bench]]:
    with ExitStack() as opened:

        def make(**options: Option) -> Bench:
            spec = spec_for(str(plug.link), **options)
            board = SerialPort().boot(spec, NO_IMAGE)
            bench = Bench(board, tmp_path / "files")
            opened.callback(bench.close)
            return bench

        (tmp_path / "files").mkdir()
        yield make


def keep_quiet(bench: Bench) -> None:
    bench.expect_silence(for_ms=20)


def let_it_run(bench: Bench) -> None:
    bench.run_for(20)


def talk(bench: Bench) -> None:
    bench.send("PUMP ON")


@pytest.mark.parametrize("does", [keep_quiet, let_it_run, talk])
def test_what_passes_without_a_board_ends_with_its_loss(
    bench: Callable[..., Bench], plug: Plug, does: Callable[[Bench], None]
) -> None:
    # B3, B8: within the time that its port may be away nobody else would notice.
    made = bench(reappears_within_ms=300)
    plug.pull()
    does(made)
    with pytest.raises(BoardLost, match=r"desk: .* vanished and did not come back"):
        made.board.close()


def test_a_board_that_has_gone_unnoticed_has_passed_nothing(
    bench: Callable[..., Bench], plug: Plug
) -> None:
    made = bench()
    made.send("PUMP ON")
    plug.pull()
    with pytest.raises(BoardLost, match=r"desk: .* was unplugged"):
        made.board.close()


def test_a_loss_that_is_told_is_not_told_again(
    bench: Callable[..., Bench], plug: Plug
) -> None:
    made = bench(reappears_within_ms=30)
    plug.pull()
    with pytest.raises(BoardLost, match="desk: "):
        made.run_for(5000)
    made.board.close()


def test_a_board_that_comes_back_rebooted_is_the_doing_of_the_bench(
    bench: Callable[..., Bench], plug: Plug
) -> None:
    made = bench(reappears_within_ms=20_000)
    plug.board.say(b"READY\n")
    made.wait_for_boot("READY", within_ms=20_000)
    told = r"desk was away for 0\.\d+ s from .* has started anew since"
    with plug.out_for(0.05, b"READY\n"), pytest.raises(BoardLost, match=told):
        made.expect("NEVER", within_ms=20_000)
    said = made.transcript_path.read_text()
    assert "desk is away from" in said
    assert "desk is back at" in said


def test_a_restart_without_an_absence_is_the_firmwares(
    bench: Callable[..., Bench], plug: Plug
) -> None:
    made = bench(reappears_within_ms=20_000)
    plug.board.say(b"READY\n")
    made.wait_for_boot("READY", within_ms=20_000)
    plug.board.say(b"READY\n")
    with pytest.raises(FirmwareReset, match="it reported its boot again"):
        made.expect("NEVER", within_ms=20_000)


def test_a_restart_that_is_expected_may_take_the_port_along(
    bench: Callable[..., Bench], plug: Plug
) -> None:
    # B8: native USB goes with every reset, also with one of the firmware's own.
    made = bench(reappears_within_ms=20_000)
    plug.board.say(b"READY\n")
    made.wait_for_boot("READY", within_ms=20_000)
    with plug.out_for(0.05, b"READY\n"):
        made.expect_restart(within_ms=20_000)
    plug.board.say(b"READY\n")
    with pytest.raises(FirmwareReset):
        made.expect("NEVER", within_ms=20_000)


def test_a_silent_board_that_nothing_has_started_is_told_as_such(
    bench: Callable[..., Bench],
) -> None:
    made = bench()
    with pytest.raises(BenchFault, match="is neither flashed nor reset for a test, so"):
        made.wait_for_boot(within_ms=10)


def test_a_silent_board_that_was_reset_has_a_silent_firmware(
    bench: Callable[..., Bench],
) -> None:
    made = bench(reset_command=("true",))
    with pytest.raises(FirmwareFault, match="the firmware said nothing within 10 ms"):
        made.wait_for_boot(within_ms=10)
