"""What the brief asks of the controller, step by step."""

from typing import NamedTuple

STALE_MS = 1000
SAFE = (False, "SAFE_OFF")


class Output(NamedTuple):
    """What a step has to return; what is ``None`` is left free."""

    actuator_name_on: bool
    changed: bool | None
    state: str


class Oracle:
    """A controller as the brief has it, after ``controller_init``."""

    def __init__(self):
        self.shown = SAFE
        self.heard_ms = None

    def step(self, kind, values, now_ms):
        """Take one step; ``values`` by name, for the kinds that have one."""
        before = self.shown
        if self.heard_ms is not None and now_ms - self.heard_ms > STALE_MS:
            self.shown, self.heard_ms = SAFE, None
        if kind == "SENSOR_NAME":
            self.shown, self.heard_ms = self.decide(values["sensor_name"]), now_ms
        elif kind != "NONE":
            self.shown, self.heard_ms = SAFE, None
        actuator_name_on, state = self.shown
        return Output(
            actuator_name_on, self.shown != before if kind == "NONE" else None, state
        )

    def decide(self, sensor_name):
        """R2 to R4."""
        if sensor_name < 30:
            return True, "RAISING"
        return (False, "HOLDING") if sensor_name > 60 else self.shown
