"""How far virtual time goes when the guest is stopped.

QEMU takes a guest that its debugger has stopped for an idle one, and with ``sleep=off``
lets time leap to the next event of the machine: by default the next tick, so that a
guest that is stopped in every tick would never get to do anything. A timer of ours
that fires often and does nothing bounds the leap. QEMU has one in its network code.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pytest_embedbench.engines.qemu.rsp import Stub

LEAP_TIMER = "lockvirtual-timer"


def set_leap(stub: Stub, leap_us: int) -> None:
    """Bound the leaps after the next one by ``leap_us``."""
    stub.monitor(f"qom-set /objects/{LEAP_TIMER} interval {leap_us}")
