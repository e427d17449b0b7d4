"""What parts forget, and what they keep, when their board's power was away."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.unit.test_part_card import Host as CardHost
from tests.unit.test_part_digital import clock, register, shift
from tests.unit.test_part_lcd import Lcd
from tests.unit.test_part_matrix import DARK, Matrix
from tests.unit.test_part_oled import Screen
from tests.unit.test_part_pixels import RED, reset, send, strip
from tests.unit.test_part_tm1637 import display

if TYPE_CHECKING:
    from tests.support.placed import OnTable


def cut_power(it: OnTable) -> None:
    it.part.power_on(it.wires.now_ticks)
    it.wires.advance(1)


def test_a_shift_register_holds_zeros() -> None:
    it = register()
    shift(it, [1] * 8)
    clock(it, "STCP")
    cut_power(it)
    assert it.see("outputs") == (False,) * 8
    clock(it, "STCP")
    assert it.see("outputs") == (False,) * 8


def test_a_matrix_is_off_and_has_forgotten_its_rows() -> None:
    matrix = Matrix()
    matrix.all(0x01, 0xFF)
    cut_power(matrix.it)
    assert matrix.rows() == [DARK] * 8
    matrix.all(0x0C, 1)
    assert matrix.rows() == [DARK] * 8


def test_an_oled_is_dark_until_it_is_set_up_anew() -> None:
    screen = Screen()
    screen.data(b"\x03")
    cut_power(screen.it)
    assert screen.lit() == set()
    screen.command(b"\x8d\x14\xaf")
    assert screen.lit() == set()


@pytest.mark.parametrize("kind", ["wokwi-lcd1602", "wokwi-lcd2004"])
def test_a_display_of_characters_is_blank(kind: str) -> None:
    lcd = Lcd(kind)
    lcd.begin()
    lcd.print("hello")
    assert lcd.text()[0] == "hello"
    cut_power(lcd.it)
    assert not any(lcd.text())


def test_digits_are_off() -> None:
    host = display(0x06)
    assert host.it.see("text") != "    "
    cut_power(host.it)
    assert host.it.see("text") == "    "
    assert host.it.see("brightness") == 0


def test_pixels_are_dark() -> None:
    it = strip(2)
    send(it, [RED, RED])
    reset(it)
    cut_power(it)
    assert it.see("pixels") == ((0, 0, 0),) * 2
    send(it, [RED])
    reset(it)
    assert it.see("pixels") == (RED, (0, 0, 0))


def test_a_card_keeps_its_blocks_and_has_to_be_set_up_again() -> None:
    host = CardHost()
    host.write(1000, b"kept" * 128)
    cut_power(host.it)
    with pytest.raises(TimeoutError):
        host.ask(17, 0)
    host.begin()
    assert host.read(1000) == b"kept" * 128
