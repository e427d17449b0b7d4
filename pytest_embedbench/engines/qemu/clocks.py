"""Finding the clock of a firmware that a bench can keep step with."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING

from pytest_embedbench.engines.qemu.lockstep import AwaitedTick, Calls, TickWord
from pytest_embedbench.engines.qemu.tick_rate import TickPeriod, agreed
from pytest_embedbench.errors import ConfigError
from pytest_embedbench.flashing.esp_config import SDKCONFIG

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
    """What a guest counts: ``sync_point`` each ``period_us``, first from ``entry``.

    ``source`` is who said how long that is, empty for a guess.
    """

    name: str
    entry: int
    sync_point: SyncPoint
    period_us: Fraction
    source: str = ""

    @property
    def is_freertos(self) -> bool:
        """Whether it is the tick of FreeRTOS, whose rate is up to the build."""
        return self.name == _FREERTOS

    def agreed(self, guest_hz: int) -> GuestClock:
        """Return it with the period that holds; raises as ``tick_rate.agreed`` does."""
        said = TickPeriod(period_us=self.period_us, source=self.source)
        held = agreed(said, guest_hz)
        return replace(self, period_us=held.period_us, source=held.source)

    def describe(self) -> str:
        """Return a remark on how long a tick is, and who said so."""
        source = self.source or "a guess: nothing said so"
        hz = 1_000_000 / self.period_us
        return f"its tick is taken for {float(hz):g} Hz ({source})"


_FREERTOS = "xTickCount"
_OPTION = "option sync_period_us"
_BARE, _AWAITED, _STOPS = "embedbench_ticks", "embedbench_awaited", "embedbench_stops"
_KNOWN = (
    Known(
        counter=_BARE,
        later=("embedbench_ticks_done",),
        entry="bare_tick",
    ),
    Known(
        counter=_FREERTOS,
        later=("port_interruptNesting", "port_uxInterruptNesting"),
        entry="xTaskIncrementTick",
    ),
    Known(counter="uwTick", entry="HAL_IncTick", tick_hz=1000),
)
# Firmware with Arduino's core for ESP32, whose FreeRTOS ticks at another rate.
_ARDUINO, _ARDUINO_HZ = "initArduino", 1000


def find_clock(
    names: SymbolAddresses, sync_symbol: str, sync_us: int, config_hz: int | None = None
) -> GuestClock:
    """Return the clock that ``sync_symbol`` names, or the first that is known.

    ``sync_symbol`` is a function that is called every ``sync_us``. Without it, the
    tick of an operating system that is known; then 0 is what ``config_hz``, FreeRTOS'
    rate by the build, says, or that system's usual period.

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
            name=sync_symbol,
            entry=entry,
            sync_point=Calls(entry),
            period_us=Fraction(sync_us),
            source=_OPTION,
        )
    for known in _KNOWN:
        if known.counter in names and known.entry in names:
            is_freertos = known.counter == _FREERTOS
            said = _said(sync_us, config_hz if is_freertos else None)
            hz = _ARDUINO_HZ if _ARDUINO in names else known.tick_hz
            return GuestClock(
                name=known.counter,
                entry=names[known.entry],
                sync_point=_sync_point(known, names),
                period_us=said.period_us or Fraction(1_000_000, hz),
                source=said.source,
            )
    counters = ", ".join(known.counter for known in _KNOWN)
    raise ConfigError(
        f"the firmware has no clock that is known ({counters}): name a function that "
        "it calls at a fixed rate in the options sync_symbol and sync_period_us, or "
        "run it in real time with lockstep = false"
    )


def _sync_point(known: Known, names: SymbolAddresses) -> SyncPoint:
    counter = names[known.counter]
    if known.counter == _BARE and _AWAITED in names and _STOPS in names:
        return AwaitedTick(counter, names[_AWAITED], names[_STOPS])
    later = next((names[name] for name in known.later if name in names), None)
    return TickWord(counter, later)


def _said(sync_us: int, config_hz: int | None) -> TickPeriod:
    """Return what somebody has said; 0 if nobody did."""
    if sync_us:
        return TickPeriod(period_us=Fraction(sync_us), source=_OPTION)
    if config_hz:
        return TickPeriod(period_us=Fraction(1_000_000, config_hz), source=SDKCONFIG)
    return TickPeriod(period_us=Fraction(0), source="")
