"""What the brief asks of the filter tank's controller, step by step."""

from typing import NamedTuple

STALE_MS = 1000
SETTLING_MS = 400
LOST = {
    "INVALID_TURBIDITY": ("TURBIDITY",),
    "INVALID_LEVEL": ("LEVEL",),
    "SENSOR_TIMEOUT": ("TURBIDITY", "LEVEL"),
}
VALUES = {"TURBIDITY": "turbidity_ntu", "LEVEL": "level"}


class Output(NamedTuple):
    """What a step has to return; what is ``None`` is left free."""

    filter_on: bool
    drain_open: bool
    changed: bool | None
    state: str


class Oracle:
    """A controller as the brief has it, after ``controller_init``."""

    def __init__(self):
        self.state = "SAFE_IDLE"
        self.known = {}
        """The last valid readings and when they came in, as long as they count."""
        self.streak = 0
        self.settling_since_ms = 0

    def step(self, kind, values, now_ms):
        """Take one step; ``values`` by name, for the kinds that have one."""
        before = self.state
        self.lose(
            name for name, (_, at_ms) in self.known.items() if now_ms - at_ms > STALE_MS
        )
        self.lose(LOST.get(kind, ()))
        if kind in VALUES:
            self.take(kind, values[VALUES[kind]], now_ms)
        elif self.state == "SETTLING":
            self.enter(self.settle(now_ms), now_ms)
        return Output(
            filter_on=self.state == "FILTERING",
            drain_open=self.state == "DRAINING",
            changed=self.state != before if kind == "NONE" else None,
            state=self.state,
        )

    def lose(self, names):
        """F6, F19 to F23."""
        for name in tuple(names):
            self.known.pop(name, None)
            self.state = "SAFE_IDLE"
            self.streak = 0

    def take(self, kind, value, now_ms):
        """F4 to F6, then the first rule that applies."""
        self.known[kind] = (value, now_ms)
        if len(self.known) < 2:
            return
        if kind == "TURBIDITY":
            self.streak = self.streak + 1 if value <= 35 else 0
        self.enter(self.decide(now_ms), now_ms)

    def decide(self, now_ms):
        """F7 to F17, in their order."""
        ntu, level = self.known["TURBIDITY"][0], self.known["LEVEL"][0]
        rules = (
            (level < 15, "COMPLETE"),
            (self.state == "DRAINING" and ntu > 50 and level >= 40, "FILTERING"),
            (self.state == "DRAINING", "DRAINING"),
            (level < 40, "SAFE_IDLE"),
            (self.state == "SETTLING", self.settle(now_ms)),
            (ntu > 35, "FILTERING"),
            (self.streak >= 3, "SETTLING"),
            (self.state == "FILTERING", "FILTERING"),
        )
        return next((state for holds, state in rules if holds), "SAFE_IDLE")

    def settle(self, now_ms):
        """F11 to F13, F18."""
        ntu, _ = self.known["TURBIDITY"]
        if ntu > 40:
            return "FILTERING"
        has_settled = ntu <= 35 and now_ms - self.settling_since_ms >= SETTLING_MS
        return "DRAINING" if has_settled else "SETTLING"

    def enter(self, state, now_ms):
        if state == "SETTLING" and self.state != "SETTLING":
            self.settling_since_ms = now_ms
        self.state = state
