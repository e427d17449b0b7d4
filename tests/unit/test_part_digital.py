"""74HC595 and the hygrometers, by drivers from their datasheets."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

import pytest

from pytest_embedbench.pins import Level
from pytest_embedbench.wiring.drives import RELEASED, Drive
from tests.support.placed import OnTable

LOW, HIGH, FLOATING = Level.LOW, Level.HIGH, Level.FLOATING


def register() -> OnTable:
    it = OnTable("wokwi-74hc595")
    it.wires.show(DS=LOW, SHCP=LOW, STCP=LOW, OE=LOW, MR=HIGH)
    return it


def clock(it: OnTable, *pins: str) -> None:
    it.wires.show_all(dict.fromkeys(pins, HIGH))
    it.wires.advance(1)
    it.wires.show_all(dict.fromkeys(pins, LOW))
    it.wires.advance(1)


def shift(it: OnTable, bits: Iterable[int]) -> None:
    for bit in bits:
        it.wires.show(DS=HIGH if bit else LOW)
        clock(it, "SHCP")


def outputs(it: OnTable) -> list[Level]:
    return [it.wires.driven[f"Q{i}"].level for i in range(8)]


def test_the_first_bit_ends_at_q7_and_shows_at_the_latch() -> None:
    it = register()
    shift(it, [1, 0, 1, 1, 0, 0, 0, 0])
    assert it.see("outputs") == (False,) * 8
    clock(it, "STCP")
    assert it.see("outputs") == (*[False] * 4, True, True, False, True)
    assert outputs(it) == [LOW] * 4 + [HIGH, HIGH, LOW, HIGH]


def test_a_ninth_bit_pushes_the_first_one_out_at_q7s() -> None:
    it = register()
    shift(it, [1] + [0] * 6)
    assert it.wires.driven["Q7S"].level is LOW
    shift(it, [0])
    assert it.wires.driven["Q7S"].level is HIGH
    shift(it, [0])
    assert it.wires.driven["Q7S"].level is LOW


def test_oe_lets_go_of_the_outputs_and_keeps_them() -> None:
    it = register()
    shift(it, [1] * 8)
    clock(it, "STCP")
    it.wires.show(OE=HIGH)
    assert [it.wires.driven[f"Q{i}"] for i in range(8)] == [RELEASED] * 8
    assert it.wires.driven["Q7S"].level is HIGH
    it.wires.show(OE=LOW)
    assert outputs(it) == [HIGH] * 8


def test_mr_clears_the_shift_register_alone() -> None:
    it = register()
    shift(it, [1] * 8)
    clock(it, "STCP")
    it.wires.show(MR=LOW)
    shift(it, [1])
    assert it.wires.driven["Q7S"].level is LOW
    assert outputs(it) == [HIGH] * 8
    clock(it, "STCP")
    assert outputs(it) == [LOW] * 8


@pytest.mark.parametrize("pins", [("SHCP", "STCP"), ("STCP", "SHCP")])
def test_with_both_clocks_in_one_the_outputs_are_a_clock_behind(
    pins: tuple[str, str],
) -> None:
    it = register()
    it.wires.show(DS=HIGH)
    clock(it, *pins)
    assert outputs(it) == [LOW] * 8
    clock(it, *pins)
    assert outputs(it) == [HIGH] + [LOW] * 7


def ask(it: OnTable, start_us: float) -> list[tuple[float, bool]]:
    """Hold the line, let go, and return the edges since: us, whether it is let go."""
    it.wires.events.clear()
    it.wires.show(SDA=LOW)
    it.wires.advance_us(start_us)
    it.wires.show(SDA=HIGH)
    let_go_us = it.wires.now_ticks / it.wires.ticks_per_us
    it.wires.advance_us(10_000)
    return [
        (at - let_go_us, value.is_high)
        for at, value in it.events_us("SDA")
        if isinstance(value, Drive)
    ]


def read(it: OnTable, start_us: float) -> bytes:
    """Return the five bytes, of timing as the datasheet's table has it."""
    edges = ask(it, start_us)
    assert 20 <= edges[0][0] <= 40
    spans = [(level, later - sooner) for (sooner, level), (later, _) in pairwise(edges)]
    assert [level for level, _ in spans] == [False, True] * (len(spans) // 2) + [False]
    assert all(75 <= span <= 85 for _, span in spans[:2])
    lows = [span for level, span in spans[2:] if not level]
    highs = [span for level, span in spans[2:] if level]
    assert (len(lows), len(highs)) == (41, 40)
    assert all(48 <= span <= 55 for span in lows)
    assert all(22 <= span <= 30 or 68 <= span <= 75 for span in highs)
    value = 0
    for span in highs:
        value = value << 1 | (span > 48)
    data = value.to_bytes(5)
    assert sum(data[:4]) & 0xFF == data[4]
    return data


# The first one is the datasheet's own example: 65.2 % and 35.1 C, and -10.1 C.
@pytest.mark.parametrize(
    ("humidity", "temperature", "due"),
    [
        (65.2, 35.1, "028c 015f"),
        (65.2, -10.1, "028c 8065"),
        (0, 0, "0000 0000"),
        (100, 80, "03e8 0320"),
        (100, -40, "03e8 8190"),
    ],
)
def test_a_dht22_sends_tenths(humidity: float, temperature: float, due: str) -> None:
    it = OnTable("wokwi-dht22")
    it.set("humidity", humidity)
    it.set("temperature", temperature)
    assert read(it, 1000)[:4] == bytes.fromhex(due)
    it.wires.advance_us(2_000_000)
    assert read(it, 1000)[:4] == bytes.fromhex(due)
    assert it.see("readings") == 2


def test_a_dht11_sends_whole_units() -> None:
    it = OnTable("embedbench-dht11", temperature="24", humidity="53")
    assert read(it, 18_000) == bytes([53, 0, 24, 0, 77])


@pytest.mark.parametrize(
    ("kind", "start_us"), [("wokwi-dht22", 790), ("embedbench-dht11", 17_900)]
)
def test_a_start_that_is_too_short_has_no_answer(kind: str, start_us: float) -> None:
    it = OnTable(kind)
    assert ask(it, start_us) == []
    assert it.see("readings") == 0


def test_what_a_sensor_says_is_no_start_for_itself() -> None:
    it = OnTable("wokwi-dht22")
    edges = ask(it, 1000)
    it.wires.events.clear()
    it.wires.advance_us(100_000)
    assert len(edges) == 2 + 2 * 40 + 2
    assert it.wires.events == []


def test_a_chain_of_two_takes_sixteen_bits() -> None:
    first, second = register(), register()
    for bit in f"{0xA53C:016b}":
        passed_on = first.wires.driven["Q7S"].level
        second.wires.show(DS=passed_on)
        shift(first, [int(bit)])
        clock(second, "SHCP")
    for it in (first, second):
        clock(it, "STCP")
    # The first bit went furthest: Q7 of the second one.
    shown = [*reversed(outputs(second)), *reversed(outputs(first))]
    assert "".join(str(level.value) for level in shown) == f"{0xA53C:016b}"
