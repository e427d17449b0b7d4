"""The plant name: its sensor name falls, and rises while the actuator name is on."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar


@dataclass(frozen=True, slots=True, kw_only=True)
class PlantNameState:
    """The sensor name, and whether the actuator name is on."""

    sensor_name: int
    actuator_name_on: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PlantName:
    """Whole numbers per tick: frozen parameters, pure transitions, no clock."""

    sensor_name: int = 50
    """What it is at the start."""
    tick_ms: ClassVar[int] = 100
    thresholds: ClassVar[dict[str, tuple[int, ...]]] = {"sensor_name": (30, 60)}

    def initial(self) -> PlantNameState:
        """Return the state at power-on."""
        return PlantNameState(sensor_name=self.sensor_name)

    def actuate(self, state: PlantNameState, line: str) -> PlantNameState:
        """Obey ``ACT ACTUATOR_NAME ON`` and ``ACT ACTUATOR_NAME OFF``."""
        if line.rstrip() not in {"ACT ACTUATOR_NAME ON", "ACT ACTUATOR_NAME OFF"}:
            return state
        return replace(state, actuator_name_on=line.rstrip().endswith("ON"))

    def step(self, state: PlantNameState) -> PlantNameState:
        """Fall by 2, or rise by 6 if the actuator name is on."""
        sensor_name = state.sensor_name + (6 if state.actuator_name_on else -2)
        return replace(state, sensor_name=min(100, max(0, sensor_name)))

    def sense(self, state: PlantNameState) -> tuple[str, ...]:
        """Report the sensor name."""
        return (f"SENSE SENSOR_NAME {state.sensor_name}",)
