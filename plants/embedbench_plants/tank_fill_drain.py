"""A tank that drains on its own and fills while the pump runs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

LOW_PCT = 30
HIGH_PCT = 80


@dataclass(frozen=True, slots=True, kw_only=True)
class TankState:
    """How full, in percent, and whether the pump runs."""

    level: int
    pump_on: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class TankFillDrain:
    """Whole percent per tick, so that two machines agree to the last bit."""

    level: int = 20
    """The level at the start."""
    fill_pct: int = 6
    drain_pct: int = 1
    tick_ms: int = 100

    @property
    def thresholds(self) -> Mapping[str, tuple[int, ...]]:
        """Where the pump has to switch."""
        return {"level": (LOW_PCT, HIGH_PCT)}

    def initial(self) -> TankState:
        """Return the state at power-on: the pump is off."""
        return TankState(level=self.level)

    def actuate(self, state: TankState, line: str) -> TankState:
        """Obey ``ACT PUMP ON`` and ``ACT PUMP OFF``."""
        match line.rstrip():
            case "ACT PUMP ON":
                return replace(state, pump_on=True)
            case "ACT PUMP OFF":
                return replace(state, pump_on=False)
            case _:
                return state

    def step(self, state: TankState) -> TankState:
        """Fill if the pump runs, drain always, stay within 0..100."""
        level = state.level + self.fill_pct * state.pump_on - self.drain_pct
        return replace(state, level=min(100, max(0, level)))

    def sense(self, state: TankState) -> tuple[str, ...]:
        """Report the level."""
        return (f"SENSE LEVEL {state.level}",)
