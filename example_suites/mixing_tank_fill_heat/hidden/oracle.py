"""What the brief asks of the mixing tank's controller, step by step."""

from typing import NamedTuple

from pytest_embedbench.grading.checks import ReadingsInDoubt

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

    inlet_open: bool | None
    heater_on: bool | None
    changed: bool | None
    state: str | None


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


FREE = (None, None, None)


class Published:
    """The same, without what only sentences of ours say: M21, M25 to M29.

    What is not known stays free until a sentence decides.
    """

    def __init__(self):
        self.shown = SAFE
        self.readings = ReadingsInDoubt(("TEMPERATURE", "LEVEL"))
        self.is_rising = False

    def step(self, kind, values, now_ms):
        """Take one step; ``values`` by name, for the kinds that have one."""
        if self.readings.age(now_ms):
            self.shown = SAFE
        if kind in LOST:
            self.readings.doubt()
            self.shown = SAFE
        elif kind in VALUES:
            value = values[VALUES[kind]]
            if kind == "TEMPERATURE":
                before_c = self.readings.value(kind)
                self.is_rising = before_c is not None and value > before_c
            self.readings.take(kind, value, now_ms)
            self.shown = self.decide()
        inlet_open, heater_on, state = self.shown
        return Output(inlet_open, heater_on, None, state)

    def decide(self):
        """M2 to M9, as far as they are published."""
        if not self.readings.all_known or self.readings.doubted:
            return FREE if self.readings.all_known else SAFE
        level = self.readings.value("LEVEL")
        temperature_c = self.readings.value("TEMPERATURE")
        if level < 60:
            return True, False, "FILLING"
        if level > 75:
            return False, None, None
        if temperature_c < 45:
            return False, True, "HEATING"
        return False, *self.held(temperature_c)

    def held(self, temperature_c):
        """Heater and state from 45 on."""
        if temperature_c > 48:
            return False, None
        _, heater_on, state = self.shown
        is_named = heater_on or state in ("HOLDING", "HEATING")
        if temperature_c >= 47 and self.is_rising:
            heater_on = False
        return heater_on, "HOLDING" if is_named else None
