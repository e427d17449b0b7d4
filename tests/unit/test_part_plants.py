"""What plants on pins use: a transistor and a flow sensor, by their data sheets.

YF-S201: F = 7.5 Hz per l/min, 450 pulses per litre, duty 50 %, 1 to 30 l/min.
"""

from __future__ import annotations

from itertools import pairwise

import pytest

from pytest_embedbench.errors import ConfigError
from pytest_embedbench.pins import Level
from pytest_embedbench.wiring.drives import Drive
from tests.support.placed import OnTable

LOW, HIGH, FLOATING = Level.LOW, Level.HIGH, Level.FLOATING


# ------------------------------------------------------------------------ MOSFET
@pytest.mark.parametrize(
    ("level", "is_on"), [(LOW, False), (HIGH, True), (FLOATING, False)]
)
def test_a_transistor_conducts_while_its_gate_is_high(
    level: Level, *, is_on: bool
) -> None:
    fet = OnTable("embedbench-mosfet")
    assert fet.see("is_on") is False
    fet.wires.show_all({"G": HIGH})
    fet.wires.show_all({"G": level})
    assert fet.see("is_on") is is_on


@pytest.mark.parametrize(
    ("window", "on_ms", "share"),
    [("100", 25, 0.25), ("100", 100, 1), ("100", 300, 1), ("50", 25, 0.5)],
)
def test_it_counts_for_how_much_of_its_window_it_was_on(
    window: str, on_ms: int, share: float
) -> None:
    fet = OnTable("embedbench-mosfet", window=window)
    fet.wires.advance_us(1_000_000)
    fet.wires.show_all({"G": HIGH})
    fet.wires.advance_us(on_ms * 1000)
    assert fet.number("on_share") == pytest.approx(share)
    fet.wires.show_all({"G": LOW})
    assert fet.number("on_share") == pytest.approx(share)
    fet.wires.advance_us(int(window) * 1000)
    assert fet.number("on_share") == 0


def test_many_pulses_are_a_share_and_pwm_is_one() -> None:
    fet = OnTable("embedbench-mosfet")
    for _ in range(200):
        fet.wires.show_all({"G": HIGH})
        fet.wires.advance_us(300)
        fet.wires.show_all({"G": LOW})
        fet.wires.advance_us(700)
    assert fet.number("on_share") == pytest.approx(0.3)
    fet.wires.pwm("G", 1000, 800)
    fet.wires.advance_us(50_000)
    assert fet.number("on_share") == pytest.approx(0.55)
    fet.wires.advance_us(50_000)
    assert fet.number("on_share") == pytest.approx(0.8)
    assert fet.see("is_on") is True


def test_before_its_window_is_full_it_counts_what_there_was() -> None:
    fet = OnTable("embedbench-mosfet")
    fet.wires.show_all({"G": HIGH})
    assert fet.number("on_share") == 1
    fet.wires.advance_us(10_000)
    fet.wires.show_all({"G": LOW})
    fet.wires.advance_us(10_000)
    assert fet.number("on_share") == pytest.approx(0.5)


# ------------------------------------------------------------------------ flow sensor
def rises_us(it: OnTable) -> list[float]:
    levels = [
        (at_us, drive.level)
        for at_us, drive in it.events_us("OUT")
        if isinstance(drive, Drive)
    ]
    assert all(before[1] != after[1] for before, after in pairwise(levels))
    return [at_us for at_us, level in levels if level is HIGH]


@pytest.mark.parametrize("flow", [0.5, 1, 2, 7.3, 30])
def test_it_gives_450_pulses_per_litre(flow: float) -> None:
    sensor = OnTable("embedbench-flow-sensor")
    sensor.set("flow", flow)
    sensor.wires.advance_us(60_000_000)
    assert len(rises_us(sensor)) == pytest.approx(450 * flow, abs=1)
    assert sensor.see("pulses") == len(rises_us(sensor))


def test_its_pulses_are_even_and_high_for_half_of_the_time() -> None:
    sensor = OnTable("embedbench-flow-sensor", flow="30")
    sensor.wires.advance_us(1_000_000)
    edges = [at_us for at_us, _ in sensor.events_us("OUT")][1:]
    assert len(edges) == 449 or len(edges) == 450
    spans = {round(after - before) for before, after in pairwise(edges)}
    assert spans == {2222}


def test_nothing_flows_at_first_and_its_output_is_low() -> None:
    sensor = OnTable("embedbench-flow-sensor")
    sensor.wires.advance_us(10_000_000)
    assert sensor.wires.driven["OUT"].level is LOW
    assert len(sensor.events_us("OUT")) == 1
    assert sensor.see("pulses") == 0


def test_its_wheel_goes_on_from_where_it_is() -> None:
    """Whatever the flow does meanwhile, equal volumes are equal pulses."""
    sensor = OnTable("embedbench-flow-sensor")
    litres = 0.0
    for step in range(2000):
        flow = step * 7 % 31 * 0.97
        sensor.set("flow", flow)
        sensor.wires.advance_us(10_000)
        litres += flow / 6000
        assert sensor.see("pulses") == pytest.approx(450 * litres, abs=0.51)


def test_it_stands_where_the_stream_ends() -> None:
    sensor = OnTable("embedbench-flow-sensor", flow="30")
    sensor.wires.advance_us(3_000)
    assert sensor.wires.driven["OUT"].level is HIGH
    sensor.set("flow", 0)
    sensor.wires.advance_us(1_000_000)
    assert sensor.wires.driven["OUT"].level is HIGH
    sensor.set("flow", 30)
    sensor.wires.advance_us(1_400)
    assert sensor.wires.driven["OUT"].level is HIGH
    sensor.wires.advance_us(100)
    assert sensor.wires.driven["OUT"].level is LOW


def test_setting_the_same_flow_again_changes_nothing() -> None:
    steady, reminded = (OnTable("embedbench-flow-sensor", flow="3") for _ in range(2))
    for _ in range(1000):
        steady.wires.advance_us(1_000)
        reminded.set("flow", 3)
        reminded.wires.advance_us(1_000)
    assert steady.events_us("OUT") == reminded.events_us("OUT")


def test_another_sensor_has_other_pulses() -> None:
    sensor = OnTable("embedbench-flow-sensor", flow="10", pulsesPerLitre="60")
    sensor.wires.advance_us(6_050_000)
    assert sensor.see("pulses") == 60 or sensor.see("pulses") == 61


@pytest.mark.parametrize("flow", [-1, 30.5, float("nan")])
def test_no_flow_beyond_its_range(flow: float) -> None:
    with pytest.raises(ConfigError, match="0 to 30 l/min"):
        OnTable("embedbench-flow-sensor").set("flow", flow)
