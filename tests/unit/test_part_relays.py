"""KY-040, PIR, MQ-2 and relays, by their datasheets and pages."""

from __future__ import annotations

from itertools import pairwise

import pytest

from pytest_embedbench.pins import Level
from pytest_embedbench.wiring.drives import Drive
from pytest_embedbench.wiring.part_type import PinRole
from tests.support.placed import OnTable

LOW, HIGH, FLOATING = Level.LOW, Level.HIGH, Level.FLOATING
MS = 1000


def edges_ms(it: OnTable, *pins: str) -> list[tuple[float, str, bool]]:
    """Return when which pin went where: high, or not."""
    rate = it.wires.ticks_per_us * MS
    return [
        (event.at_ticks / rate, event.pins[0], event.value.is_high)
        for event in it.wires.events
        if event.pins[0] in pins and isinstance(event.value, Drive)
    ]


class Knob:
    """An encoder and a sketch that looks at both pins once per millisecond."""

    def __init__(self) -> None:
        self.it = OnTable("wokwi-ky-040")
        self.count = 0
        self.was = HIGH

    def turn(self, detents: float) -> None:
        self.it.set("turn", detents)

    def poll(self, duration_ms: int) -> None:
        for _ in range(duration_ms):
            clk = self.it.wires.driven["CLK"].level
            if clk is LOW and self.was is HIGH:
                is_clockwise = self.it.wires.driven["DT"].level is HIGH
                self.count += 1 if is_clockwise else -1
            self.was = clk
            self.it.wires.advance_us(MS)


class TestEncoder:
    @pytest.mark.parametrize("detents", [1, -1, 7, -20])
    def test_falling_clk_tells_the_way_by_dt(self, detents: int) -> None:
        knob = Knob()
        knob.poll(5)
        knob.turn(detents)
        knob.poll(20 * abs(detents))
        assert knob.count == detents
        knob.poll(100)
        assert knob.count == detents
        assert {knob.it.wires.driven[pin].level for pin in ("CLK", "DT")} == {HIGH}

    def test_the_order_of_edges_is_the_pages(self) -> None:
        knob = Knob()
        knob.it.wires.events.clear()
        knob.turn(1)
        knob.turn(-1)
        knob.it.wires.advance_us(100 * MS)
        there = [(0, "CLK"), (4, "DT"), (10, "CLK"), (14, "DT")]
        back = [(20, "DT"), (24, "CLK"), (30, "DT"), (34, "CLK")]
        seen = edges_ms(knob.it, "CLK", "DT")
        assert [(at, pin) for at, pin, _ in seen] == there + back
        assert [high for _, _, high in seen] == [False, False, True, True] * 2

    def test_turns_wait_for_each_other(self) -> None:
        knob = Knob()
        knob.turn(3)
        knob.poll(10)
        knob.turn(2)
        knob.turn(-1)
        knob.poll(200)
        assert knob.count == 4

    def test_the_button_joins_sw_and_ground_without_a_pull_up(self) -> None:
        it = OnTable("wokwi-ky-040")
        assert it.wires.pins["SW"].role is PinRole.PASSIVE
        it.set("pressed", 1)
        assert it.wires.closed == {("SW", "GND")}
        it.set("pressed", 0)
        assert it.wires.closed == set()


class TestMotion:
    def test_a_movement_is_seen_for_the_delay(self) -> None:
        it = OnTable("wokwi-pir-motion-sensor")
        it.set("motion", 0)
        it.wires.advance_us(1000 * MS)
        it.set("motion", 1)
        it.wires.advance_us(20_000 * MS)
        assert edges_ms(it, "OUT")[1:] == [(1000, "OUT", True), (6000, "OUT", False)]

    def test_another_one_begins_the_delay_anew(self) -> None:
        it = OnTable("wokwi-pir-motion-sensor", delayTime="2")
        it.set("motion", 1)
        for _ in range(3):
            it.wires.advance_us(1500 * MS)
            it.set("motion", 1)
        it.wires.advance_us(20_000 * MS)
        assert edges_ms(it, "OUT")[1:] == [(0, "OUT", True), (6500, "OUT", False)]

    def test_without_retrigger_the_delay_is_over_in_time(self) -> None:
        it = OnTable("wokwi-pir-motion-sensor", retrigger="0")
        it.set("motion", 1)
        it.wires.advance_us(3000 * MS)
        it.set("motion", 1)
        it.wires.advance_us(20_000 * MS)
        assert edges_ms(it, "OUT")[1:] == [(0, "OUT", True), (5000, "OUT", False)]

    def test_it_is_blind_after_that(self) -> None:
        it = OnTable("wokwi-pir-motion-sensor", delayTime="1", inhibitTime="3")
        it.set("motion", 1)
        it.wires.advance_us(1000 * MS)
        for _ in range(2):
            it.set("motion", 1)
            it.wires.advance_us(1499 * MS)
        assert len(edges_ms(it, "OUT")) == 3
        it.wires.advance_us(2 * MS)
        it.set("motion", 1)
        assert edges_ms(it, "OUT")[-1] == (4000, "OUT", True)


class TestGas:
    def test_more_gas_is_more_voltage_on_a_line_of_logarithms(self) -> None:
        it = OnTable("wokwi-gas-sensor")
        ohms: list[float] = []
        for ppm in (300, 900, 2700, 8100):
            it.set("ppm", ppm)
            value_mv = it.wires.volts_mv["AOUT"]
            ohms.append(10_000 * (5000 - value_mv) / value_mv)
        for more, less in pairwise(ohms):
            assert less / more == pytest.approx(0.6, rel=0.01)

    def test_1000_ppm_are_3_kohm(self) -> None:
        it = OnTable("wokwi-gas-sensor", ppm="1000")
        assert it.wires.volts_mv["AOUT"] == pytest.approx(5000 * 10 / 13, abs=1)

    @pytest.mark.parametrize(("threshold", "ppm"), [("4.4", 5430), ("3.846", 1000)])
    def test_dout_falls_over_the_threshold(self, threshold: str, ppm: float) -> None:
        it = OnTable("wokwi-gas-sensor", threshold=threshold)
        for share, level in ((0.9, HIGH), (1.1, LOW), (0.5, HIGH)):
            it.set("ppm", ppm * share)
            assert it.wires.driven["DOUT"].level is level

    def test_no_gas_at_all_is_hardly_a_voltage(self) -> None:
        it = OnTable("wokwi-gas-sensor", ppm="0")
        assert it.wires.volts_mv["AOUT"] < 500
        assert it.wires.driven["DOUT"].level is HIGH


NO, NC = ("COM", "NO"), ("COM", "NC")


class TestRelay:
    @pytest.mark.parametrize(
        ("transistor", "on", "off"), [("npn", HIGH, LOW), ("pnp", LOW, HIGH)]
    )
    def test_a_module_switches_as_its_transistor_says(
        self, transistor: str, on: Level, off: Level
    ) -> None:
        it = OnTable("wokwi-relay-module", transistor=transistor)
        for level, closed in ((off, NC), (on, NO), (FLOATING, NC), (on, NO), (off, NC)):
            it.wires.show(IN=level)
            it.wires.advance_us(20 * MS)
            assert it.wires.closed == {closed}
            assert it.see("is_on") == (closed == NO)

    def test_it_takes_its_time_and_leaves_one_side_first(self) -> None:
        it = OnTable("wokwi-relay-module")
        it.wires.show(IN=LOW)
        it.wires.events.clear()
        it.wires.show(IN=HIGH)
        it.wires.advance_us(100 * MS)
        it.wires.show(IN=LOW)
        it.wires.advance_us(100 * MS)
        moves = [(event.at_ticks / 16_000, *event[1:]) for event in it.wires.events]
        assert moves == [
            *((10, NC, False), (10, NO, True)),
            *((105, NO, False), (105, NC, True)),
        ]

    def test_a_short_current_moves_nothing(self) -> None:
        it = OnTable("wokwi-relay-module")
        it.wires.show(IN=LOW)
        it.wires.events.clear()
        for level, duration_ms in ((HIGH, 9), (LOW, 4), (HIGH, 9), (LOW, 100)):
            it.wires.show(IN=level)
            it.wires.advance_us(duration_ms * MS)
        assert it.wires.events == []

    def test_pwm_pulls_at_75_percent_and_holds_above_10(self) -> None:
        it = OnTable("wokwi-relay-module")
        for high_ticks, is_on in (
            *((700, False), (760, True)),
            *((150, True), (90, False), (700, False)),
        ):
            it.wires.pwm("IN", 1000, high_ticks)
            it.wires.advance_us(20 * MS)
            assert it.see("is_on") is is_on

    def test_two_poles_move_together_whichever_way_the_coil_is_wired(self) -> None:
        it = OnTable("wokwi-ks2e-m-dc5", bounce="0")
        rest = {("P1", "NC1"), ("P2", "NC2")}
        work = {("P1", "NO1"), ("P2", "NO2")}
        for one, other, closed in (
            *((LOW, LOW, rest), (HIGH, LOW, work), (HIGH, HIGH, rest)),
            *((LOW, HIGH, work), (FLOATING, HIGH, rest)),
        ):
            it.wires.show(COIL1=one, COIL2=other)
            it.wires.advance_us(20 * MS)
            assert it.wires.closed == closed
            assert it.see("is_on") is (closed == work)

    def test_what_bounces_never_joins_both_sides(self) -> None:
        it = OnTable("wokwi-ks2e-m-dc5")
        it.wires.show(COIL1=LOW, COIL2=LOW)
        for level in (HIGH, LOW) * 5:
            it.wires.show(COIL1=level)
            for _ in range(2000):
                it.wires.advance_us(10)
                assert not {("P1", "NC1"), ("P1", "NO1")} <= it.wires.closed
        bounces = [event for event in it.wires.events if event.pins == ("P1", "NO1")]
        assert len(bounces) > 50
