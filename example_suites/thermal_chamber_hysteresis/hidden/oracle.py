"""What the brief asks of the chamber's controller, step by step."""

from typing import NamedTuple

STALE_MS = 1000


class Output(NamedTuple):
    """What a step has to return; what is ``None`` is left free."""

    heater_on: bool
    changed: bool | None
    state: str


class Oracle:
    """A controller as the brief has it, after ``controller_init``."""

    def __init__(self):
        self.shown = (False, "SAFE_OFF")
        """Heater and state."""
        self.heard = None
        """The last valid temperature and when it came in, if it counts."""

    def step(self, kind, values, now_ms):
        """Take one step; ``values`` by name, for the kinds that have one."""
        before = self.shown
        if self.heard is not None and now_ms - self.heard[1] > STALE_MS:
            self.stop()
        if kind == "TEMPERATURE":
            self.shown = self.decide(values["temperature_c"])
            self.heard = (values["temperature_c"], now_ms)
        elif kind != "NONE":
            self.stop()
        heater_on, state = self.shown
        changed = self.shown != before if kind == "NONE" else None
        return Output(heater_on, changed, state)

    def decide(self, temperature_c):
        """C2 to C6."""
        heater_on, _ = self.shown
        is_rising = self.heard is not None and temperature_c > self.heard[0]
        if temperature_c < 47:
            return True, "HEATING"
        if temperature_c > 52:
            return False, "SAFE_OFF"
        if temperature_c >= 50 and is_rising:
            return False, "HOLDING"
        return heater_on, "HOLDING"

    def stop(self):
        """C7 to C9; C12 follows from C4 and C6."""
        self.shown = (False, "SAFE_OFF")
        self.heard = None


class Published(Oracle):
    """The same, without what only sentences of ours say: C14 and C17."""

    def __init__(self):
        super().__init__()
        self.was_safe = True
        """Whether the heater is off since SAFE_OFF, and HOLDING only a name for it."""

    def step(self, kind, values, now_ms):
        output = super().step(kind, values, now_ms)._replace(changed=None)
        if output.state == "HOLDING":
            return output._replace(state=None) if self.was_safe else output
        self.was_safe = output.state == "SAFE_OFF"
        return output
