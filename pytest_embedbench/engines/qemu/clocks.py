"""Finding the clock of a firmware that a bench can keep step with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_embedbench.engines.qemu.lockstep import Calls, TickWord
from pytest_embedbench.errors import ConfigError

if TYPE_CHECKING:
    from pytest_embedbench.engines.qemu.elf import SymbolAddresses
    from pytest_embedbench.engines.qemu.lockstep import SyncPoint


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """A kind of firmware, by the names of its tick.

    ``later`` are words that one of its ports writes after the counter in each tick.
    """

    counter: str
    entry: str
    later: tuple[str, ...] = ()
    tick_hz: int = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class GuestClock:
    """What a guest counts: ``sync_point`` each ``period_us``, first from ``entry``."""

    name: str
    entry: int
    sync_point: SyncPoint
    period_us: int


_KNOWN = (
    Known(
        counter="embedbench_ticks",
        later=("embedbench_ticks_done",),
        entry="bare_tick",
    ),
    Known(
        counter="xTickCount",
        later=("port_interruptNesting", "port_uxInterruptNesting"),
        entry="xTaskIncrementTick",
    ),
    Known(counter="uwTick", entry="HAL_IncTick", tick_hz=1000),
)
# Firmware with Arduino's core for ESP32, whose FreeRTOS ticks at another rate.
_ARDUINO, _ARDUINO_HZ = "initArduino", 1000


def find_clock(names: SymbolAddresses, sync_symbol: str, sync_us: int) -> GuestClock:
    """Return the clock that ``sync_symbol`` names, or the first that is known.

    ``sync_symbol`` is a function that is called every ``sync_us``. Without it, the
    tick of an operating system that is known; then 0 is that system's usual period.

    Raises:
        ConfigError: there is no such clock in the firmware.
    """
    if sync_symbol:
        if sync_symbol not in names or sync_us <= 0:
            raise ConfigError(
                f"sync_symbol {sync_symbol!r} with sync_period_us {sync_us}: the "
                "firmware has no such function, or the period is not above 0"
            )
        entry = names[sync_symbol]
        return GuestClock(
            name=sync_symbol, entry=entry, sync_point=Calls(entry), period_us=sync_us
        )
    for known in _KNOWN:
        if known.counter in names and known.entry in names:
            later = next((names[name] for name in known.later if name in names), None)
            hz = _ARDUINO_HZ if _ARDUINO in names else known.tick_hz
            return GuestClock(
                name=known.counter,
                entry=names[known.entry],
                sync_point=TickWord(names[known.counter], later),
                period_us=sync_us or 1_000_000 // hz,
            )
    counters = ", ".join(known.counter for known in _KNOWN)
    raise ConfigError(
        f"the firmware has no clock that is known ({counters}): name a function that "
        "it calls at a fixed rate in the options sync_symbol and sync_period_us, or "
        "run it in real time with lockstep = false"
    )
