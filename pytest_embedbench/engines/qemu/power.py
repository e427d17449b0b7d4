"""Which kind of guest a setup asks for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_embedbench.engines.qemu.lockstep_guest import LockstepPower
from pytest_embedbench.engines.qemu.realtime_guest import RealtimePower

if TYPE_CHECKING:
    from pytest_embedbench.engines.qemu.guest import PowerOn
    from pytest_embedbench.engines.qemu.setup import Setup


def power(setup: Setup) -> PowerOn:
    """Return what starts guests in lockstep, or in real time where time has no step."""
    if setup.timing.icount_shift is None:
        return RealtimePower(setup)
    return LockstepPower(setup)
