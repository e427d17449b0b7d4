"""WS2812 pixels, by the pulses of Worldsemi's datasheets."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from pytest_embedbench.pins import Level
from pytest_embedbench.wiring.drives import Drive
from tests.support.placed import OnTable

LOW, HIGH, FLOATING = Level.LOW, Level.HIGH, Level.FLOATING
RED, GREEN, BLUE, DARK = (255, 0, 0), (0, 255, 0), (0, 0, 255), (0, 0, 0)
Color = tuple[int, int, int]


def send(
    it: OnTable, colors: Iterable[Color], zero_us: float = 0.4, one_us: float = 0.8
) -> None:
    for red, green, blue in colors:
        send_bits(it, f"{green:08b}{red:08b}{blue:08b}", zero_us, one_us)


def send_bits(
    it: OnTable, bits: str, zero_us: float = 0.4, one_us: float = 0.8
) -> None:
    for bit in bits:
        high_us = one_us if bit == "1" else zero_us
        it.wires.show(DIN=HIGH)
        it.wires.advance_us(high_us)
        it.wires.show(DIN=LOW)
        it.wires.advance_us(1.25 - high_us)


def reset(it: OnTable, low_us: float = 50) -> None:
    it.wires.advance_us(low_us)


def strip(count: int, kind: str = "wokwi-led-strip") -> OnTable:
    it = OnTable(kind, pixels=str(count))
    it.wires.show(DIN=LOW)
    reset(it)
    return it


# The ends of both tables: 250 to 550 and 650 to 950 ns; 220 to 380 and 580 to 1000 ns.
@pytest.mark.parametrize(
    ("zero_us", "one_us"),
    [(0.25, 0.65), (0.55, 0.95), (0.22, 0.625), (0.38, 1.0), (0.3125, 0.8125)],
)
def test_a_pulse_is_a_bit_by_either_datasheet(zero_us: float, one_us: float) -> None:
    it = strip(2)
    send(it, [(1, 2, 3), (0xA5, 0x5A, 0xF0)], zero_us, one_us)
    reset(it)
    assert it.see("pixels") == ((1, 2, 3), (0xA5, 0x5A, 0xF0))


def test_colors_show_at_the_reset_and_stay() -> None:
    it = strip(3, "wokwi-led-ring")
    assert it.see("pixels") == (DARK, DARK, DARK)
    send(it, [RED, GREEN, BLUE])
    reset(it, 49)
    assert it.see("pixels") == (DARK, DARK, DARK)
    reset(it, 2)
    assert it.see("pixels") == (RED, GREEN, BLUE)
    send(it, [BLUE])
    assert it.see("pixels") == (RED, GREEN, BLUE)
    reset(it)
    assert it.see("pixels") == (BLUE, GREEN, BLUE)


def test_a_pause_within_the_data_begins_anew() -> None:
    it = strip(2)
    send(it, [RED])
    reset(it, 60)
    send(it, [GREEN])
    reset(it)
    assert it.see("pixels") == (GREEN, DARK)
    send(it, [RED])
    reset(it, 40)
    send(it, [BLUE])
    reset(it)
    assert it.see("pixels") == (RED, BLUE)


def test_a_pixel_that_got_23_bits_stays_as_it_was() -> None:
    it = strip(2)
    send(it, [RED])
    send_bits(it, "1" * 23)
    reset(it)
    assert it.see("pixels") == (RED, DARK)
    send(it, [GREEN, BLUE])
    reset(it)
    assert it.see("pixels") == (GREEN, BLUE)


def test_what_is_beyond_goes_on_to_the_next_chip() -> None:
    first = OnTable("wokwi-neopixel")
    first.wires.show(DIN=LOW)
    reset(first)
    send(first, [RED])
    assert len(first.wires.events) == 1  # it holds DOUT low
    began_us = first.wires.now_ticks / first.wires.ticks_per_us
    send(first, [GREEN, BLUE])
    reset(first)
    assert first.see("pixels") == (RED,)
    second = strip(2)
    behind_us = second.wires.now_ticks / second.wires.ticks_per_us - began_us
    for at_us, held in first.events_us("DOUT")[1:]:
        assert isinstance(held, Drive)
        second.wires.advance_us(
            at_us + behind_us - second.wires.now_ticks / second.wires.ticks_per_us
        )
        second.wires.show(DIN=held.level)
    reset(second)
    assert second.see("pixels") == (GREEN, BLUE)


@pytest.mark.parametrize(
    ("kind", "layout"),
    [
        ("wokwi-led-matrix", "layout"),
        ("wokwi-neopixel-matrix", "matrixLayout"),
        ("wokwi-neopixel-canvas", "matrixLayout"),
    ],
)
def test_a_matrix_has_rows_that_may_run_to_and_fro(kind: str, layout: str) -> None:
    colors = [(n, 0, 0) for n in range(1, 7)]
    shape = {"rows": "2", "cols": "3"}
    for word, second_row in (("", [4, 5, 6]), ("serpentine", [6, 5, 4])):
        it = OnTable(kind, **shape, **{layout: word})
        it.wires.show(DIN=LOW)
        reset(it)
        send(it, colors)
        reset(it)
        rows = ([1, 2, 3], second_row)
        assert it.see("pixels") == tuple(tuple((n, 0, 0) for n in row) for row in rows)


def test_a_line_that_floats_sends_nothing() -> None:
    it = strip(1)
    for level in (FLOATING, LOW, FLOATING):
        it.wires.show(DIN=level)
        it.wires.advance_us(1)
    send(it, [GREEN])
    it.wires.show(DIN=FLOATING)
    reset(it)
    assert it.see("pixels") == (GREEN,)
