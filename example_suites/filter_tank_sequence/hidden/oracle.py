"""What the brief asks of the filter tank's controller, step by step."""

from typing import NamedTuple

from pytest_embedbench.grading.checks import ReadingsInDoubt

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

    filter_on: bool | None
    drain_open: bool | None
    changed: bool | None
    state: str | None


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


class Published:
    """The same, without what only sentences of ours say.

    Those are F6, F10, F12, F24 and F28 to F31. A state that is not known (``None``)
    stays free until a sentence decides, and so does a streak.
    """

    def __init__(self):
        self.state = "SAFE_IDLE"
        self.streak = 0
        self.settling_since_ms = 0
        self.is_complete = False
        """Whether the tank was empty; what comes after that is not said."""
        self.readings = ReadingsInDoubt(("TURBIDITY", "LEVEL"))

    def step(self, kind, values, now_ms):
        """Take one step; ``values`` by name, for the kinds that have one."""
        if self.readings.age(now_ms):
            self.make_safe()
        if kind in LOST:
            self.readings.doubt()
            self.make_safe()
        elif kind in VALUES:
            self.take(kind, values[VALUES[kind]], now_ms)
        elif self.state == "SETTLING":
            self.drain_if_settled(now_ms)
        is_known = self.state is not None
        return Output(
            filter_on=self.state == "FILTERING" if is_known else None,
            drain_open=self.state == "DRAINING" if is_known else None,
            changed=None,
            state=self.state,
        )

    def make_safe(self):
        """F19 to F21; whether the streak goes on is not said."""
        self.state = "SAFE_IDLE"
        self.streak = None
        self.is_complete = False

    def take(self, kind, value, now_ms):
        """F3 to F5, then the first rule that applies."""
        self.readings.take(kind, value, now_ms)
        if kind == "TURBIDITY":
            self.count(value)
        if not self.readings.all_known:
            self.state = "SAFE_IDLE"
        elif self.readings.doubted:
            self.state = None
            self.is_complete |= self.readings.value("LEVEL") < 15
        else:
            self.decide(kind, value, now_ms)
        if self.state is None:
            self.streak = None

    def decide(self, kind, value, now_ms):
        level = self.readings.value("LEVEL")
        if level < 15:
            self.state, self.is_complete = "COMPLETE", True
        elif self.is_complete:
            self.state = None
        elif kind == "LEVEL":
            self.take_level(level)
        else:
            self.take_turbidity(value, level, now_ms)

    def count(self, ntu):
        """F4, F5; whether one counts that comes before a level is not said."""
        if ntu > 35:
            self.streak = 0
        elif not self.readings.all_known or self.readings.doubted:
            self.streak = None
        elif self.streak is not None:
            self.streak += 1

    def take_level(self, level):
        """Nothing but F7 and F9 is published of a level line that changes something."""
        ntu = self.readings.value("TURBIDITY")
        goes_on = {
            "DRAINING": level < 40 or ntu <= 50,
            "SETTLING": level >= 40,
            "FILTERING": level >= 40,
            "SAFE_IDLE": level < 40 or (ntu <= 35 and self.is_short()),
        }
        if not goes_on.get(self.state, False):
            self.state = None

    def take_turbidity(self, ntu, level, now_ms):
        """F8 to F17, as far as they are published."""
        if self.state == "DRAINING":
            if ntu > 50 and level >= 40:
                self.state, self.streak = "FILTERING", 0
        elif level < 40:
            self.state = "SAFE_IDLE" if self.state == "SAFE_IDLE" else None
        elif ntu > 50:
            self.state = "FILTERING"
        elif self.state == "SETTLING":
            self.settle(ntu, now_ms)
        elif self.state is not None and ntu > 35:
            self.state = "FILTERING"
        elif self.state is not None and not self.is_short():
            self.settle_now(now_ms)

    def is_short(self):
        """Say whether it is known that the streak is not long enough."""
        return self.streak is not None and self.streak < 3

    def settle_now(self, now_ms):
        self.state = "SETTLING" if self.streak is not None else None
        self.settling_since_ms = now_ms

    def settle(self, ntu, now_ms):
        """F11, F13; what 36 to 40 come to is not said."""
        if ntu > 40:
            self.state = "FILTERING"
        elif ntu > 35:
            self.state = None
        else:
            self.drain_if_settled(now_ms)

    def drain_if_settled(self, now_ms):
        if now_ms - self.settling_since_ms >= SETTLING_MS:
            self.state = "DRAINING"
