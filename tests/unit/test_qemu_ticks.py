"""How often a guest ticks: by its build, by what it has set up, by a guess at last."""

from __future__ import annotations

from fractions import Fraction

import pytest

from pytest_embedbench.engines.qemu.clocks import GuestClock, find_clock
from pytest_embedbench.engines.qemu.elf import SymbolAddresses
from pytest_embedbench.engines.qemu.launch import Timing, machine_words
from pytest_embedbench.engines.qemu.lockstep import AwaitedTick, TickWord
from pytest_embedbench.engines.qemu.tick_rate import (
    CycleTick,
    PeriodicAlarm,
    usual_time_warp_us,
)
from pytest_embedbench.errors import ConfigError
from tests.unit.fake_guest import FakeGuest, serving

DIVISOR, MHZ, SETTING = 0x100, 0x3FFE01E0, 0x60023034
IDF = SymbolAddresses(
    {"xTickCount": 1, "xTaskIncrementTick": 2, "_xt_tick_divisor": DIVISOR}
)
ARDUINO = SymbolAddresses({**IDF.addresses, "initArduino": 3})
STALLING = SymbolAddresses({"esp_dport_access_int_pause": 4})


def clock(
    names: SymbolAddresses = IDF, sync_us: int = 0, config_hz: int | None = None
) -> GuestClock:
    return find_clock(names, "", sync_us, config_hz)


@pytest.mark.parametrize(
    ("names", "sync_us", "config_hz", "period_us", "source"),
    [
        (IDF, 0, None, 10_000, ""),
        (ARDUINO, 0, None, 1000, ""),
        (IDF, 0, 1000, 1000, "sdkconfig.json"),
        (ARDUINO, 0, 100, 10_000, "sdkconfig.json"),
        (IDF, 5000, 1000, 5000, "option sync_period_us"),
        (IDF, 0, 128, Fraction(15625, 2), "sdkconfig.json"),
    ],
)
def test_the_option_comes_before_the_build_and_the_build_before_a_guess(
    names: SymbolAddresses,
    sync_us: int,
    config_hz: int | None,
    period_us: Fraction,
    source: str,
) -> None:
    found = clock(names, sync_us, config_hz)
    assert (found.period_us, found.source) == (period_us, source)


def test_a_guess_gives_way_to_what_the_guest_has_set_up() -> None:
    found = clock().agreed(1000)
    assert found.period_us == 1000
    assert found.describe() == "its tick is taken for 1000 Hz (the chip's own timer)"
    assert "a guess" in clock().agreed(0).describe()


def test_what_the_build_says_has_to_be_so() -> None:
    found = clock(config_hz=1000).agreed(1000)
    assert found.period_us == 1000
    assert found.describe().endswith("(sdkconfig.json and the chip's own timer)")
    with pytest.raises(
        ConfigError, match=r"to 100 Hz, but sdkconfig\.json says 1000 Hz"
    ):
        clock(config_hz=1000).agreed(100)
    with pytest.raises(ConfigError, match="option sync_period_us says 200 Hz"):
        clock(sync_us=5000).agreed(100)


def test_other_clocks_are_not_looked_into() -> None:
    other = SymbolAddresses({"uwTick": 1, "HAL_IncTick": 2})
    assert clock().is_freertos
    assert not clock(other).is_freertos
    assert clock(other, config_hz=100).period_us == 1000


def test_the_guests_own_setting_is_read() -> None:
    memory = {DIVISOR: 160_000, MHZ: 160, SETTING: 1 << 30 | 16_000}
    with serving(FakeGuest(iter(()), memory)) as stub:
        assert CycleTick(MHZ).rate_hz(stub, IDF) == 1000
        assert CycleTick(MHZ).rate_hz(stub, SymbolAddresses({})) == 0
        assert PeriodicAlarm(SETTING, 16_000_000).rate_hz(stub, IDF) == 1000
        assert PeriodicAlarm(0x200, 16_000_000).rate_hz(stub, IDF) == 0


def test_cores_that_stall_each_other_get_short_time_warps_at_a_short_tick() -> None:
    assert usual_time_warp_us(Fraction(1000), IDF) == 200
    assert usual_time_warp_us(Fraction(1000), STALLING) == 20
    assert usual_time_warp_us(Fraction(10_000), STALLING) == 2000
    assert usual_time_warp_us(Fraction(1), IDF) == 1


def test_what_is_stopped_once_a_tick_may_lose_as_much_as_what_is_stopped_twice() -> (
    None
):
    bare = SymbolAddresses({"embedbench_awaited": 5})
    assert usual_time_warp_us(Fraction(10_000), bare) == 4000


def test_a_firmware_that_can_be_told_of_a_tick_is_told() -> None:
    ticks = {"embedbench_ticks": 1, "bare_tick": 2}
    assert clock(SymbolAddresses(ticks)).sync_point == TickWord(1)
    told = {**ticks, "embedbench_awaited": 3, "embedbench_stops": 4}
    assert clock(SymbolAddresses(told)).sync_point == AwaitedTick(1, 3, 4)


@pytest.mark.parametrize(("lockstep", "sleep"), [(True, "off"), (False, "on")])
def test_two_cores_share_a_thread_also_in_real_time(lockstep: bool, sleep: str) -> None:  # noqa: FBT001
    timing = Timing(
        icount_shift=6,
        time_warp_us=1,
        rom_time_warp_us=1,
        cpu_limit_s=1.0,
        wall_limit_s=1.0,
        grace_s=1.0,
        lockstep=lockstep,
    )
    words = machine_words(timing, "nonce")
    assert words[words.index("-icount") + 1] == f"shift=6,sleep={sleep}"
    assert ("-object" in words) is lockstep
