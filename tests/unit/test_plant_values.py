"""A wrong value for a plant is told where it is given, by name, wish and value."""

from __future__ import annotations

from dataclasses import make_dataclass, replace
from typing import TYPE_CHECKING, Any

import pytest

from embedbench_plants.pressure_vessel_interlock import PressureVesselInterlock
from pytest_embedbench.bench.registry import Registry
from pytest_embedbench.bench.scenario import PlantEvent, Scenario
from pytest_embedbench.errors import ConfigError
from pytest_embedbench.support.values import check_fields
from pytest_embedbench.testing import tank_firmware

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pytest_embedbench.bench.bench import Bench
    from pytest_embedbench.testing import Firmware

    PutOnBench = Callable[[Firmware], Bench]

SHIPPED = {
    "tank_fill_drain": "level",
    "thermal_chamber_hysteresis": "temperature_c",
    "pressure_vessel_interlock": "pressure_kpa",
    "mixing_tank_fill_heat": "temp_c",
    "filter_tank_sequence": "turbidity_ntu",
}
THIRD_PARTY = """
from dataclasses import dataclass
from embedbench_plants.tank_fill_drain import TankFillDrain

@dataclass(frozen=True, kw_only=True)
class Room(TankFillDrain):
    is_open: bool = False
    title: str = ""
    gain: float = 1.0
    delay_ms: "int | None" = None
    any_kind: object = None
"""


@pytest.mark.parametrize("name", SHIPPED)
@pytest.mark.parametrize("value", ["20", 20.0, True, None, -1, 1000, [20]])
def test_a_shipped_plant_refuses_a_wrong_start(name: str, value: object) -> None:
    parameter = SHIPPED[name]
    with pytest.raises(ConfigError) as refused:
        Registry().plant(name, **{parameter: value})
    told = str(refused.value)
    assert told.startswith(f"plant {name!r}: {parameter} must be a whole number, ")
    assert told.endswith(f", is {value!r}")


def test_a_plants_time_goes_forward() -> None:
    with pytest.raises(ConfigError, match="tick_ms must be 1 or more, is 0"):
        Registry().plant("tank_fill_drain", tick_ms=0)


@pytest.mark.parametrize(
    ("parameter", "value", "wanted"),
    [
        ("level", "20", "a whole number, 0 to 100"),
        ("is_open", 1, "true or false"),
        ("is_open", "yes", "true or false"),
        ("title", 7, "text"),
        ("gain", "1.0", "a number"),
        ("gain", True, "a number"),
        ("delay_ms", 1.5, "a whole number"),
        ("delay_ms", False, "a whole number"),
    ],
)
def test_a_plant_of_ones_own_is_held_to_its_annotations(
    tmp_path: Path, parameter: str, value: object, wanted: str
) -> None:
    (tmp_path / "plant.py").write_text(THIRD_PARTY)
    name = f"{tmp_path}/plant.py:Room"
    with pytest.raises(ConfigError) as refused:
        Registry().plant(name, **{parameter: value})
    assert str(refused.value) == (
        f"plant {name!r}: {parameter} must be {wanted}, is {value!r}"
    )


def test_what_a_field_says_may_be_given(tmp_path: Path) -> None:
    (tmp_path / "plant.py").write_text(THIRD_PARTY)
    name = f"{tmp_path}/plant.py:Room"
    room: Any = Registry().plant(
        name, level=0, is_open=True, title="hall", gain=2, delay_ms=None, any_kind=[]
    )
    assert (room.level, room.is_open, room.gain, room.delay_ms) == (0, True, 2, None)


def test_annotations_that_are_types_count_too() -> None:
    made = make_dataclass("Made", [("count", int, 0)])
    with pytest.raises(ConfigError, match=r"^made: count must be a whole number, is"):
        check_fields(made, {"count": "1"}, "made")


def test_a_scenario_starts_and_changes_a_plant_by_its_annotations(
    bench_with: PutOnBench,
) -> None:
    bench = bench_with(tank_firmware)
    start = Scenario(name="door", max_steps=2, initial={"pressure_kpa": True})
    with pytest.raises(
        ConfigError,
        match=r"^scenario 'door': initial: pressure_kpa must be a whole number, 0 to",
    ):
        bench.run(start, PressureVesselInterlock)
    event = PlantEvent(at_ms=0, changes={"door_closed": 0})
    opened = replace(start, initial={}, events=(event,))
    with pytest.raises(
        ConfigError,
        match=r"^scenario 'door': the plant's state: door_closed must be true or false",
    ):
        bench.run(opened, PressureVesselInterlock)


def test_a_plant_goes_by_its_name() -> None:
    with pytest.raises(ConfigError, match=r"plant\(5\): give the name of a plant"):
        Registry().plant(5)  # type: ignore[arg-type]
