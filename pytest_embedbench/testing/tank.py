"""A controller that fills a tank as it should, for tests of what is around it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_embedbench.testing.shell import line_shell

if TYPE_CHECKING:
    from pytest_embedbench.testing.shell import Controller

STALE_MS = 1000
LOW_PCT, HIGH_PCT, FULL_PCT = 30, 80, 100
BANNER = ("DBG BOOTED", "ACT PUMP OFF", "DBG STATE SAFE_OFF")


def tank_controller() -> Controller:
    """Return the controller of one boot: on below 30, off above 80 and in doubt."""
    pump_on = False
    heard_ms: int | None = None

    def step(line: str, now_ms: int) -> tuple[str, ...] | None:
        nonlocal pump_on, heard_ms
        was_on = pump_on
        if not line:
            if heard_ms is not None and now_ms - heard_ms > STALE_MS:
                pump_on, heard_ms = False, None
            return _reply(pump_on=pump_on) if pump_on != was_on else None
        word, _, value = line.rpartition(" ")
        if word == "SENSE LEVEL" and value.isdecimal() and int(value) <= FULL_PCT:
            heard_ms = now_ms
            pump_on = int(value) < LOW_PCT or (pump_on and int(value) <= HIGH_PCT)
        elif word == "SENSE LEVEL" or line == "FAULT SENSOR_TIMEOUT":
            pump_on, heard_ms = False, None
        else:
            return None
        return _reply(pump_on=pump_on)

    return step


def _reply(*, pump_on: bool) -> tuple[str, ...]:
    if pump_on:
        return ("ACT PUMP ON", "DBG STATE PUMPING")
    return ("ACT PUMP OFF", "DBG STATE SAFE_OFF")


tank_firmware = line_shell(BANNER, tank_controller)
"""The shell around that controller."""
