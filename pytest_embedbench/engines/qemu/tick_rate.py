"""How often a guest's operating system ticks: what its build says, and what it does.

Every tick is one stop, and the bench's time is their number, so a wrong guess would be
a clock that is wrong by as much.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Protocol

from pytest_embedbench.errors import ConfigError

if TYPE_CHECKING:
    from pytest_embedbench.engines.qemu.elf import SymbolAddresses
    from pytest_embedbench.engines.qemu.rsp import Stub

_SHARE_OF_A_TICK = Fraction(2, 5)
_STOPS_A_TICK = 2
_AWAITS = "embedbench_awaited"
"""A firmware that has it is stopped once in a tick at most."""
_SHORT_TICK_US = 1000
_STALLS = "esp_dport_access_int_pause"
_STALLED_TIME_WARP_US = 20


class TickTimer(Protocol):
    """What a chip's ticks come from; read at a tick, when it has been set up."""

    def rate_hz(self, stub: Stub, names: SymbolAddresses) -> int:
        """Return how often it fires; 0 if the firmware does not use it."""
        ...


@dataclass(frozen=True, slots=True)
class CycleTick:
    """Xtensa's own timer: so many cycles of a core from tick to tick.

    ``mhz_at`` is where the chip's ROM keeps what those cycles are worth.
    """

    mhz_at: int
    divisor: str = "_xt_tick_divisor"

    def rate_hz(self, stub: Stub, names: SymbolAddresses) -> int:
        """Divide the core's clock by the cycles of a tick."""
        address = names.get(self.divisor)
        cycles = stub.read_word(address) if address is not None else 0
        return round(stub.read_word(self.mhz_at) * 1_000_000 / cycles) if cycles else 0


@dataclass(frozen=True, slots=True)
class PeriodicAlarm:
    """A timer of the chip that counts at ``counts_hz``; ``setting`` is its period."""

    setting: int
    counts_hz: int
    counts_mask: int = (1 << 26) - 1

    def rate_hz(self, stub: Stub, names: SymbolAddresses) -> int:
        """Divide the timer's clock by its period."""
        del names
        counts = stub.read_word(self.setting) & self.counts_mask
        return round(self.counts_hz / counts) if counts else 0


@dataclass(frozen=True, slots=True, kw_only=True)
class TickPeriod:
    """How long a tick is, and who said so."""

    period_us: Fraction
    source: str
    """A remark such as ``sdkconfig.json``; empty for a guess."""


def agreed(said: TickPeriod, guest_hz: int) -> TickPeriod:
    """Return the period that holds, from what was said and what the guest has set up.

    A guess gives way to what the guest has set up; 0 is for a guest that does not tell.

    Raises:
        ConfigError: they contradict each other.
    """
    if not guest_hz:
        return said
    period_us = Fraction(1_000_000, guest_hz)
    if not said.source:
        return TickPeriod(period_us=period_us, source="the chip's own timer")
    if abs(period_us / said.period_us - 1) > Fraction(1, 100):
        raise ConfigError(
            f"the firmware has set its tick to {guest_hz} Hz, but {said.source} says "
            f"{float(1_000_000 / said.period_us):g} Hz: it is of another build, or "
            "wrong"
        )
    return TickPeriod(
        period_us=said.period_us, source=f"{said.source} and the chip's own timer"
    )


def usual_time_warp_us(period_us: Fraction, names: SymbolAddresses) -> int:
    """Return how far time may go at a stop: two fifths of a tick for all its stops.

    Two cores that stall each other at every access to DPORT (ESP-IDF up to 3 and
    Arduino's core 1 on an ESP32) do so with the tick's interrupt masked: with a short
    tick, time warps would have the next one due before they are through, for ever.
    """
    if _STALLS in names and period_us <= _SHORT_TICK_US:
        return _STALLED_TIME_WARP_US
    stops = 1 if _AWAITS in names else _STOPS_A_TICK
    return max(1, int(period_us * _SHARE_OF_A_TICK / stops))
