"""A tank that is filled, then heated: its heater only works under enough liquid."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from pytest_embedbench import metrics

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pytest_embedbench import Figure, Reply, Sample

TARGET_C = (45, 48)
RANGE_C = (20, 80)
HARD_LIMIT_C = 51
FILLED_PCT = 60
HIGH_PCT = 75
HEATABLE_PCT = 55
RANGE_PCT = (0, 100)

_COMMANDS = {
    "ACT INLET OPEN": {"inlet_open": True},
    "ACT INLET CLOSED": {"inlet_open": False},
    "ACT HEATER ON": {"heater_on": True},
    "ACT HEATER OFF": {"heater_on": False},
}


@dataclass(frozen=True, slots=True, kw_only=True)
class MixingState:
    """How warm and how full, the two actuators, and the heat still to come."""

    temp_c: int
    level: int = field(metadata={"unit": "%"})
    inlet_open: bool = False
    heater_on: bool = False
    retained_heat_c: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class MixingTankFillHeat:
    """Whole percent and degrees per tick; the level moves before the temperature."""

    temp_c: int = field(default=25, metadata={"range": RANGE_C})
    """The temperature at the start."""
    level: int = field(default=35, metadata={"range": RANGE_PCT})
    """The level at the start."""
    fill_pct: int = 7
    drain_pct: int = 1
    heating_c: int = 3
    retained_max_c: int = 4
    ambient_c: int = 24
    """The tank cools by 1 per tick while it is warmer than this."""
    tick_ms: int = 100

    @property
    def thresholds(self) -> Mapping[str, tuple[int, ...]]:
        """Where the inlet and the heater have to switch, and the hard ceiling."""
        return {
            "temp_c": (*TARGET_C, HARD_LIMIT_C),
            "level": (HEATABLE_PCT, FILLED_PCT, HIGH_PCT),
        }

    def initial(self) -> MixingState:
        """Return the state at power-on: everything off, no heat retained."""
        return MixingState(temp_c=self.temp_c, level=self.level)

    def actuate(self, state: MixingState, line: str) -> MixingState:
        """Obey ``ACT INLET OPEN|CLOSED`` and ``ACT HEATER ON|OFF``."""
        change = _COMMANDS.get(line.rstrip())
        return state if change is None else replace(state, **change)

    def step(self, state: MixingState) -> MixingState:
        """Fill or drain; then heat, if the new level allows it, and cool."""
        if state.inlet_open:
            level = min(RANGE_PCT[1], state.level + self.fill_pct)
        else:
            level = max(RANGE_PCT[0], state.level - self.drain_pct)
        heats = state.heater_on and level >= HEATABLE_PCT
        if heats:
            retained_c = min(self.retained_max_c, state.retained_heat_c + 2)
        else:
            retained_c = max(0, state.retained_heat_c - 1)
        cooling_c = int(state.temp_c > self.ambient_c)
        temp_c = state.temp_c + retained_c // 2 + self.heating_c * heats - cooling_c
        return replace(
            state,
            temp_c=min(RANGE_C[1], max(RANGE_C[0], temp_c)),
            level=level,
            retained_heat_c=retained_c,
        )

    def sense(self, state: MixingState) -> tuple[str, ...]:
        """Report the temperature, then the level."""
        return (f"SENSE TEMP {state.temp_c}", f"SENSE LEVEL {state.level}")

    def metrics(
        self,
        samples: Sequence[Sample[MixingState]],
        replies: Sequence[Reply[MixingState]],
    ) -> Mapping[str, Figure]:
        """Return how temperature and level went, and whether it heated when low."""
        del replies
        temp = metrics.signal(samples, "temp_c")
        level = metrics.signal(samples, "level")
        heater = metrics.signal(samples, "heater_on")
        inlet = metrics.signal(samples, "inlet_open")
        states = [sample.state for sample in samples]
        return {
            "sample_count": len(samples),
            "min_temp_c": temp.lowest,
            "max_temp_c": temp.highest,
            "final_temp_c": temp.final,
            "final_level": level.final,
            "entered_target_band_ms": metrics.entered_band_ms(temp, TARGET_C),
            "overshoot": metrics.overshoot(temp, TARGET_C),
            "hard_limit_exceeded": temp.highest > HARD_LIMIT_C,
            "hard_limit_margin_c": HARD_LIMIT_C - temp.highest,
            "heater_transitions": metrics.transitions(heater),
            "inlet_transitions": metrics.transitions(inlet),
            "low_level_heating_violations": sum(
                state.heater_on and state.level < HEATABLE_PCT for state in states
            ),
            "constraint_violations": metrics.outside_count(level, RANGE_PCT),
            "no_progress_detected": metrics.is_constant(temp),
            "duration_ms": samples[-1].at_ms,
        }
