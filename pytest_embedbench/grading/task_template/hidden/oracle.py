"""What the brief asks of the controller, step by step."""

from typing import NamedTuple

STALE_MS = 1000
SAFE = (False, "SAFE_OFF")


class Output(NamedTuple):
    """What a step has to return; what is ``None`` is left free."""

    lamp_on: bool
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
        if kind == "LIGHT":
            self.shown, self.heard_ms = self.decide(values["light_pct"]), now_ms
        elif kind != "NONE":
            self.shown, self.heard_ms = SAFE, None
        lamp_on, state = self.shown
        return Output(lamp_on, self.shown != before if kind == "NONE" else None, state)

    def decide(self, light_pct):
        """R2 to R4."""
        if light_pct < 30:
            return True, "LIT"
        return (False, "DARK") if light_pct > 60 else self.shown
