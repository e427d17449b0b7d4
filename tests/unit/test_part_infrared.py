"""Infrared by NEC's protocol, and the clock generator."""

from __future__ import annotations

from itertools import pairwise

import pytest

from pytest_embedbench.errors import ConfigError
from pytest_embedbench.pins import Level
from pytest_embedbench.wiring.drives import Drive
from tests.support.placed import OnTable


class Room:
    """Remotes and a receiver that sees them."""

    def __init__(self, remotes: int = 1) -> None:
        self.receiver = OnTable("wokwi-ir-receiver")
        self.remotes = [OnTable("wokwi-ir-remote") for _ in range(remotes)]

    @property
    def remote(self) -> OnTable:
        return self.remotes[0]

    def spans_us(self, duration_ms: float) -> list[tuple[bool, float]]:
        """Return whether DAT was high and how long, between its edges."""
        begin_ticks = self.remote.wires.now_ticks
        for it in self.remotes:
            it.wires.advance_us(duration_ms * 1000)
        sent = sorted(
            event
            for it in self.remotes
            for event in it.wires.sent
            if event.at_ticks >= begin_ticks
        )
        for event in sent:
            self.receiver.wires.advance(event.at_ticks - self.receiver.wires.now_ticks)
            self.receiver.wires.hear(event.topic, event.value)
        edges = [
            (at, value.is_high)
            for at, value in self.receiver.events_us("DAT")
            if isinstance(value, Drive) and at * 16 >= begin_ticks and at > 0
        ]
        return [(high, later - at) for (at, high), (later, _) in pairwise(edges)]


def decode(spans: list[tuple[bool, float]]) -> list[int]:
    """Return address, its complement, command and its complement."""
    assert [high for high, _ in spans] == [False, True] * 33 + [False]
    assert spans[0][1] == pytest.approx(9000)
    assert spans[1][1] == pytest.approx(4500)
    for _, low_us in spans[2::2]:
        assert low_us == pytest.approx(562.5, abs=0.1)
    bits = [high_us > 1100 for _, high_us in spans[3::2]]
    for bit, (_, high_us) in zip(bits, spans[3::2], strict=True):
        assert high_us == pytest.approx(1687.5 if bit else 562.5, abs=0.1)
    return [
        sum(bit << index for index, bit in enumerate(bits[first : first + 8]))
        for first in range(0, 32, 8)
    ]


@pytest.mark.parametrize("command", [162, 0, 255, 104])
def test_a_key_is_a_frame_with_its_command(command: int) -> None:
    room = Room()
    room.remote.wires.advance_us(5000)
    room.remote.set("command", command)
    assert decode(room.spans_us(100)) == [0, 0xFF, command, command ^ 0xFF]


def test_another_remote_has_another_address() -> None:
    room = Room()
    room.remote.wires.advance_us(5000)
    room.remote.set("address", 0x20)
    room.remote.set("command", 7)
    assert decode(room.spans_us(100)) == [0x20, 0xDF, 7, 0xF8]


def test_a_frame_takes_67_5_ms_whatever_it_says() -> None:
    room = Room()
    room.remote.wires.advance_us(1000)
    room.remote.set("command", 162)
    widths_us = [width for _, width in room.spans_us(100)]
    assert sum(widths_us) == pytest.approx(67_500 + 562.5)


def test_a_held_key_repeats_every_108_ms() -> None:
    room = Room()
    room.remote.set("repeats", 2)
    room.remote.wires.advance_us(1000)
    room.remote.set("command", 34)
    spans = room.spans_us(1000)
    assert decode(spans[:67]) == [0, 0xFF, 34, 34 ^ 0xFF]
    assert sum(width for _, width in spans[:68]) == pytest.approx(108_000)
    assert [round(width, 1) for _, width in spans[68:71]] == [9000, 2250, 562.5]
    assert sum(width for _, width in spans[68:72]) == pytest.approx(108_000)
    assert [round(width, 1) for _, width in spans[72:]] == [9000, 2250, 562.5]


def test_keys_in_a_row_wait_for_each_other() -> None:
    room = Room()
    room.remote.wires.advance_us(1000)
    for command in (1, 2):
        room.remote.set("command", command)
    spans = room.spans_us(1000)
    assert decode(spans[:67])[2] == 1
    assert decode(spans[68:])[2] == 2


def test_dat_is_high_in_the_dark() -> None:
    room = Room()
    assert room.receiver.wires.driven["DAT"].level is Level.HIGH
    room.remote.set("command", 2)
    room.spans_us(1000)
    assert room.receiver.wires.driven["DAT"].level is Level.HIGH


def test_two_remotes_at_once_are_light_while_one_of_them_shines() -> None:
    room = Room(remotes=2)
    for it, command in zip(room.remotes, (0x00, 0xFF), strict=True):
        it.wires.advance_us(1000)
        it.set("command", command)
    spans = room.spans_us(1000)
    assert len(spans) < 2 * 67
    with pytest.raises(AssertionError):
        decode(spans)
    assert room.receiver.wires.driven["DAT"].level is Level.HIGH


def edges_us(it: OnTable, duration_us: float) -> list[float]:
    it.wires.advance_us(duration_us)
    return [at for at, _ in it.events_us("CLK")][1:]


@pytest.mark.parametrize(
    ("frequency", "half_us"),
    [
        ("10k", 50),
        ("1", 500_000),
        ("1.3m", 1 / 2.6),
        ("3000", 1000 / 6),
        ("0.5K", 1000),
    ],
)
def test_a_clock_has_its_frequency_for_ever(frequency: str, half_us: float) -> None:
    it = OnTable("wokwi-clock-generator", frequency=frequency)
    edges = edges_us(it, 1000.5 * half_us)
    assert len(edges) == 1000
    for index, at_us in enumerate(edges, start=1):
        assert at_us == pytest.approx(index * half_us, abs=0.5 / 16)


def test_a_clock_of_no_frequency_stays_low_and_the_default_is_10_khz() -> None:
    assert edges_us(OnTable("wokwi-clock-generator", frequency="0"), 10_000) == []
    assert len(edges_us(OnTable("wokwi-clock-generator"), 1010)) == 20


@pytest.mark.parametrize("frequency", ["fast", "", "-1", "9m", "k", "nan", "1/0"])
def test_a_frequency_that_is_none_is_refused(frequency: str) -> None:
    with pytest.raises(ConfigError, match=f"frequency cannot be '{frequency}'"):
        OnTable("wokwi-clock-generator", frequency=frequency)
