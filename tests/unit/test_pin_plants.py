"""Plants that act by shares: a heated body and a dosing pump."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, strategies as st

from embedbench_plants.dosing_pump import (
    FULL_FLOW_ML_MIN,
    LEAK_ML_MIN,
    DosingPump,
    DosingState,
)
from embedbench_plants.heater_ntc import OPEN_MC, SHORTED_MC, HeaterNtc, HeaterState
from pytest_embedbench.contracts import Measured
from pytest_embedbench.model import Sample

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pytest_embedbench.contracts import Plant, StateT

RANGES = {
    "body_mc": (0, 120_000),
    "heater_mc": (0, 150_000),
    "ambient_mc": (22_000, 22_000),
    "heater_pct": (0, 100),
    "pump_pct": (0, 100),
    "flow_ml_min": (0, FULL_FLOW_ML_MIN),
    "delivered_ul": (0, 20_000_000),
    "tank_ul": (0, 20_000_000),
}
WORDS = {"ACT HEATER": "heater_pct", "ACT PUMP": "pump_pct"}


def lived(
    plant: Plant[StateT], state: StateT, ticks: int, line: str = ""
) -> list[StateT]:
    states = [plant.actuate(state, line)]
    for _ in range(ticks):
        states.append(plant.step(states[-1]))
    return states


def sampled(states: Sequence[StateT], tick_ms: int) -> list[Sample[StateT]]:
    return [Sample(number * tick_ms, state) for number, state in enumerate(states)]


def changed(states: Sequence[Any], name: str) -> list[int]:
    return [getattr(state, name) for state in states]


@pytest.mark.parametrize("make", [HeaterNtc, DosingPump])
@given(duties=st.lists(st.integers(0, 150), max_size=30), ticks=st.integers(1, 40))
def test_a_plant_stays_in_range_whatever_it_is_told(
    make: Callable[[], Plant[Any]], duties: list[int], ticks: int
) -> None:
    plant = make()
    state = plant.initial()
    word = "ACT HEATER" if make is HeaterNtc else "ACT PUMP"
    for duty in duties:
        for state in lived(plant, state, ticks, f"{word} {duty}"):  # noqa: B020
            for each in fields(state):
                low, high = RANGES.get(each.name, (0, 1))
                assert low <= getattr(state, each.name) <= high, each.name


@pytest.mark.parametrize(
    ("plant", "word"), [(HeaterNtc(), "ACT HEATER"), (DosingPump(), "ACT PUMP")]
)
def test_a_plant_obeys_its_line_with_blanks_after_it_and_no_other(
    plant: Any,  # noqa: ANN401  # one of two
    word: str,
) -> None:
    start, name = plant.initial(), WORDS[word]
    assert getattr(plant.actuate(start, f"{word} 40 \t"), name) == 40
    assert getattr(plant.actuate(start, f"{word} 400"), name) == 100
    for line in (f" {word} 40", f"{word.lower()} 40", f"{word} 40 NOW", word):
        assert plant.actuate(start, line) == start
    for number in ("-1", "4.5", "ON", "\u0664", ""):
        assert plant.actuate(start, f"{word} {number}") == start


# ------------------------------------------------------------------------ heater
def test_a_body_is_heated_by_two_fifths_of_a_degree_per_second() -> None:
    states = lived(HeaterNtc(), HeaterNtc().initial(), 400, "ACT HEATER 100")
    at_60_s, at_70_s = states[240].body_mc, states[280].body_mc
    assert at_70_s - at_60_s == pytest.approx(3_500, abs=500)


def test_it_goes_on_warming_when_the_heater_is_off() -> None:
    plant = HeaterNtc()
    hot = lived(plant, plant.initial(), 200, "ACT HEATER 100")[-1]
    after = changed(lived(plant, hot, 200, "ACT HEATER 0"), "body_mc")
    assert max(after) - hot.body_mc == pytest.approx(800, abs=100)
    assert after[-1] < max(after)


def test_on_full_for_ever_it_gets_too_hot() -> None:
    plant = HeaterNtc()
    states = lived(plant, plant.initial(), 4_000, "ACT HEATER 100")
    assert states[-1].body_mc == RANGES["body_mc"][1]


def test_it_comes_to_rest_at_ambient() -> None:
    plant = HeaterNtc(body_mc=23_000)
    last = lived(plant, plant.initial(), 10_000)[-1]
    assert last.body_mc == pytest.approx(22_000, abs=1_030)
    assert plant.step(last) == last


@pytest.mark.parametrize(
    ("broken", "felt_mc"),
    [
        ({}, 22_000),
        ({"sensor_open": True}, OPEN_MC),
        ({"sensor_shorted": True}, SHORTED_MC),
    ],
)
def test_a_broken_sensor_feels_what_cannot_be(
    broken: dict[str, bool], felt_mc: int
) -> None:
    plant = HeaterNtc()
    state: HeaterState = replace(plant.initial(), **broken)
    assert plant.sense(state) == (f"SENSE TEMP {felt_mc}",)


def test_figures_of_a_body_that_is_heated_too_long() -> None:
    plant = HeaterNtc()
    warm = lived(plant, plant.initial(), 400, "ACT HEATER 100")
    states = [*warm, *lived(plant, warm[-1], 400, "ACT HEATER 0")]
    assert isinstance(plant, Measured)
    figures = plant.metrics(sampled(states, 250), [])
    highest = max(changed(states, "body_mc"))
    assert figures["max_body_mc"] == highest
    assert figures["overshoot_mc"] == highest - 42_000
    assert figures["hard_limit_margin_mc"] == 60_000 - highest
    assert figures["hard_limit_exceeded"] is (highest > 60_000)
    assert figures["heater_transitions"] == 1
    first = next(i for i, state in enumerate(states) if state.body_mc >= 38_000)
    assert figures["rise_time_ms"] == first * 250


# ------------------------------------------------------------------------ pump
def flow_ends(plant: DosingPump, state: DosingState) -> DosingState:
    return lived(plant, state, 200, "ACT PUMP 0")[-1]


def test_100_ml_run_on_at_full_flow() -> None:
    plant = DosingPump()
    full = lived(plant, plant.initial(), 100, "ACT PUMP 100")[-1]
    assert full.flow_ml_min == pytest.approx(FULL_FLOW_ML_MIN, abs=3)
    ended = flow_ends(plant, full)
    assert ended.flow_ml_min == 0
    run_on_ul = ended.delivered_ul - full.delivered_ul
    assert run_on_ul == pytest.approx(100_000, abs=1_000)


def test_what_is_delivered_is_gone_from_the_tank() -> None:
    plant = DosingPump(tank_ml=1_000)
    states = lived(plant, plant.initial(), 200, "ACT PUMP 100")
    assert {s.delivered_ul + s.tank_ul for s in states} == {1_000_000}
    assert states[-1].tank_ul == 0
    assert states[-1].flow_ml_min == 0


def test_a_valve_that_is_stuck_lets_water_through_without_the_pump() -> None:
    plant = DosingPump()
    stuck = replace(plant.initial(), valve_stuck=True)
    assert lived(plant, stuck, 100)[-1].flow_ml_min == pytest.approx(LEAK_ML_MIN, abs=3)
    assert lived(plant, plant.initial(), 100)[-1].flow_ml_min == 0


def test_figures_of_a_dose() -> None:
    plant = DosingPump()
    pumped = lived(plant, plant.initial(), 40, "ACT PUMP 100")
    states = [*pumped, *lived(plant, pumped[-1], 60, "ACT PUMP 0")]
    assert isinstance(plant, Measured)
    figures = plant.metrics(sampled(states, 50), [])
    assert figures["delivered_ul"] == states[-1].delivered_ul
    assert figures["run_on_ul"] == states[-1].delivered_ul - pumped[-1].delivered_ul
    assert figures["final_flow_ml_min"] == 0
    assert figures["pump_transitions"] == 1
    assert figures["tank_emptied"] is False
    idle = plant.metrics(sampled([plant.initial()] * 2, 50), [])
    assert idle["run_on_ul"] == 0
    assert idle["no_progress_detected"] is True
