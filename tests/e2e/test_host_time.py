"""Conversations in host time: transcripts in order, and times called what they are."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pytest_embedbench.bench.bench import Bench
from pytest_embedbench.engines.serial_port import SerialPort
from pytest_embedbench.errors import ExpectTimeout
from pytest_embedbench.model import NO_IMAGE
from tests.support.pty_board import Pty, spec_for

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture(autouse=True)
def locks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EMBEDBENCH_LOCKS", str(tmp_path / "locks"))


@pytest.fixture
def pty() -> Iterator[Pty]:
    pty = Pty()
    yield pty
    pty.unplug()


@pytest.fixture
def bench(pty: Pty, tmp_path: Path) -> Iterator[Bench]:
    (tmp_path / "test").mkdir()
    bench = Bench(SerialPort().boot(spec_for(pty.path), NO_IMAGE), tmp_path / "test")
    yield bench
    bench.close()


def test_what_came_before_a_line_of_ours_is_before_it_in_the_transcript(
    bench: Bench, pty: Pty
) -> None:
    for turn in range(20):
        pty.say(b"early %d\n" % turn)
        bench.send(f"late {turn}")
    bench.expect("early 19", within_ms=5000)
    lines = [line for _, line in bench.transcript.since(0)]
    said = [line.payload.decode() for line in lines]
    assert said == [
        f"{when} {turn}" for turn in range(20) for when in ("early", "late")
    ]
    stamps = [line.at_us for line in lines]
    assert stamps == sorted(stamps)


def test_what_came_before_a_line_of_ours_is_for_the_plant_with_the_next_tick(
    bench: Bench, pty: Pty
) -> None:
    pty.say(b"ACT PUMP ON\n")
    bench.send("SENSE LEVEL 3")
    assert bench.uart.recorder.said == []
    bench.uart.recorder.advance(1)
    assert [line.payload for line in bench.uart.recorder.said] == [b"ACT PUMP ON"]
    bench.uart.recorder.advance(1)
    assert bench.uart.recorder.said == []


def test_the_time_of_a_real_board_is_not_called_simulated(bench: Bench) -> None:
    with pytest.raises(ExpectTimeout, match=r"within 5 ms \(waited .* of host time, u"):
        bench.expect("never", within_ms=5)
