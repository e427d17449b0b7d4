"""What the brief asks of the tank's controller, step by step."""

from typing import NamedTuple

STALE_MS = 1000


class Output(NamedTuple):
    """What a step has to return; what is ``None`` is left free."""

    pump_on: bool
    changed: bool | None
    state: None = None


class Oracle:
    """A controller as the brief has it, after ``controller_init``."""

    def __init__(self):
        self.pump_on = False
        self.heard_ms = None
        """When the last valid level came in, if it counts."""

    def step(self, kind, values, now_ms):
        """Take one step; ``values`` by name, for the kinds that have one."""
        was_on = self.pump_on
        if self.heard_ms is not None and now_ms - self.heard_ms > STALE_MS:
            self.stop()
        if kind == "LEVEL":
            self.heard_ms = now_ms
            self.pump_on = self.decide(values["level"])
        elif kind != "NONE":
            self.stop()
        switched = kind == "NONE" and self.pump_on != was_on
        return Output(self.pump_on, changed=True if switched else None)

    def decide(self, level):
        """T2 to T4."""
        if 30 <= level <= 80:
            return self.pump_on
        return level < 30

    def stop(self):
        """T5 to T7; T10 follows from T4."""
        self.pump_on = False
        self.heard_ms = None


class Published(Oracle):
    """The same, without what only sentences of ours say: T12."""

    def step(self, kind, values, now_ms):
        return super().step(kind, values, now_ms)._replace(changed=None)
