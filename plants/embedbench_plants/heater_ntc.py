"""A heated body with a thermistor: the heater gets hot first, the body after it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from pytest_embedbench import metrics

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pytest_embedbench import Figure, Reply, Sample

RANGE_MC = (0, 120_000)
HARD_LIMIT_MC = 60_000
OPEN_MC, SHORTED_MC = -55_000, 125_000
"""What a thermistor seems to feel whose wire is broken, or whose ends touch."""
SETTLING_BAND_MC = 2_000

_HEATER = "ACT HEATER"


@dataclass(frozen=True, slots=True, kw_only=True)
class HeaterState:
    """How warm body and heater are, how strong it heats, and what the sensor has."""

    body_mc: int
    heater_mc: int
    heater_pct: int = 0
    ambient_mc: int
    sensor_open: bool = False
    sensor_shorted: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class HeaterNtc:
    """Thousandths of a degree Celsius per tick, in which heat goes on to colder places.

    On full it heats the body by 0.4 degrees per second, up to about 100 degrees over
    its surroundings; switched off it warms it by up to a degree more.
    """

    body_mc: int = field(default=22_000, metadata={"range": RANGE_MC})
    """The temperature at the start, of the heater too."""
    target_mc: int = 40_000
    """What metrics compare with."""
    ambient_mc: int = 22_000
    tick_ms: int = 250

    @property
    def thresholds(self) -> Mapping[str, tuple[int, ...]]:
        """The target, and the hard ceiling."""
        return {"body_mc": (self.target_mc, HARD_LIMIT_MC)}

    def initial(self) -> HeaterState:
        """Return the state at power-on: the heater is off and as warm as the body."""
        return HeaterState(
            body_mc=self.body_mc, heater_mc=self.body_mc, ambient_mc=self.ambient_mc
        )

    def actuate(self, state: HeaterState, line: str) -> HeaterState:
        """Obey ``ACT HEATER n``: heat by n per cent."""
        words, _, number = line.rstrip().rpartition(" ")
        if words != _HEATER or not (number.isascii() and number.isdecimal()):
            return state
        return replace(state, heater_pct=min(100, int(number)))

    def step(self, state: HeaterState) -> HeaterState:
        """Heat the heater, let it warm the body, and the body its surroundings."""
        passed_on_mc = (state.heater_mc - state.body_mc) // 16
        heater_mc = state.heater_mc + 16 * state.heater_pct - passed_on_mc
        lost_mc = (state.body_mc - state.ambient_mc) // 1024
        body_mc = state.body_mc + passed_on_mc // 16 - lost_mc
        lowest_mc, highest_mc = RANGE_MC
        return replace(
            state,
            heater_mc=heater_mc,
            body_mc=min(highest_mc, max(lowest_mc, body_mc)),
        )

    def sense(self, state: HeaterState) -> tuple[str, ...]:
        """Report what the thermistor feels."""
        felt_mc = state.body_mc
        if state.sensor_open:
            felt_mc = OPEN_MC
        elif state.sensor_shorted:
            felt_mc = SHORTED_MC
        return (f"SENSE TEMP {felt_mc}",)

    def metrics(
        self,
        samples: Sequence[Sample[HeaterState]],
        replies: Sequence[Reply[HeaterState]],
    ) -> Mapping[str, Figure]:
        """Return how well the target was kept, and how near the ceiling."""
        del replies
        body = metrics.signal(samples, "body_mc")
        heater = metrics.signal(samples, "heater_pct")
        band = self.target_mc - SETTLING_BAND_MC, self.target_mc + SETTLING_BAND_MC
        return {
            "sample_count": len(samples),
            "initial_body_mc": body.first,
            "final_body_mc": body.final,
            "min_body_mc": body.lowest,
            "max_body_mc": body.highest,
            "steady_state_error_mc": metrics.steady_state_error(body, band),
            "overshoot_mc": metrics.overshoot(body, band),
            "rise_time_ms": metrics.rise_time_ms(body, band[0]),
            "settling_time_ms": metrics.settling_time_ms(body, band),
            "heater_transitions": metrics.transitions(heater),
            "time_to_first_valid_actuation_ms": metrics.first_change_ms(heater),
            "hard_limit_exceeded": body.highest > HARD_LIMIT_MC,
            "hard_limit_margin_mc": HARD_LIMIT_MC - body.highest,
            "no_progress_detected": metrics.is_constant(body),
            "duration_ms": samples[-1].at_ms,
        }
