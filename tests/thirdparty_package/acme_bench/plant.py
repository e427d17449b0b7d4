"""A plant: a room that a heater warms."""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True, kw_only=True)
class RoomState:
    """What a trace shows of a room."""

    temperature_c: int
    heater_on: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Room:
    """It gains or loses a degree a second."""

    temperature_c: int = 15
    tick_ms: int = 1000

    @property
    def thresholds(self) -> dict[str, tuple[int, ...]]:
        """Where the heater has to switch."""
        return {"temperature_c": (19, 22)}

    def initial(self) -> RoomState:
        """Return the state at power-on."""
        return RoomState(temperature_c=self.temperature_c)

    def actuate(self, state: RoomState, line: str) -> RoomState:
        """Return the state after a firmware line."""
        match line.split():
            case ["ACT", "HEATER", "ON" | "OFF" as word]:
                return replace(state, heater_on=word == "ON")
            case _:
                return state

    def step(self, state: RoomState) -> RoomState:
        """Return the state one tick later."""
        change_c = 1 if state.heater_on else -1
        return replace(state, temperature_c=state.temperature_c + change_c)

    def sense(self, state: RoomState) -> tuple[str, ...]:
        """Return the sensor lines."""
        return (f"SENSE TEMP {state.temperature_c}",)
