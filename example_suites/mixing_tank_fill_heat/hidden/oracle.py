"""What the brief asks of the mixing tank's controller, step by step."""

from typing import NamedTuple

STALE_MS = 1000
SAFE = (False, False, "SAFE_IDLE")
LOST = {
    "INVALID_TEMPERATURE": ("TEMPERATURE",),
    "INVALID_LEVEL": ("LEVEL",),
    "SENSOR_TIMEOUT": ("TEMPERATURE", "LEVEL"),
}
VALUES = {"TEMPERATURE": "temperature_c", "LEVEL": "level"}


class Output(NamedTuple):
    """What a step has to return; what is ``None`` is left free."""

    inlet_open: bool
    heater_on: bool
    changed: bool | None
    state: str


class Oracle:
    """A controller as the brief has it, after ``controller_init``."""

    def __init__(self):
        self.shown = SAFE
        """Inlet, heater and state."""
        self.known = {}
        """The last valid readings and when they came in, as long as they count."""
        self.is_rising = False

    def step(self, kind, values, now_ms):
        """Take one step; ``values`` by name, for the kinds that have one."""
        before = self.shown
        self.lose(
            name for name, (_, at_ms) in self.known.items() if now_ms - at_ms > STALE_MS
        )
        self.lose(LOST.get(kind, ()))
        if kind in VALUES:
            self.take(kind, values[VALUES[kind]], now_ms)
        changed = self.shown != before if kind == "NONE" else None
        inlet_open, heater_on, state = self.shown
        return Output(inlet_open, heater_on, changed, state)

    def lose(self, names):
        """M11 to M15, M18."""
        for name in tuple(names):
            self.known.pop(name, None)
            self.shown = SAFE

    def take(self, kind, value, now_ms):
        """M10."""
        if kind == "TEMPERATURE":
            last_c, _ = self.known.get(kind, (None, None))
            self.is_rising = last_c is not None and value > last_c
        self.known[kind] = (value, now_ms)
        if len(self.known) == 2:
            self.shown = self.decide(self.known["TEMPERATURE"][0])

    def decide(self, temperature_c):
        """M3 to M9."""
        _, heater_on, _ = self.shown
        if self.known["LEVEL"][0] < 60:
            return True, False, "FILLING"
        if temperature_c < 45:
            return False, True, "HEATING"
        if temperature_c > 48 or (temperature_c >= 47 and self.is_rising):
            return False, False, "HOLDING"
        return False, heater_on, "HOLDING"
