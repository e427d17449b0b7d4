"""A room that gets darker, and a lamp."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar


@dataclass(frozen=True, slots=True, kw_only=True)
class RoomState:
    """How bright it is, and the lamp."""

    light_pct: int
    lamp_on: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskName:
    """Whole percent per tick: frozen parameters, pure transitions, no clock."""

    light_pct: int = 50
    """How bright it is at the start."""
    tick_ms: ClassVar[int] = 100
    thresholds: ClassVar[dict[str, tuple[int, ...]]] = {"light_pct": (30, 60)}

    def initial(self) -> RoomState:
        """Return the state at power-on."""
        return RoomState(light_pct=self.light_pct)

    def actuate(self, state: RoomState, line: str) -> RoomState:
        """Obey ``ACT LAMP ON`` and ``ACT LAMP OFF``."""
        if line.rstrip() not in {"ACT LAMP ON", "ACT LAMP OFF"}:
            return state
        return replace(state, lamp_on=line.rstrip().endswith("ON"))

    def step(self, state: RoomState) -> RoomState:
        """Get darker, and brighter if the lamp is on."""
        light_pct = state.light_pct - 2 + 8 * state.lamp_on
        return replace(state, light_pct=min(100, max(0, light_pct)))

    def sense(self, state: RoomState) -> tuple[str, ...]:
        """Report the brightness."""
        return (f"SENSE LIGHT {state.light_pct}",)
