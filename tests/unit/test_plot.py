"""The picture of a run."""

from __future__ import annotations

from dataclasses import dataclass, field
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given, strategies as st

from pytest_embedbench.model import Sample, Stimulus, StimulusKind
from pytest_embedbench.plotting.axes import Scale, path, spans, thinned
from pytest_embedbench.plotting.plot import draw

SVG = "{http://www.w3.org/2000/svg}"


@dataclass(frozen=True, slots=True, kw_only=True)
class OvenState:
    heat_c: int
    fill: int = field(default=0, metadata={"unit": "%"})
    lamp_on: bool = False


def oven(count: int) -> list[Sample[OvenState]]:
    return [
        Sample(100 * index, OvenState(heat_c=index % 30, lamp_on=index % 4 > 1))
        for index in range(count)
    ]


def texts(svg: str) -> list[str]:
    return [element.text or "" for element in ET.fromstring(svg).iter(f"{SVG}text")]


def test_everything_that_happened_is_named_with_its_unit() -> None:
    stimuli = [
        Stimulus(0, 0, StimulusKind.FRAME, "SENSE HEAT 0"),
        Stimulus(100, 0, StimulusKind.INJECTED, "SENSE <&> \x1b"),
        Stimulus(200, 0, StimulusKind.EVENT, "lamp_on = True"),
    ]
    shown = texts(draw("Oven: bake", oven(5), {"heat_c": (10, 20)}, stimuli))
    assert {"Oven: bake", "heat (°C)", "fill (%)", "lamp on"} <= set(shown)
    assert {"10", "20", "SENSE <&> \\x1b", "lamp_on = True"} <= set(shown)
    assert "plant time (s)" in shown


@pytest.mark.parametrize("count", [1, 2, 5000])
def test_any_length_of_run_can_be_drawn_in_little_room(count: int) -> None:
    svg = draw("Oven", oven(count), {}, [])
    assert ET.fromstring(svg).tag == f"{SVG}svg"
    assert len(svg) < 200_000


def test_equal_runs_are_drawn_with_equal_bytes() -> None:
    assert draw("x", oven(50), {}, []) == draw("x", oven(50), {}, [])


@given(st.floats(-1e6, 1e6), st.floats(0.001, 1e6), st.integers(2, 12))
def test_ticks_are_few_and_within_the_axis(
    low: float, width: float, count: int
) -> None:
    ticks = Scale(low, low + width, 0, 100).ticks(count)
    assert len(ticks) <= count + 1
    assert all(low - 1e-6 * width <= tick <= low + 1.000001 * width for tick in ticks)


def test_thinning_keeps_the_extremes_of_every_column() -> None:
    points = [(0.1, 5.0), (0.2, 9.0), (0.3, 1.0), (0.4, 4.0), (0.5, 6.0), (1.0, 2.0)]
    assert list(thinned(points)) == [points[0], points[1], points[2], *points[4:]]
    assert path([(0.0, 1.0), (1.0, 2.0)]) == "M0.0,1.0L1.0,2.0"


def test_a_switch_that_is_on_at_the_end_is_drawn_to_the_end() -> None:
    points = [(0.0, False), (1.0, True), (2.0, False), (3.0, True), (4.0, True)]
    assert list(spans(points)) == [(1.0, 2.0), (3.0, 4.0)]
