"""A tank whose liquid is filtered, left to settle, then drained; it clouds again."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from pytest_embedbench import metrics

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pytest_embedbench import Figure, Reply, Sample

CLEAR_NTU = 35
CLEAR_BAND_NTU = (0, CLEAR_NTU)
SETTLING_RESET_NTU = 40
DISTURBED_NTU = 50
RANGE_NTU = (0, 100)
COMPLETE_PCT = 15
PROCESS_PCT = 40
RANGE_PCT = (0, 100)
SETTLING_MS = 400
STAMP_TOLERANCE_MS = 10
"""Two replies are stamped at their last byte, and differ in length."""

_COMMANDS = {
    "ACT FILTER ON": {"filter_on": True},
    "ACT FILTER OFF": {"filter_on": False},
    "ACT DRAIN OPEN": {"drain_open": True},
    "ACT DRAIN CLOSED": {"drain_open": False},
}


@dataclass(frozen=True, slots=True, kw_only=True)
class FilterState:
    """How cloudy and how full, and the two actuators."""

    turbidity_ntu: int
    level: int = field(metadata={"unit": "%"})
    filter_on: bool = False
    drain_open: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class FilterTankSequence:
    """Whole NTU and percent per tick; without the filter it clouds again."""

    turbidity_ntu: int = field(default=82, metadata={"range": RANGE_NTU})
    """The turbidity at the start."""
    level: int = field(default=72, metadata={"range": RANGE_PCT})
    """The level at the start."""
    filtering_ntu: int = 14
    clouding_ntu: int = 4
    drain_pct: int = 12
    tick_ms: int = 100

    @property
    def thresholds(self) -> Mapping[str, tuple[int, ...]]:
        """What counts as clear, settled, disturbed, full enough and complete."""
        return {
            "turbidity_ntu": (CLEAR_NTU, SETTLING_RESET_NTU, DISTURBED_NTU),
            "level": (COMPLETE_PCT, PROCESS_PCT),
        }

    def initial(self) -> FilterState:
        """Return the state at power-on: everything off."""
        return FilterState(turbidity_ntu=self.turbidity_ntu, level=self.level)

    def actuate(self, state: FilterState, line: str) -> FilterState:
        """Obey ``ACT FILTER ON|OFF`` and ``ACT DRAIN OPEN|CLOSED``."""
        change = _COMMANDS.get(line.rstrip())
        return state if change is None else replace(state, **change)

    def step(self, state: FilterState) -> FilterState:
        """Clear up while the filter runs, else cloud; drain while the drain is open."""
        if state.filter_on:
            turbidity_ntu = max(RANGE_NTU[0], state.turbidity_ntu - self.filtering_ntu)
        else:
            turbidity_ntu = min(RANGE_NTU[1], state.turbidity_ntu + self.clouding_ntu)
        level = max(RANGE_PCT[0], state.level - self.drain_pct * state.drain_open)
        return replace(state, turbidity_ntu=turbidity_ntu, level=level)

    def sense(self, state: FilterState) -> tuple[str, ...]:
        """Report the turbidity, then the level."""
        return (f"SENSE TURB {state.turbidity_ntu}", f"SENSE LEVEL {state.level}")

    def metrics(
        self,
        samples: Sequence[Sample[FilterState]],
        replies: Sequence[Reply[FilterState]],
    ) -> Mapping[str, Figure]:
        """Return how the sequence went, and whether it drained too early."""
        turbidity = metrics.signal(samples, "turbidity_ntu")
        level = metrics.signal(samples, "level")
        filtering = metrics.signal(samples, "filter_on")
        draining = metrics.signal(samples, "drain_open")
        states = [sample.state for sample in samples]
        return {
            "sample_count": len(samples),
            "final_turbidity_ntu": turbidity.final,
            "final_level": level.final,
            "clear_band_reached_ms": metrics.entered_band_ms(turbidity, CLEAR_BAND_NTU),
            "drain_open_while_cloudy_samples": sum(
                state.drain_open and state.turbidity_ntu > CLEAR_NTU for state in states
            ),
            "filter_transitions": metrics.transitions(filtering),
            "drain_transitions": metrics.transitions(draining),
            "constraint_violations": sum(not _within_range(state) for state in states),
            "early_drain_violations": early_drain_count(replies),
            "no_progress_detected": metrics.is_constant(turbidity)
            and metrics.is_constant(level),
            "duration_ms": samples[-1].at_ms,
        }


def early_drain_count(replies: Sequence[Reply[FilterState]]) -> int:
    """Return how many replies leave the drain open when it must not be.

    That is: before the filter was ever switched off with the drain closed, less than
    400 ms of firmware time after that first happened, or while the liquid is cloudy.
    """
    settling_since_us: int | None = None
    filter_was_on = False
    count = 0
    for reply in replies:
        if not any(line.startswith("ACT ") for line in reply.lines):
            continue
        state = reply.state
        if settling_since_us is None and filter_was_on and not state.filter_on:
            settling_since_us = None if state.drain_open else reply.at_us
        if state.drain_open and (
            settling_since_us is None
            or reply.at_us - settling_since_us
            < (SETTLING_MS - STAMP_TOLERANCE_MS) * 1000
            or state.turbidity_ntu > CLEAR_NTU
        ):
            count += 1
        filter_was_on = state.filter_on
    return count


def _within_range(state: FilterState) -> bool:
    return (
        RANGE_NTU[0] <= state.turbidity_ntu <= RANGE_NTU[1]
        and RANGE_PCT[0] <= state.level <= RANGE_PCT[1]
    )
