"""What the brief asks of the vessel's controller, step by step."""

from typing import NamedTuple

STALE_MS = 1000
SAFE = (False, True, "SAFE_VENT")
READINGS = {"PRESSURE": "pressure", "DOOR_OPEN": "door", "DOOR_CLOSED": "door"}
LOST = {
    "INVALID_PRESSURE": ("pressure",),
    "INVALID_DOOR": ("door",),
    "SENSOR_TIMEOUT": ("pressure", "door"),
}


class Output(NamedTuple):
    """What a step has to return; what is ``None`` is left free."""

    compressor_on: bool
    vent_open: bool
    changed: bool | None
    state: str


class Oracle:
    """A controller as the brief has it, after ``controller_init``."""

    def __init__(self):
        self.shown = SAFE
        """Compressor, vent and state."""
        self.known = {}
        """The last valid readings and when they came in, as long as they count."""

    def step(self, kind, values, now_ms):
        """Take one step; ``values`` by name, for the kinds that have one."""
        before = self.shown
        self.lose(
            name for name, (_, at_ms) in self.known.items() if now_ms - at_ms > STALE_MS
        )
        self.lose(LOST.get(kind, ()))
        if kind in READINGS:
            value = values["pressure_kpa"] if kind == "PRESSURE" else kind
            self.known[READINGS[kind]] = (value, now_ms)
            if len(self.known) == 2:
                self.shown = self.decide(self.known["pressure"][0])
        changed = self.shown != before if kind == "NONE" else None
        compressor_on, vent_open, state = self.shown
        return Output(compressor_on, vent_open, changed, state)

    def lose(self, names):
        """V8 to V12, V15."""
        for name in tuple(names):
            self.known.pop(name, None)
            self.shown = SAFE

    def decide(self, pressure_kpa):
        """V3 to V6."""
        compressor_on, vent_open, _ = self.shown
        if self.known["door"][0] == "DOOR_OPEN":
            return SAFE
        if pressure_kpa < 40:
            return True, False, "PRESSURIZING"
        if pressure_kpa > 60:
            return False, True, "RELIEVING"
        return compressor_on, vent_open, "HOLDING"
