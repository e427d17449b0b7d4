"""The five plants, against what was published, and for themselves."""

from __future__ import annotations

import json
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st

from embedbench_plants.filter_tank_sequence import (
    FilterState,
    FilterTankSequence,
    early_drain_count,
)
from embedbench_plants.mixing_tank_fill_heat import MixingTankFillHeat
from embedbench_plants.pressure_vessel_interlock import PressureVesselInterlock
from embedbench_plants.tank_fill_drain import TankFillDrain
from embedbench_plants.thermal_chamber_hysteresis import ThermalChamberHysteresis
from pytest_embedbench.contracts import Measured, Plant
from pytest_embedbench.model import Reply, Sample

GOLDEN = json.loads(
    (Path(__file__).parents[1] / "data" / "golden_paper_profile.json").read_text()
)
RUNS = [(task, scenario) for task, runs in GOLDEN.items() for scenario in runs]

PLANTS: dict[str, Any] = {
    "tank_fill_drain": TankFillDrain,
    "thermal_chamber_hysteresis": ThermalChamberHysteresis,
    "pressure_vessel_interlock": PressureVesselInterlock,
    "mixing_tank_fill_heat": MixingTankFillHeat,
    "filter_tank_sequence": FilterTankSequence,
}
STARTS = {
    "tank_fill_drain": ["level"],
    "thermal_chamber_hysteresis": ["temperature_c"],
    "pressure_vessel_interlock": ["pressure_kpa"],
    "mixing_tank_fill_heat": ["temp_c", "level"],
    "filter_tank_sequence": ["turbidity_ntu", "level"],
}
LINES = {
    "pump_on": ("ACT PUMP OFF", "ACT PUMP ON"),
    "heater_on": ("ACT HEATER OFF", "ACT HEATER ON"),
    "compressor_on": ("ACT COMPRESSOR OFF", "ACT COMPRESSOR ON"),
    "vent_open": ("ACT VENT CLOSED", "ACT VENT OPEN"),
    "inlet_open": ("ACT INLET CLOSED", "ACT INLET OPEN"),
    "filter_on": ("ACT FILTER OFF", "ACT FILTER ON"),
    "drain_open": ("ACT DRAIN CLOSED", "ACT DRAIN OPEN"),
}
RANGES = {
    "level": (0, 100),
    "temperature_c": (15, 80),
    "temp_c": (20, 80),
    "pressure_kpa": (0, 120),
    "turbidity_ntu": (0, 100),
    "retained_heat_c": (0, 6),
}


def golden_samples(task: str, scenario: str) -> list[dict[str, Any]]:
    run = GOLDEN[task][scenario]
    return [dict(zip(run["trace_columns"], row, strict=True)) for row in run["trace"]]


def replayed(task: str, scenario: str) -> list[Sample[Any]]:
    """Let the plant live through a published run: its actuators, its disturbances."""
    golden = golden_samples(task, scenario)
    plant = PLANTS[task](**{name: golden[0][name] for name in STARTS[task]})
    samples = [Sample(0, plant.initial())]
    for wanted in golden[1:]:
        at_ms, state = samples[-1]
        if wanted["timestamp_ms"] > at_ms:
            at_ms += plant.tick_ms
            state = plant.step(state)
        else:
            for name, lines in LINES.items():
                if name in wanted:
                    state = plant.actuate(state, lines[wanted[name]])
            for name in ("door_closed", "turbidity_ntu"):
                if name in wanted:
                    state = replace(state, **{name: wanted[name]})
        samples.append(Sample(at_ms, state))
    return samples


@pytest.mark.parametrize(("task", "scenario"), RUNS)
def test_a_published_run_is_reproduced_sample_by_sample(
    task: str, scenario: str
) -> None:
    shown = [
        {"timestamp_ms": at_ms}
        | {field.name: getattr(state, field.name) for field in fields(state)}
        for at_ms, state in replayed(task, scenario)
    ]
    assert shown == golden_samples(task, scenario)
    assert list(shown[0]) == GOLDEN[task][scenario]["trace_columns"]


@pytest.mark.parametrize(("task", "scenario"), RUNS)
def test_the_published_figures_are_reproduced(task: str, scenario: str) -> None:
    plant = PLANTS[task]()
    assert isinstance(plant, Measured)
    assert (
        plant.metrics(replayed(task, scenario), [])
        == (GOLDEN[task][scenario]["metrics"])
    )


@pytest.mark.parametrize("task", PLANTS)
@given(data=st.data())
def test_a_plant_stays_in_range_whatever_it_is_told(
    task: str, data: st.DataObject
) -> None:
    starts = {name: data.draw(st.integers(*RANGES[name])) for name in STARTS[task]}
    plant: Plant[Any] = PLANTS[task](**starts)
    state = plant.initial()
    words = [line for pair in LINES.values() for line in pair]
    for line in data.draw(st.lists(st.sampled_from(words), max_size=40)):
        state = plant.step(plant.actuate(state, line))
        for field in fields(state):
            low, high = RANGES.get(field.name, (0, 1))
            assert low <= getattr(state, field.name) <= high


@pytest.mark.parametrize("task", PLANTS)
def test_a_plant_obeys_a_line_with_blanks_after_it_and_no_other(task: str) -> None:
    plant: Plant[Any] = PLANTS[task]()
    start = plant.initial()
    names = [field.name for field in fields(start) if field.name in LINES]
    for name in names:
        line = LINES[name][not getattr(start, name)]
        assert plant.actuate(start, line + " \t") != start
        assert plant.actuate(start, " " + line) == start
        assert plant.actuate(start, line.lower()) == start
        assert plant.actuate(start, line + " NOW") == start


def reply(
    at_ms: int, *, filter_on: bool, drain_open: bool, ntu: int
) -> Reply[FilterState]:
    state = FilterState(
        turbidity_ntu=ntu, level=72, filter_on=filter_on, drain_open=drain_open
    )
    return Reply(at_ms, at_ms * 1000, ("ACT FILTER", "ACT DRAIN"), state)


def test_draining_without_settling_is_too_early() -> None:
    assert early_drain_count([reply(0, filter_on=False, drain_open=True, ntu=0)]) == 1


@pytest.mark.parametrize(
    ("settled_ms", "ntu", "count"),
    [(400, 20, 0), (399, 20, 0), (380, 20, 1), (500, 36, 1)],
)
def test_draining_takes_a_settled_and_clear_tank(
    settled_ms: int, ntu: int, count: int
) -> None:
    replies = [
        reply(0, filter_on=True, drain_open=False, ntu=20),
        reply(100, filter_on=False, drain_open=False, ntu=20),
        reply(100 + settled_ms, filter_on=False, drain_open=True, ntu=ntu),
    ]
    assert early_drain_count(replies) == count
