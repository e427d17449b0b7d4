"""A vessel with a compressor, a vent, and a door that lets its pressure out."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from pytest_embedbench import metrics

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pytest_embedbench import Figure, Reply, Sample

BAND_KPA = (40, 60)
RANGE_KPA = (0, 120)

_COMMANDS = {
    "ACT COMPRESSOR ON": {"compressor_on": True},
    "ACT COMPRESSOR OFF": {"compressor_on": False},
    "ACT VENT OPEN": {"vent_open": True},
    "ACT VENT CLOSED": {"vent_open": False},
}


@dataclass(frozen=True, slots=True, kw_only=True)
class VesselState:
    """The pressure, the door, and the two actuators."""

    pressure_kpa: int
    door_closed: bool = True
    compressor_on: bool = False
    vent_open: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class PressureVesselInterlock:
    """Whole kPa per tick; what leaks, vents and escapes adds up."""

    pressure_kpa: int = field(default=18, metadata={"range": RANGE_KPA})
    """The pressure at the start."""
    leak_kpa: int = 2
    vent_kpa: int = 14
    door_kpa: int = 10
    compressor_kpa: int = 10
    """What the compressor adds while door and vent are closed."""
    tick_ms: int = 100

    @property
    def thresholds(self) -> Mapping[str, tuple[int, ...]]:
        """Where compressor and vent have to switch."""
        return {"pressure_kpa": BAND_KPA}

    def initial(self) -> VesselState:
        """Return the state at power-on: compressor off, vent open, door closed."""
        return VesselState(pressure_kpa=self.pressure_kpa)

    def actuate(self, state: VesselState, line: str) -> VesselState:
        """Obey ``ACT COMPRESSOR ON|OFF`` and ``ACT VENT OPEN|CLOSED``."""
        change = _COMMANDS.get(line.rstrip())
        return state if change is None else replace(state, **change)

    def step(self, state: VesselState) -> VesselState:
        """Leak always; vent, escape and compress as door and actuators stand."""
        sealed = state.door_closed and not state.vent_open
        pressure_kpa = (
            state.pressure_kpa
            - self.leak_kpa
            - self.vent_kpa * state.vent_open
            - self.door_kpa * (not state.door_closed)
            + self.compressor_kpa * (state.compressor_on and sealed)
        )
        pressure_kpa = min(RANGE_KPA[1], max(RANGE_KPA[0], pressure_kpa))
        return replace(state, pressure_kpa=pressure_kpa)

    def sense(self, state: VesselState) -> tuple[str, ...]:
        """Report the pressure, then the door."""
        door = "CLOSED" if state.door_closed else "OPEN"
        return (f"SENSE PRESS {state.pressure_kpa}", f"SENSE DOOR {door}")

    def metrics(
        self,
        samples: Sequence[Sample[VesselState]],
        replies: Sequence[Reply[VesselState]],
    ) -> Mapping[str, Figure]:
        """Return how the pressure went, and whether compressor and vent fought."""
        del replies
        pressure = metrics.signal(samples, "pressure_kpa")
        compressor = metrics.signal(samples, "compressor_on")
        vent = metrics.signal(samples, "vent_open")
        states = [sample.state for sample in samples]
        return {
            "sample_count": len(samples),
            "min_pressure_kpa": pressure.lowest,
            "max_pressure_kpa": pressure.highest,
            "final_pressure_kpa": pressure.final,
            "entered_target_band_ms": metrics.entered_band_ms(pressure, BAND_KPA),
            "compressor_transitions": metrics.transitions(compressor),
            "vent_transitions": metrics.transitions(vent),
            "constraint_violations": metrics.outside_count(pressure, RANGE_KPA),
            "mutual_exclusion_violations": sum(
                state.compressor_on and state.vent_open for state in states
            ),
            "no_progress_detected": metrics.is_constant(pressure),
            "duration_ms": samples[-1].at_ms,
        }
