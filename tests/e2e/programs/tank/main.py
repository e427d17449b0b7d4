"""The tank's controller, as a Python program on a Linux target."""

from __future__ import annotations

import os
import select
import sys
import time

STEP_S = 0.05
HEARTBEAT_S = 1.0
SENSOR_TIMEOUT_S = 1.0


class Controller:
    """Rules T1 to T12 of the brief."""

    def __init__(self) -> None:
        self.pump_on = False
        self.state = "SAFE_OFF"
        self.last_valid_s: float | None = None

    def take_level(self, level: int, now_s: float) -> None:
        self.last_valid_s = now_s
        if level < 30:
            self.pump_on, self.state = True, "PUMPING"
        elif level > 80:
            self.pump_on, self.state = False, "SAFE_OFF"
        else:
            self.state = "HOLDING"

    def fail(self) -> None:
        self.pump_on, self.state = False, "SAFE_OFF"

    def idle(self, now_s: float) -> bool:
        """Return whether this switched the pump."""
        if self.last_valid_s is None or now_s - self.last_valid_s <= SENSOR_TIMEOUT_S:
            return False
        was_on = self.pump_on
        self.fail()
        return was_on


def say(*lines: str) -> None:
    os.write(1, "".join(f"{line}\n" for line in lines).encode())


def reply(controller: Controller) -> None:
    say(
        f"ACT PUMP {'ON' if controller.pump_on else 'OFF'}",
        f"DBG STATE {controller.state}",
    )


def take_line(controller: Controller, line: str, now_s: float) -> bool:
    """Return whether the line is one to answer."""
    words = line.split()
    if words[:2] == ["SENSE", "LEVEL"]:
        level = int(words[2]) if len(words) == 3 and words[2].isdecimal() else -1
        if 0 <= level <= 100:
            controller.take_level(level, now_s)
        else:
            controller.fail()
        return True
    if words == ["FAULT", "SENSOR_TIMEOUT"]:
        controller.fail()
        return True
    return False


def main() -> None:
    controller = Controller()
    say("DBG BOOTED", "ACT PUMP OFF", "DBG STATE SAFE_OFF")
    heartbeat_s = time.monotonic() + HEARTBEAT_S  # noqa: TID251  # on the target
    pending = b""
    while True:
        ready, _, _ = select.select([0], [], [], STEP_S)
        now_s = time.monotonic()  # noqa: TID251
        if ready:
            data = os.read(0, 4096)
            if not data:
                sys.exit()
            *lines, pending = (pending + data).split(b"\n")
            for line in lines:
                if take_line(controller, line.decode(errors="replace"), now_s):
                    reply(controller)
        if controller.idle(now_s):
            reply(controller)
        if now_s >= heartbeat_s:
            say("DBG HEARTBEAT")
            heartbeat_s += HEARTBEAT_S


main()
