"""A pump with its valve, a tank, and a stream that a flow sensor counts.

The stream needs a moment to begin and to end, so some runs on after the pump is off.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from pytest_embedbench import metrics

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pytest_embedbench import Figure, Reply, Sample

FULL_FLOW_ML_MIN = 30_000
LEAK_ML_MIN = 1_500
"""What runs through a valve that is stuck open while the pump is off."""
TRICKLE_ML_MIN = 150
"""A stream that is less than this ends."""
TANK_RANGE_ML = (0, 100_000)

_PUMP = "ACT PUMP"


@dataclass(frozen=True, slots=True, kw_only=True)
class DosingState:
    """How strong it pumps, what flows, what has flown, and what is left."""

    pump_pct: int = 0
    flow_ml_min: int = 0
    delivered_ul: int = 0
    tank_ul: int
    valve_stuck: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class DosingPump:
    """Each tick the flow comes nearer to what the pump asks for by a quarter.

    At full flow, which is 30 l/min, 100 ml run on after the pump is off.
    """

    tank_ml: int = field(default=20_000, metadata={"range": TANK_RANGE_ML})
    """What is in the tank at the start."""
    tick_ms: int = 50

    @property
    def thresholds(self) -> Mapping[str, tuple[int, ...]]:
        """What the pump can do at most."""
        return {"flow_ml_min": (FULL_FLOW_ML_MIN,)}

    def initial(self) -> DosingState:
        """Return the state at power-on: nothing flows."""
        return DosingState(tank_ul=self.tank_ml * 1000)

    def actuate(self, state: DosingState, line: str) -> DosingState:
        """Obey ``ACT PUMP n``: pump by n per cent."""
        words, _, number = line.rstrip().rpartition(" ")
        if words != _PUMP or not (number.isascii() and number.isdecimal()):
            return state
        return replace(state, pump_pct=min(100, int(number)))

    def step(self, state: DosingState) -> DosingState:
        """Let flow for a tick what flows, then change the flow."""
        passed_ul = min(state.tank_ul, self._ul(state.flow_ml_min))
        if state.tank_ul - passed_ul < self._ul(TRICKLE_ML_MIN):
            passed_ul = state.tank_ul
        tank_ul = state.tank_ul - passed_ul
        asked_ml_min = FULL_FLOW_ML_MIN * state.pump_pct // 100
        if state.valve_stuck:
            asked_ml_min = max(asked_ml_min, LEAK_ML_MIN)
        flow_ml_min = state.flow_ml_min + (asked_ml_min - state.flow_ml_min) // 4
        if max(flow_ml_min, asked_ml_min) < TRICKLE_ML_MIN:
            flow_ml_min = 0
        flow_ml_min = min(flow_ml_min, tank_ul * 60 // self.tick_ms)
        return replace(
            state,
            flow_ml_min=flow_ml_min,
            delivered_ul=state.delivered_ul + passed_ul,
            tank_ul=tank_ul,
        )

    def _ul(self, flow_ml_min: int) -> int:
        """Return what flows in a tick."""
        return flow_ml_min * self.tick_ms // 60

    def sense(self, state: DosingState) -> tuple[str, ...]:
        """Report the flow."""
        return (f"SENSE FLOW {state.flow_ml_min}",)

    def metrics(
        self,
        samples: Sequence[Sample[DosingState]],
        replies: Sequence[Reply[DosingState]],
    ) -> Mapping[str, Figure]:
        """Return what was delivered, how fast, and how much of it ran on."""
        del replies
        pump = metrics.signal(samples, "pump_pct")
        flow = metrics.signal(samples, "flow_ml_min")
        delivered = metrics.signal(samples, "delivered_ul")
        return {
            "sample_count": len(samples),
            "delivered_ul": delivered.final,
            "run_on_ul": _run_on_ul(samples),
            "max_flow_ml_min": flow.highest,
            "final_flow_ml_min": flow.final,
            "left_in_tank_ul": samples[-1].state.tank_ul,
            "pump_transitions": metrics.transitions(pump),
            "time_to_first_valid_actuation_ms": metrics.first_change_ms(pump),
            "tank_emptied": samples[-1].state.tank_ul == 0,
            "no_progress_detected": metrics.is_constant(delivered),
            "duration_ms": samples[-1].at_ms,
        }


def _run_on_ul(samples: Sequence[Sample[DosingState]]) -> int:
    """Return what has been delivered since the pump was on last; 0 if it never was."""
    on = [sample.state for sample in samples if sample.state.pump_pct]
    return samples[-1].state.delivered_ul - on[-1].delivered_ul if on else 0
