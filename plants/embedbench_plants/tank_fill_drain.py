"""A tank that drains on its own and fills while the pump runs."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from pytest_embedbench import metrics

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pytest_embedbench import Figure, Reply, Sample

BAND_PCT = (30, 80)
RANGE_PCT = (0, 100)
STEADY_TRANSITIONS = 2
"""A pump that switches more often in a run oscillates."""

_COMMANDS = {
    "ACT PUMP ON": {"pump_on": True},
    "ACT PUMP OFF": {"pump_on": False},
}


@dataclass(frozen=True, slots=True, kw_only=True)
class TankState:
    """How full, in percent, and whether the pump runs."""

    level: int = field(metadata={"unit": "%"})
    pump_on: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class TankFillDrain:
    """Whole percent per tick, so that two machines agree to the last bit."""

    level: int = field(default=20, metadata={"range": RANGE_PCT})
    """The level at the start."""
    fill_pct: int = 6
    drain_pct: int = 1
    tick_ms: int = 100

    @property
    def thresholds(self) -> Mapping[str, tuple[int, ...]]:
        """Where the pump has to switch."""
        return {"level": BAND_PCT}

    def initial(self) -> TankState:
        """Return the state at power-on: the pump is off."""
        return TankState(level=self.level)

    def actuate(self, state: TankState, line: str) -> TankState:
        """Obey ``ACT PUMP ON`` and ``ACT PUMP OFF``."""
        change = _COMMANDS.get(line.rstrip())
        return state if change is None else replace(state, **change)

    def step(self, state: TankState) -> TankState:
        """Fill if the pump runs, drain always, stay within 0..100."""
        level = state.level + self.fill_pct * state.pump_on - self.drain_pct
        return TankState(level=min(100, max(0, level)), pump_on=state.pump_on)

    def sense(self, state: TankState) -> tuple[str, ...]:
        """Report the level."""
        return (f"SENSE LEVEL {state.level}",)

    def metrics(
        self,
        samples: Sequence[Sample[TankState]],
        replies: Sequence[Reply[TankState]],
    ) -> Mapping[str, Figure]:
        """Return how well the level was kept, and at what cost to the pump."""
        del replies
        level = metrics.signal(samples, "level")
        pump = metrics.signal(samples, "pump_on")
        return {
            "sample_count": len(samples),
            "initial_level": level.first,
            "final_level": level.final,
            "min_level": level.lowest,
            "max_level": level.highest,
            "steady_state_error": metrics.steady_state_error(level, BAND_PCT),
            "overshoot": metrics.overshoot(level, BAND_PCT),
            "undershoot": metrics.undershoot(level, BAND_PCT),
            "rise_time_ms": metrics.rise_time_ms(level, BAND_PCT[0]),
            "settling_time_ms": metrics.settling_time_ms(level, BAND_PCT),
            "oscillation_detected": metrics.transitions(pump) > STEADY_TRANSITIONS,
            "pump_transitions": metrics.transitions(pump),
            "pump_full_scale_ratio": metrics.on_ratio(pump),
            "time_to_first_valid_actuation_ms": metrics.first_change_ms(pump),
            "constraint_violations": metrics.outside_count(level, RANGE_PCT),
            "no_progress_detected": metrics.is_constant(level),
            "duration_ms": samples[-1].at_ms,
        }
