"""A chamber that goes on warming for a while after its heater stops."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from pytest_embedbench import metrics

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pytest_embedbench import Figure, Reply, Sample

BAND_C = (47, 52)
EARLY_OFF_C = 50
RANGE_C = (15, 80)
HARD_LIMIT_C = 56
STEADY_TRANSITIONS = 3
"""A heater that switches more often in a run oscillates."""

_COMMANDS = {
    "ACT HEATER ON": {"heater_on": True},
    "ACT HEATER OFF": {"heater_on": False},
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ChamberState:
    """How warm, whether the heater runs, and how much heat it still holds."""

    temperature_c: int
    heater_on: bool = False
    retained_heat_c: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ThermalChamberHysteresis:
    """Whole degrees per tick; the heater's own heat comes out with a delay."""

    temperature_c: int = field(default=28, metadata={"range": RANGE_C})
    """The temperature at the start."""
    heating_c: int = 3
    retained_max_c: int = 6
    ambient_c: int = 24
    """The chamber cools by 1 per tick while it is warmer than this."""
    tick_ms: int = 100

    @property
    def thresholds(self) -> Mapping[str, tuple[int, ...]]:
        """The band to keep, where to stop early, and the hard ceiling."""
        return {"temperature_c": (BAND_C[0], EARLY_OFF_C, BAND_C[1], HARD_LIMIT_C)}

    def initial(self) -> ChamberState:
        """Return the state at power-on: the heater is off and holds no heat."""
        return ChamberState(temperature_c=self.temperature_c)

    def actuate(self, state: ChamberState, line: str) -> ChamberState:
        """Obey ``ACT HEATER ON`` and ``ACT HEATER OFF``."""
        change = _COMMANDS.get(line.rstrip())
        return state if change is None else replace(state, **change)

    def step(self, state: ChamberState) -> ChamberState:
        """Heat up, let half of the retained heat out, cool towards ambient."""
        if state.heater_on:
            retained_c = min(self.retained_max_c, state.retained_heat_c + 2)
        else:
            retained_c = max(0, state.retained_heat_c - 1)
        change_c = (
            self.heating_c * state.heater_on
            + retained_c // 2
            - (state.temperature_c > self.ambient_c)
        )
        temperature_c = min(RANGE_C[1], max(RANGE_C[0], state.temperature_c + change_c))
        return replace(state, temperature_c=temperature_c, retained_heat_c=retained_c)

    def sense(self, state: ChamberState) -> tuple[str, ...]:
        """Report the temperature."""
        return (f"SENSE TEMP {state.temperature_c}",)

    def metrics(
        self,
        samples: Sequence[Sample[ChamberState]],
        replies: Sequence[Reply[ChamberState]],
    ) -> Mapping[str, Figure]:
        """Return how well the temperature was kept, and how near the ceiling."""
        del replies
        temperature = metrics.signal(samples, "temperature_c")
        heater = metrics.signal(samples, "heater_on")
        return {
            "sample_count": len(samples),
            "initial_temperature_c": temperature.first,
            "final_temperature_c": temperature.final,
            "min_temperature_c": temperature.lowest,
            "max_temperature_c": temperature.highest,
            "steady_state_error": metrics.steady_state_error(temperature, BAND_C),
            "overshoot": metrics.overshoot(temperature, BAND_C),
            "undershoot": metrics.undershoot(temperature, BAND_C),
            "rise_time_ms": metrics.rise_time_ms(temperature, BAND_C[0]),
            "settling_time_ms": metrics.settling_time_ms(temperature, BAND_C),
            "oscillation_detected": metrics.transitions(heater) > STEADY_TRANSITIONS,
            "heater_transitions": metrics.transitions(heater),
            "heater_full_scale_ratio": metrics.on_ratio(heater),
            "time_to_first_valid_actuation_ms": metrics.first_change_ms(heater),
            "constraint_violations": metrics.outside_count(temperature, RANGE_C),
            "hard_limit_exceeded": temperature.highest > HARD_LIMIT_C,
            "hard_limit_margin_c": HARD_LIMIT_C - temperature.highest,
            "no_progress_detected": metrics.is_constant(temperature),
            "duration_ms": samples[-1].at_ms,
        }
