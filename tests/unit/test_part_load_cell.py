"""HX711, by the pulses of Avia's datasheet."""

from __future__ import annotations

import pytest

from pytest_embedbench.pins import Level
from tests.support.placed import OnTable

LOW, HIGH = Level.LOW, Level.HIGH


def cell(**attrs: str) -> OnTable:
    it = OnTable("wokwi-hx711", **attrs)
    it.wires.show(SCK=LOW)
    return it


def is_ready(it: OnTable) -> bool:
    return it.wires.driven["DT"].level is LOW


def wait_ms(it: OnTable, duration_ms: float) -> None:
    it.wires.advance_us(duration_ms * 1000)


def fetch(it: OnTable, pulses: int = 25, high_us: float = 1) -> int:
    """Return what the first 24 pulses shift out; DT is looked at behind each rise."""
    value = 0
    for pulse in range(pulses):
        it.wires.show(SCK=HIGH)
        it.wires.advance_us(high_us)
        bit = it.wires.driven["DT"].level is HIGH
        value = value << 1 | bit if pulse < 24 else value
        assert pulse < 24 or bit
        it.wires.show(SCK=LOW)
        it.wires.advance_us(1)
    return value


# The page of Wokwi: 0 to 2100 for 5 kg, 0 to 21000 for 50 kg.
@pytest.mark.parametrize(
    ("kind", "load_kg", "raw"),
    [
        *[("5kg", 5, 2100), ("50kg", 50, 21000), ("50kg", 1.5, 630), ("gauge", 0, 0)],
        # No cell says no: scenarios of Wokwi put on what they like.
        *[("5kg", 1200, 504_000), ("50kg", 19_972, 8_388_240)],
    ],
)
def test_a_reading_is_420_per_kg(kind: str, load_kg: float, raw: int) -> None:
    it = cell(type=kind)
    it.set("load", load_kg)
    wait_ms(it, 400)
    assert is_ready(it)
    assert fetch(it) == raw


def test_a_weight_is_there_from_the_start() -> None:
    it = cell(weight="2")
    wait_ms(it, 400)
    assert fetch(it) == 840


def test_readings_are_there_ten_times_a_second() -> None:
    it = cell()
    wait_ms(it, 399)
    assert not is_ready(it)
    wait_ms(it, 1)
    assert is_ready(it)
    for _ in range(3):
        fetch(it)
        assert not is_ready(it)
        wait_ms(it, 99)
        assert not is_ready(it)
        wait_ms(it, 1)
        assert is_ready(it)
    wait_ms(it, 250)
    assert is_ready(it)
    fetch(it)
    wait_ms(it, 50)
    assert is_ready(it)


def test_a_module_with_rate_high_has_80_readings_a_second() -> None:
    it = cell(rate="80")
    wait_ms(it, 49)
    assert not is_ready(it)
    wait_ms(it, 1)
    for _ in range(3):
        assert is_ready(it)
        fetch(it)
        wait_ms(it, 12)
        assert not is_ready(it)
        wait_ms(it, 0.5)


def test_another_gain_settles_for_400_ms() -> None:
    it = cell(weight="1")
    wait_ms(it, 400)
    for pulses, gain in ((27, 64), (26, 32), (25, 128)):
        assert fetch(it, pulses) == 420
        assert it.see("gain") == gain
        wait_ms(it, 399)
        assert not is_ready(it)
        wait_ms(it, 1.5)
        assert is_ready(it)
        assert fetch(it, pulses) == 420
        wait_ms(it, 100)
        assert is_ready(it)


def test_a_clock_that_stays_high_turns_it_off() -> None:
    it = cell()
    wait_ms(it, 400)
    it.wires.show(SCK=HIGH)
    it.wires.advance_us(60)
    assert it.see("is_on") is True
    it.wires.advance_us(1)
    assert it.see("is_on") is False
    assert not is_ready(it)


def test_it_wakes_with_gain_128_and_settles() -> None:
    it = cell(weight="1")
    wait_ms(it, 400)
    fetch(it, 27)
    it.wires.show(SCK=HIGH)
    wait_ms(it, 1000)
    assert it.see("is_on") is False
    assert not is_ready(it)
    it.wires.show(SCK=LOW)
    assert (it.see("is_on"), it.see("gain")) == (True, 128)
    wait_ms(it, 399)
    assert not is_ready(it)
    wait_ms(it, 1)
    assert is_ready(it)
    assert fetch(it) == 420
    wait_ms(it, 100)
    assert is_ready(it)
