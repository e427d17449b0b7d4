"""What nets did, with pulses and bytes as edges."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import pytest

from pytest_embedbench.pins import Level
from pytest_embedbench.wiring.net_log import (
    FIGHT,
    MOST_CHANGES,
    BusByte,
    BusKind,
    NetLog,
    PwmChange,
    bus_bytes,
)
from pytest_embedbench.wiring.net_waves import NetWaves
from tests.support.wave_records import number, record

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_embedbench.wiring.waves import CircuitRecord

SCK, MOSI, MISO, SDA, SCL = (number(f"uno:{pin}") for pin in (13, 11, 12, "A4", "A5"))
PULLED_UP = [(0, "uno:A4", 1), (0, "uno:A5", 1)]
CLOCK = 160
"""Of SCL at 100 kHz, in ticks."""


def bits_at(
    found: CircuitRecord, clock: int, data: int, *, rising: bool
) -> Iterator[tuple[int, int]]:
    """Yield when a clock had an edge, and what was on the data line just before it."""
    waves = NetWaves(found)
    for at_ticks, level in waves.changes(clock):
        if level == int(rising):
            yield at_ticks, waves.level_at(data, at_ticks - 1)


@pytest.mark.parametrize("mode", [0, 1, 2, 3])
@pytest.mark.parametrize("lasts", [16, 32, 128])
def test_a_byte_of_spi_is_sampled_at_the_edge_of_its_mode(
    mode: int, lasts: int
) -> None:
    begins = 1000
    kind = BusKind(mode)
    bus = [
        BusByte(kind, begins, begins + lasts, 0xA5, 0x3C),
        BusByte(kind, begins + lasts + 8, begins + 2 * lasts + 8, 0x01, 0xFF),
    ]
    low = [(0, f"uno:{pin}", 0) for pin in (11, 12, 13)]
    found = record(low, ends_ticks=5000, bus=bus)
    rising = mode in {0, 3}
    first_edge = 1 if mode in {2, 3} else 0
    for line, sent in ((MOSI, 0xA501), (MISO, 0x3CFF)):
        seen = [
            (at_ticks, bit)
            for at_ticks, bit in bits_at(found, SCK, line, rising=rising)
            if at_ticks >= begins
        ]
        assert int("".join(str(bit) for _, bit in seen), 2) == sent
        assert all(begins < at_ticks <= begins + 2 * lasts + 8 for at_ticks, _ in seen)
    assert NetWaves(found).level_at(SCK, begins - 1) == first_edge, "at rest before it"
    assert NetWaves(found).level_at(SCK, 5000) == first_edge, "and after it"
    assert len([*NetWaves(found).changes(SCK, begins - 1)]) == 32


def test_what_nobody_sends_back_leaves_miso_floating() -> None:
    found = record(ends_ticks=500, bus=[BusByte(BusKind.SPI_0, 100, 228, 0x55, 0xFF)])
    assert found.edges_of(MISO) == []
    assert len(found.edges_of(SCK)) == 1 + 16


def i2c(*told: str) -> list[BusByte]:
    """Return bytes as the bus of a chip tells them: ``S 78+``, ``00+``, ``ff-``, P."""
    bus: list[BusByte] = []
    at_ticks = 1000
    for each in told:
        if each == "P":
            at_ticks += CLOCK + 20
            bus.append(BusByte(BusKind.I2C_STOP, at_ticks, at_ticks, 0, 0))
            continue
        begins = each[0] == "S"
        at_ticks += (CLOCK + 60) if begins else 20
        kind = BusKind.I2C_ACK if each[-1] == "+" else BusKind.I2C_NACK
        value = int(each.strip("S+-"), 16)
        ends = at_ticks + 9 * CLOCK
        bus.append(BusByte(kind, at_ticks, ends, value, int(begins)))
        at_ticks = ends
    return bus


def i2c_seen(found: CircuitRecord) -> list[str]:
    """Decode the lines by the specification: conditions, bytes, acknowledges."""
    waves = NetWaves(found)
    both = sorted(
        (at_ticks, line, level)
        for line in (SDA, SCL)
        for at_ticks, level in waves.changes(line)
    )
    at = [at_ticks for at_ticks, _, _ in both if at_ticks]
    assert len({*at}) == len(at), "never two lines at one moment"
    levels = {SDA: 1, SCL: 1}
    seen: list[str] = []
    bits = ""
    for at_ticks, line, level in both:
        before, levels[line] = levels[line], level
        if before == level or not at_ticks:
            continue
        if line == SDA and levels[SCL]:
            seen.append("P" if level else "S")
            bits = ""
        elif line == SCL and level:
            bits += str(levels[SDA])
            if len(bits) == 9:
                value, acknowledge = int(bits[:8], 2), "-+"[bits[8] == "0"]
                seen.append(f"{value:02x}{acknowledge}")
                bits = ""
    return seen


def test_bytes_of_i2c_are_start_bits_acknowledges_and_stop() -> None:
    said = ("S78+", "00+", "a5+", "S79+", "ff+", "81-", "P", "S50-", "P")
    found = record(PULLED_UP, ends_ticks=50_000, bus=i2c(*said))
    # A clock that rises before a STOP or a START is not a bit of any byte.
    assert i2c_seen(found) == [
        *("S", "78+", "00+", "a5+", "S", "79+", "ff+", "81-", "P"),
        *("S", "50-", "P"),
    ]


def test_behind_a_resistor_in_series_bytes_are_edges_as_well() -> None:
    behind = [*PULLED_UP, (0, "r1:2", 1)]
    found = record(behind, ends_ticks=50_000, bus=i2c("S78+", "P"))
    on_line = found.edges_of(number("uno:A4"))
    assert len(on_line) > 4
    assert found.edges_of(number("r1:2")) == on_line


def test_a_start_is_held_and_a_stop_set_up_as_long_as_100_khz_wants() -> None:
    found = record(PULLED_UP, ends_ticks=9000, bus=i2c("S78+", "P"))
    sda, scl = found.edges_of(SDA), found.edges_of(SCL)
    assert scl[1].at_ns - sda[1].at_ns >= 4000, "tHD;STA"
    assert sda[-1].at_ns - scl[-1].at_ns >= 4000, "tSU;STO"
    assert min(b.at_ns - a.at_ns for a, b in pairwise(scl)) >= 4000
    assert (sda[-1].level, scl[-1].level) == (Level.HIGH, Level.HIGH)


def test_without_a_pull_up_a_line_that_is_let_go_of_floats() -> None:
    found = record(ends_ticks=9000, bus=i2c("S78+", "P"))
    assert {edge.level for edge in found.edges_of(SDA)} == {Level.LOW, Level.FLOATING}


def test_a_look_at_a_part_of_time_is_a_part_of_the_look_at_all_of_it() -> None:
    said = i2c("S78+", "00+", "S79+", "81-", "P")
    net = number("uno:9")
    pwm = [PwmChange(777, net, 1024, 300), PwmChange(20_000, net, 0, 0)]
    changes = [*PULLED_UP, (5, "uno:9", 1), (20_000, "uno:9", 1)]
    found = record(changes, ends_ticks=30_000, pwm=pwm, bus=said)
    waves = NetWaves(found)
    for net in (SDA, SCL, number("uno:9")):
        whole = [*waves.changes(net)]
        for after in range(0, 30_000, 97):
            shown = [level for at_ticks, level in whole if at_ticks <= after]
            assert waves.level_at(net, after) == (shown[-1] if shown else 2)
            rest = [change for change in whole if change[0] > after]
            assert [*waves.changes(net, after)] == rest
            assert [*waves.changes(net, after, after + 500)] == [
                change for change in rest if change[0] <= after + 500
            ]


def test_pulses_end_with_what_the_pin_shows_then() -> None:
    net = number("uno:9")
    pwm = [PwmChange(160, net, 160, 40), PwmChange(500, net, 0, 0)]
    found = record([(0, "uno:9", 0), (500, "uno:9", 1)], ends_ticks=999, pwm=pwm)
    assert [(edge.at_ns, edge.level is Level.HIGH) for edge in found.edges_of(net)] == [
        *((0, False), (10_000, True), (12_500, False), (20_000, True), (22_500, False)),
        *((30_000, True),),
    ]


def test_a_contention_is_no_level() -> None:
    found = record([(0, "uno:9", 0), (16, "uno:9", FIGHT)], ends_ticks=32)
    assert [edge.level for edge in found.edges_of(number("uno:9"))] == [
        *(Level.LOW, Level.FLOATING)
    ]
    assert NetWaves(found).level_at(number("uno:9"), 20) == FIGHT


def test_a_log_says_up_to_when_bytes_are_missing() -> None:
    log = NetLog()
    for index in range(2 * MOST_CHANGES + 1):
        log.add_byte(0, index * 10, index * 10 + 8, 1, 2)
    assert log.all()[1] == MOST_CHANGES * 10
    assert bus_bytes(log.bus[:2].tobytes())[0].begins_ticks == MOST_CHANGES * 10
