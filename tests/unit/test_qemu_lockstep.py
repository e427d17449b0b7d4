"""From tick to tick: the guest's counter is the clock, and nothing else is."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

import pytest

from pytest_embedbench.engines.qemu.lockstep import (
    AwaitedTick,
    Calls,
    Lockstep,
    Restarted,
    RomWait,
    TickWord,
    Trapped,
)
from pytest_embedbench.processes.channel_errors import NoAnswer
from tests.unit.fake_guest import ENTRY, ROM_END, ROM_WAIT, FakeGuest, Write, serving

COUNTER, LATER, OTHER = 0x100, 0x104, 0x108
AWAITED, STOPS = 0x110, 0x114


def ticks(*counts: int, later: bool = True) -> Iterator[Write]:
    for value in counts:
        yield Write(OTHER, value)
        yield Write(COUNTER, value)
        if later:
            yield Write(LATER, value)


def obliging(guest: FakeGuest, says_at: int = -1) -> Iterator[Write]:
    """Yield what a firmware writes that stops where it is told, or once it speaks."""
    stops = 0
    for value in count():
        if value == says_at:
            yield Write(AWAITED, value)
        if value >= guest.memory.get(AWAITED, 0):
            yield Write(STOPS + 4 * (stops % 2), value)
            stops += 1
        yield Write(COUNTER, value + 1)


@pytest.mark.parametrize("later", [LATER, None])
def test_each_tick_is_a_stop(later: int | None) -> None:
    guest = FakeGuest(ticks(*range(1, 100)))
    heard: list[int] = []
    with serving(guest) as stub:
        lockstep = Lockstep(stub, TickWord(COUNTER, later), ())
        lockstep.start(ENTRY, 0)
        lockstep.run_to(5, lambda: heard.append(lockstep.ticks))
        lockstep.run_to(5, lambda: heard.append(-1))
        lockstep.run_to(7, lambda: heard.append(lockstep.ticks))
    assert heard == [1, 2, 3, 4, 5, 6, 7]
    assert guest.memory[COUNTER] == 7


def test_ticks_that_are_caught_up_at_once_count_all() -> None:
    # A scheduler that was suspended makes up for several ticks in one go.
    script = iter([*ticks(1, 2), Write(COUNTER, 3), Write(COUNTER, 4), *ticks(5, 6, 7)])
    heard: list[int] = []
    with serving(FakeGuest(script)) as stub:
        lockstep = Lockstep(stub, TickWord(COUNTER, LATER), ())
        lockstep.start(ENTRY, 0)
        lockstep.run_to(6, lambda: heard.append(lockstep.ticks))
    assert heard == [1, 2, 5, 6]
    assert lockstep.widest == 3


def test_a_counter_that_goes_back_is_a_restart() -> None:
    with serving(FakeGuest(ticks(1, 2, 3, 0, 1, 2, 3, 4, 5))) as stub:
        lockstep = Lockstep(stub, TickWord(COUNTER, LATER), ())
        lockstep.start(ENTRY, 0)
        with pytest.raises(Restarted):
            lockstep.run_to(9, lambda: None)
        assert lockstep.ticks == 3


def test_a_firmware_that_stops_where_it_is_told_is_stopped_nowhere_else() -> None:
    guest = FakeGuest(iter(()))
    guest.script = obliging(guest)
    heard: list[int] = []
    with serving(guest) as stub:
        lockstep = Lockstep(stub, AwaitedTick(COUNTER, AWAITED, STOPS), ())
        lockstep.start(ENTRY, 0)
        lockstep.run_to(7, lambda: heard.append(lockstep.ticks))
        lockstep.run_to(8, lambda: heard.append(lockstep.ticks))
        lockstep.run_to(30, lambda: heard.append(lockstep.ticks))
    assert heard == [7, 8, 18, 28, 30]
    assert lockstep.widest == 1


def test_what_a_firmware_says_meanwhile_is_heard_in_the_tick_after_it() -> None:
    guest = FakeGuest(iter(()))
    guest.script = obliging(guest, says_at=3)
    heard: list[int] = []
    with serving(guest) as stub:
        lockstep = Lockstep(stub, AwaitedTick(COUNTER, AWAITED, STOPS), ())
        lockstep.start(ENTRY, 0)
        lockstep.run_to(9, lambda: heard.append(lockstep.ticks))
    assert heard == [3, 9]


def test_a_stop_in_a_firmware_that_starts_over_is_a_restart() -> None:
    # Its first words are the stops, its counter still what it was.
    start = [Write(STOPS, 0), Write(STOPS + 4, 0), Write(COUNTER, 0)]
    ran = [Write(STOPS, 0), Write(COUNTER, 1), Write(COUNTER, 2)]
    heard: list[int] = []
    with serving(FakeGuest(iter([*ran, *start, *ran]))) as stub:
        lockstep = Lockstep(stub, AwaitedTick(COUNTER, AWAITED, STOPS), ())
        lockstep.start(ENTRY, 0)
        with pytest.raises(Restarted):
            lockstep.run_to(9, lambda: heard.append(lockstep.ticks))
    assert heard == [2]


def test_calls_of_a_function_count_themselves() -> None:
    calls = (Write(ENTRY, number, traps=number % 2 == 0) for number in count())
    with serving(FakeGuest(calls)) as stub:
        lockstep = Lockstep(stub, Calls(ENTRY), ())
        lockstep.start(ENTRY, 0)
        lockstep.run_to(3, lambda: None)
        assert lockstep.ticks == 3


def test_a_breakpoint_of_the_firmwares_own_is_no_tick() -> None:
    script = iter([*ticks(1, 2, 3), Write(0x5000, 0, traps=True)])
    with serving(FakeGuest(script)) as stub:
        lockstep = Lockstep(stub, TickWord(COUNTER, LATER), ())
        lockstep.start(ENTRY, 0)
        with pytest.raises(Trapped):
            lockstep.run_to(9, lambda: None)


@pytest.mark.parametrize("rom_stops", [0, 3, 1000])
def test_where_the_rom_waits_it_is_stopped_and_then_no_more(rom_stops: int) -> None:
    guest = FakeGuest(ticks(1, 2, 3), rom_stops=rom_stops)
    rom_wait = RomWait(waits_at=ROM_WAIT, leaves_at=ROM_END, then_time_warp_us=1000)
    with serving(guest) as stub:
        lockstep = Lockstep(stub, TickWord(COUNTER, LATER), ())
        lockstep.start(ENTRY, 0, rom_wait)
        lockstep.run_to(1, lambda: None)
    assert guest.breakpoints == set()
    assert guest.rom_stops in (0, rom_stops - 101)


def test_a_stop_before_the_first_tick_is_no_boot() -> None:
    with serving(FakeGuest(ticks(1, 2, 3))) as stub:
        lockstep = Lockstep(stub, TickWord(COUNTER, LATER), ())
        with pytest.raises(Trapped):
            lockstep.start(ENTRY + 4, 0)


def test_a_stub_that_hangs_in_the_middle_of_a_tick_is_given_up() -> None:
    guest = FakeGuest(ticks(*range(99)))
    with serving(guest, wall_s=0.1) as stub:
        lockstep = Lockstep(stub, TickWord(COUNTER, LATER), ())
        lockstep.start(ENTRY, 0)
        guest.hangs_on = b"vCont;c"
        with pytest.raises(NoAnswer):
            lockstep.run_to(2, lambda: None)
