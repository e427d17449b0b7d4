"""DS1307, by a driver from its datasheet."""

from __future__ import annotations

from itertools import pairwise

import pytest

from pytest_embedbench.errors import ConfigError
from pytest_embedbench.wiring.drives import Drive
from tests.support.bit_bus import ByteI2c, SoftI2c
from tests.support.placed import OnTable

ADDRESS = 0x68
SECOND_US = 1_000_000


class Rtc:
    def __init__(self, **attrs: str) -> None:
        self.it = OnTable("wokwi-ds1307", **attrs)
        self.bus = ByteI2c(self.it.wires, byte_us=90)

    def read(self, register: int, count: int) -> bytes:
        assert self.bus.write(ADDRESS, bytes((register,))) == [True, True]
        return self.bus.read(ADDRESS, count)

    def write(self, register: int, data: bytes) -> None:
        assert all(self.bus.write(ADDRESS, bytes((register,)) + data))

    def time(self) -> str:
        return self.read(0, 7).hex(" ")

    def wait_s(self, seconds: float) -> None:
        self.it.wires.advance_us(seconds * SECOND_US)


def test_it_runs_from_a_fixed_start() -> None:
    rtc = Rtc()
    assert rtc.it.see("time") == "2020-01-01T00:00:00"
    assert rtc.time() == "00 00 00 04 01 01 20"  # a Wednesday; Sunday is 1
    rtc.wait_s(3661)
    assert rtc.time() == "01 01 01 04 01 01 20"
    assert rtc.it.see("time") == "2020-01-01T01:01:01"


@pytest.mark.parametrize(
    ("start", "registers"),
    [
        ("0", "00 00 00 07 01 01 00"),
        ("2019-11-19T11:41:56Z", "56 41 11 03 19 11 19"),
        ("2024-02-29T23:59:58", "58 59 23 05 29 02 24"),
        ("2024-02-29T23:59:58+01:00", "58 59 22 05 29 02 24"),
        ("2021-05-01", "00 00 00 07 01 05 21"),
    ],
)
def test_it_begins_where_it_is_told_to(start: str, registers: str) -> None:
    assert Rtc(initTime=start).time() == registers


@pytest.mark.parametrize("start", ["soon", "1999-12-31T00:00:00", "2024-02-30", ""])
def test_a_start_has_to_be_a_date_of_its_century(start: str) -> None:
    with pytest.raises(ConfigError, match=f"initTime is '{start}', must be 'now'"):
        Rtc(initTime=start)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("59 59 23 07 28 02 23", "00 00 00 01 01 03 23"),
        ("59 59 23 01 28 02 24", "00 00 00 02 29 02 24"),
        ("59 59 23 02 30 04 25", "00 00 00 03 01 05 25"),
        ("59 59 23 03 31 12 99", "00 00 00 04 01 01 00"),
        ("59 59 51 06 31 01 30", "00 00 72 06 31 01 30"),  # 11 AM, 12 PM
        ("59 59 72 06 31 01 30", "00 00 61 06 31 01 30"),  # 12 PM, 1 PM
        ("59 59 71 06 31 01 30", "00 00 52 07 01 02 30"),  # 11 PM, 12 AM
        ("59 59 52 06 31 01 30", "00 00 41 06 31 01 30"),  # 12 AM, 1 AM
    ],
)
def test_it_counts_over(before: str, after: str) -> None:
    rtc = Rtc()
    rtc.write(0, bytes.fromhex(before))
    assert rtc.time() == before
    rtc.wait_s(0.99)
    assert rtc.time() == before
    rtc.wait_s(0.01)
    assert rtc.time() == after


def test_a_write_to_the_seconds_begins_a_second() -> None:
    rtc = Rtc()
    rtc.wait_s(0.9)
    rtc.write(0, b"\x30")
    rtc.write(1, b"\x59")
    rtc.wait_s(0.9)
    assert rtc.read(0, 2) == b"\x30\x59"
    rtc.wait_s(0.1)
    assert rtc.read(0, 2) == b"\x31\x59"


def test_a_halted_clock_stands_still() -> None:
    rtc = Rtc()
    rtc.write(0, b"\xb0\x12\x07")
    rtc.wait_s(100)
    assert rtc.read(0, 3) == b"\xb0\x12\x07"
    rtc.write(0, b"\x30")
    rtc.wait_s(2)
    assert rtc.read(0, 3) == b"\x32\x12\x07"


def test_the_time_is_read_of_one_moment() -> None:
    rtc = Rtc(initTime="2022-12-31T23:59:59")
    device = rtc.it.wires.i2c[ADDRESS]
    rtc.bus.write(ADDRESS, b"\x00")
    device.begin(rtc.it.wires.now_ticks, reads=True)
    read = bytearray()
    for _ in range(7):
        read.append(device.read(rtc.it.wires.now_ticks))
        rtc.wait_s(0.3)
    device.end(rtc.it.wires.now_ticks)
    assert read.hex(" ") == "59 59 23 07 31 12 22"
    assert rtc.time() == "01 00 00 01 01 01 23"


def test_ram_keeps_what_is_written_and_addresses_go_round() -> None:
    rtc = Rtc()
    rtc.write(0x08, bytes(range(56)))
    assert rtc.read(0x08, 56) == bytes(range(56))
    rtc.write(0x3E, b"\xaa\xbb\x45\x44")
    assert rtc.read(0x3E, 4) == b"\xaa\xbb\x45\x44"
    assert rtc.read(0x07, 1) == b"\x03"
    rtc.write(0x07, b"\xff")
    assert rtc.read(0x07, 1) == b"\x93"


def test_a_pointer_stays_over_transactions_bit_by_bit() -> None:
    rtc = Rtc(initTime="2031-07-08T09:10:11")
    bus = SoftI2c(rtc.it.wires)
    bus.write(ADDRESS, b"\x04", then_stop=False)
    assert bus.read(ADDRESS, 1) == b"\x08"
    assert bus.read(ADDRESS, 2) == b"\x07\x31"


def edges_us(rtc: Rtc, seconds: float) -> list[tuple[float, bool]]:
    rtc.it.wires.events.clear()
    rtc.wait_s(seconds)
    return [
        (at_us, value.is_high)
        for at_us, value in rtc.it.events_us("SQW")
        if isinstance(value, Drive)
    ]


@pytest.mark.parametrize(
    ("control", "rate_hz"), [(0x10, 1), (0x11, 4096), (0x12, 8192), (0x13, 32_768)]
)
def test_sqw_has_four_rates(control: int, rate_hz: int) -> None:
    rtc = Rtc()
    rtc.write(0x07, bytes((control,)))
    seconds = max(4 / rate_hz, 0.01)
    edges = edges_us(rtc, seconds)
    assert len(edges) == pytest.approx(2 * rate_hz * seconds, abs=1)
    for (sooner, one), (later, other) in pairwise(edges):
        assert one is not other
        assert later - sooner == pytest.approx(SECOND_US / rate_hz / 2, abs=0.07)


def test_one_hertz_falls_as_a_second_begins() -> None:
    rtc = Rtc()
    rtc.write(0x07, b"\x10")
    falls = [at_us for at_us, is_high in edges_us(rtc, 2.5) if not is_high]
    assert falls == [SECOND_US, 2 * SECOND_US]
    rtc.write(0x00, b"\x80")
    assert edges_us(rtc, 3) == []


def test_without_a_wave_sqw_is_at_out() -> None:
    rtc = Rtc()
    driven = rtc.it.wires.driven
    assert driven["SQW"].is_low
    rtc.write(0x07, b"\x80")
    assert driven["SQW"].is_high
    rtc.write(0x07, b"\x13")
    rtc.write(0x07, b"\x00")
    assert edges_us(rtc, 1) == []
    assert driven["SQW"].is_low
