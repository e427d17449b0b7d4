"""What the brief asks of the vessel's controller, step by step."""

from typing import NamedTuple

from pytest_embedbench.grading.checks import ReadingsInDoubt

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

    compressor_on: bool | None
    vent_open: bool | None
    changed: bool | None
    state: str | None


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


FREE = (None, None, None)


class Published:
    """The same, without what only sentences of ours say: V7, V17, V21 to V23.

    What is not known stays free until a sentence decides.
    """

    def __init__(self):
        self.shown = SAFE
        self.readings = ReadingsInDoubt(("pressure", "door"))

    def step(self, kind, values, now_ms):
        """Take one step; ``values`` by name, for the kinds that have one."""
        if self.readings.age(now_ms):
            self.shown = SAFE
        if kind in LOST:
            self.readings.doubt()
            self.shown = SAFE
        elif kind in READINGS:
            was_open = self.readings.value("door") != "DOOR_CLOSED"
            value = values["pressure_kpa"] if kind == "PRESSURE" else kind
            self.readings.take(READINGS[kind], value, now_ms)
            self.shown = self.decide(kind == "PRESSURE", was_open)
        compressor_on, vent_open, state = self.shown
        return Output(compressor_on, vent_open, None, state)

    def decide(self, is_pressure, was_open):
        """V2 to V6, as far as they are published."""
        if not self.readings.all_known or self.readings.value("door") == "DOOR_OPEN":
            return SAFE
        kpa = self.readings.value("pressure")
        if self.readings.doubted or (not is_pressure and was_open):
            return self.either_way(kpa)
        return self.regulated(kpa) if is_pressure else self.shown

    def regulated(self, kpa):
        """V4 to V6."""
        if kpa < 40:
            return True, False, "PRESSURIZING"
        if kpa > 60:
            return False, True, "RELIEVING"
        compressor_on, vent_open, state = self.shown
        is_named = compressor_on or state in ("RELIEVING", "HOLDING")
        return compressor_on, vent_open, "HOLDING" if is_named else None

    def either_way(self, kpa):
        """What is common to a vessel that stays safe and one that goes on."""
        if kpa < 40 or (kpa <= 60 and self.shown[:2] != SAFE[:2]):
            return FREE
        return False, True, None
