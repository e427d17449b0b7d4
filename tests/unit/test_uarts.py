"""Several UARTs of a board, each with a conversation of its own."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import pytest

from pytest_embedbench.bench.bench import Bench
from pytest_embedbench.errors import (
    ConfigError,
    ExpectTimeout,
    FirmwareCrash,
    FirmwareFault,
    ForbiddenOutput,
)
from pytest_embedbench.model import Chunk, UartSpec
from pytest_embedbench.testing import LOOPBACK_SPEC

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pytest_embedbench.model import BoardSpec


@dataclass
class ScriptedLink:
    """A UART that says what it was told to, when."""

    script: list[Chunk]
    board: ScriptedBoard
    sent: list[bytes] = field(default_factory=list[bytes])

    def send(self, data: bytes) -> None:
        self.sent.append(data)

    def receive(self) -> list[Chunk]:
        due = [chunk for chunk in self.script if chunk.at_us <= self.board.now_us()]
        self.script = self.script[len(due) :]
        return due


class ScriptedBoard:
    """Two UARTs; dies when ``dies_us`` has come."""

    def __init__(self) -> None:
        uarts = (
            UartSpec(name="serial0", baud_bps=115_200),
            UartSpec(name="serial1", baud_bps=9_600),
        )
        self.spec: BoardSpec = replace(LOOPBACK_SPEC, uarts=uarts)
        self.links = {
            "serial0": ScriptedLink([Chunk(10_000, b"zero\n")], self),
            "serial1": ScriptedLink(
                [Chunk(20_000, b"one\n"), Chunk(30_000, b"two\n")], self
            ),
        }
        self.dies_us: int | None = None
        self._now_us: int = 0

    def link(self, uart: str = "") -> ScriptedLink:
        return self.links[uart or "serial0"]

    def now_us(self) -> int:
        return self._now_us

    def advance(self, duration_ms: int) -> None:
        self._now_us += duration_ms * 1000
        if self.dies_us is not None and self._now_us >= self.dies_us:
            self._now_us = self.dies_us
            raise FirmwareCrash("it ran out of its flash")

    def reset(self) -> None:
        self.dies_us = None

    def close(self) -> None:
        pass


@pytest.fixture
def board() -> ScriptedBoard:
    return ScriptedBoard()


@pytest.fixture
def bench(board: ScriptedBoard, tmp_path: Path) -> Iterator[Bench]:
    with closing(Bench(board, tmp_path)) as bench:
        yield bench


def test_each_uart_has_its_own_cursor_and_transcript(bench: Bench) -> None:
    gps = bench.uarts["serial1"]
    assert gps.expect("^one$", within_ms=100).at_us == 20_000
    bench.expect("^zero$", within_ms=0)
    gps.expect("^two$", within_ms=100)
    assert gps.heard() == ["one", "two"]
    assert bench.uart.heard() == ["zero"]
    assert len(gps.transcript) == 2
    assert bench.uarts["serial0"] is bench.uart
    assert list(bench.uarts) == ["serial0", "serial1"]


def test_what_was_said_before_it_was_asked_for_is_there(bench: Bench) -> None:
    bench.run_for(100)
    assert bench.uarts["serial1"].heard() == ["one", "two"]


def test_what_is_sent_goes_to_that_uart(board: ScriptedBoard, bench: Bench) -> None:
    bench.uarts["serial1"].send("hello")
    assert board.links["serial1"].sent == [b"hello\n"]
    assert board.links["serial0"].sent == []


def test_a_transcript_of_each_is_among_the_artifacts(
    bench: Bench, tmp_path: Path
) -> None:
    bench.uarts["serial1"].expect("^one$", within_ms=50)
    bench.close()
    assert "one" in (tmp_path / "transcript-serial1.log").read_text()
    assert "one" not in (tmp_path / "transcript.log").read_text()


def test_a_uart_that_there_is_not_is_told_by_name(bench: Bench) -> None:
    with pytest.raises(
        ConfigError, match="no UART 'serial7'; it has: serial0, serial1"
    ):
        bench.uarts["serial7"]


def test_a_wait_in_vain_shows_the_conversation_of_that_uart(bench: Bench) -> None:
    with pytest.raises(ExpectTimeout, match=r"(?s)on serial1:.*one") as caught:
        bench.uarts["serial1"].expect("^three$", within_ms=100)
    assert "zero" not in str(caught.value)


def test_a_board_that_dies_is_dead_on_all_of_them(
    board: ScriptedBoard, bench: Bench
) -> None:
    board.dies_us = 25_000
    gps = bench.uarts["serial1"]
    gps.expect("^one$", within_ms=100)  # it was said before
    with pytest.raises(FirmwareCrash):
        gps.expect("^two$", within_ms=100)
    with pytest.raises(FirmwareCrash):
        bench.run_for(10)
    bench.reset()
    gps.expect("^two$", within_ms=100)


def test_one_that_is_asked_for_after_the_death_says_so(
    board: ScriptedBoard, bench: Bench
) -> None:
    board.dies_us = 25_000
    with pytest.raises(FirmwareFault):
        bench.run_for(100)
    gps = bench.uarts["serial1"]
    assert gps.heard() == ["one"]
    with pytest.raises(FirmwareCrash):
        gps.expect("^two$", within_ms=100)


def test_what_is_forbidden_on_one_is_raised_by_whoever_waits(bench: Bench) -> None:
    bench.uarts["serial1"].forbid("^one$")
    with pytest.raises(ForbiddenOutput, match="'one'"):
        bench.expect("^never$", within_ms=100)
    with pytest.raises(ExpectTimeout):
        bench.expect("^never$", within_ms=100)


def test_silence_on_one_is_not_broken_by_another(bench: Bench) -> None:
    bench.expect("^zero$", within_ms=100)
    bench.expect_silence(for_ms=100)
