"""MPU-6050, by a driver from InvenSense's register map."""

from __future__ import annotations

import struct

import pytest

from pytest_embedbench.pins import Level
from pytest_embedbench.wiring.drives import RELEASED, Drive
from tests.support.bit_bus import ByteI2c, NotAcknowledged, SoftI2c
from tests.support.placed import OnTable

LOW, HIGH = Level.LOW, Level.HIGH


class Imu:
    def __init__(self, *, awake: bool = True, **attrs: str) -> None:
        self.it = OnTable("wokwi-mpu6050", **attrs)
        self.bus = ByteI2c(self.it.wires)
        if awake:
            self.write(0x6B, 0x00)
            self.it.wires.advance_us(1000)

    def write(self, register: int, *data: int) -> None:
        assert all(self.bus.write(0x68, bytes((register, *data))))

    def read(self, register: int, count: int = 1) -> bytes:
        assert self.bus.write(0x68, bytes((register,))) == [True, True]
        return self.bus.read(0x68, count)

    def motion(self) -> tuple[int, ...]:
        """Return acceleration, temperature and rotation, raw."""
        return struct.unpack(">7h", self.read(0x3B, 14))

    def edges_us(self, duration_us: float) -> list[tuple[float, Drive]]:
        begin_us = self.it.wires.now_ticks / 16
        self.it.wires.events.clear()
        self.it.wires.advance_us(duration_us)
        return [
            (at_us - begin_us, value)
            for at_us, value in self.it.events_us("INT")
            if isinstance(value, Drive)
        ]


def test_after_a_reset_it_sleeps_and_measures_nothing() -> None:
    imu = Imu(awake=False)
    assert imu.read(0x75) == b"\x68"
    assert imu.read(0x6B) == b"\x40"
    imu.it.wires.advance_us(100_000)
    assert imu.motion() == (0,) * 7
    imu.write(0x6B, 0)
    imu.it.wires.advance_us(125)
    assert imu.motion()[2] == 16_384


def test_a_module_that_lies_flat_feels_1_g_and_24_degrees() -> None:
    *accel, temperature, _, _, _ = Imu().motion()
    assert accel == [0, 0, 16_384]
    assert temperature / 340 + 36.53 == pytest.approx(24, abs=0.003)


@pytest.mark.parametrize(
    ("range_", "per_g", "per_dps"),
    [(0, 16_384, 131), (1, 8192, 65.5), (2, 4096, 32.8), (3, 2048, 16.4)],
)
def test_ranges(range_: int, per_g: int, per_dps: float) -> None:
    imu = Imu()
    imu.write(0x1B, range_ << 3, range_ << 3)
    imu.it.set("accelX", -1.5)
    imu.it.set("accelY", 0.25)
    imu.it.set("rotationY", -90)
    imu.it.set("rotationZ", 200)
    imu.it.wires.advance_us(1000)
    ax, ay, az, _, gx, gy, gz = imu.motion()
    assert (ax / per_g, ay / per_g, az / per_g) == (-1.5, 0.25, 1)
    assert gx == 0
    assert gy / per_dps == pytest.approx(-90, abs=0.03)
    assert gz / per_dps == pytest.approx(200, abs=0.03)


def test_what_exceeds_a_range_stays_at_its_end() -> None:
    imu = Imu()
    imu.it.set("accelX", 16)
    imu.it.set("accelY", -16)
    imu.it.set("rotationX", 2000)
    imu.it.wires.advance_us(1000)
    ax, ay, _, _, gx, _, _ = imu.motion()
    assert (ax, ay, gx) == (32_767, -32_768, 32_767)


def test_the_address_follows_ad0() -> None:
    imu = Imu()
    with pytest.raises(NotAcknowledged):
        imu.bus.read(0x69, 1)
    imu.it.wires.show(AD0=HIGH)
    with pytest.raises(NotAcknowledged):
        imu.bus.read(0x68, 1)
    bus = SoftI2c(imu.it.wires)
    bus.write(0x69, b"\x75", then_stop=False)
    assert bus.read(0x69, 1) == b"\x68"
    assert bus.write(0x68, b"\x75") == [False, False]


def test_registers_are_written_and_read_in_one_go() -> None:
    imu = Imu()
    imu.write(0x19, 7, 3, 0x08, 0x10)
    assert imu.read(0x19, 4) == bytes((7, 3, 0x08, 0x10))
    imu.write(0x75, 0xFF)
    imu.write(0x3B, 0xFF)
    assert imu.read(0x75) == b"\x68"
    assert imu.read(0x3B, 2) == b"\x00\x00"
    imu.write(0x6B, 0x80)
    assert imu.read(0x6B) == b"\x40"
    assert imu.read(0x19, 4) == bytes(4)
    assert imu.read(0x72, 2) == bytes(2)


def test_a_burst_is_of_one_measurement_and_sleep_keeps_the_last() -> None:
    imu = Imu()
    device = imu.it.wires.i2c[0x68]
    imu.bus.write(0x68, b"\x3f")
    device.begin(imu.it.wires.now_ticks, reads=True)
    first = device.read(imu.it.wires.now_ticks)
    imu.it.set("accelZ", -1)
    imu.it.wires.advance_us(5000)
    second = device.read(imu.it.wires.now_ticks)
    device.end(imu.it.wires.now_ticks)
    assert (first << 8 | second) == 16_384
    assert imu.motion()[2] == -16_384
    imu.write(0x6B, 0x40)
    imu.it.set("accelZ", 1)
    imu.it.wires.advance_us(5000)
    assert imu.motion()[2] == -16_384


def test_what_stands_by_is_not_measured() -> None:
    imu = Imu()
    imu.write(0x6B, 0x08, 0x21)  # no temperature, no X of acceleration, Z of rotation
    for name in ("accelX", "accelY", "rotationY", "rotationZ"):
        imu.it.set(name, 1)
    before = imu.motion()
    imu.it.set("temperature", 80)
    imu.it.wires.advance_us(1000)
    ax, ay, _, temperature, _, gy, gz = imu.motion()
    assert (ax, ay, gy, gz) == (0, 16_384, 131, 0)
    assert temperature == before[3]


def test_it_measures_at_its_rate() -> None:
    imu = Imu()
    imu.write(0x19, 9, 0x01)  # filtered, 1 kHz / 10
    imu.it.wires.advance_us(10_000)
    imu.it.set("accelX", 1)
    imu.it.wires.advance_us(8000)
    assert imu.motion()[0] == 0
    imu.it.wires.advance_us(2000)
    assert imu.motion()[0] == 16_384


def test_int_pulses_for_50_us_at_each_measurement() -> None:
    imu = Imu()
    imu.write(0x19, 4, 0x03)  # 1 kHz / 5
    assert imu.edges_us(20_000) == []
    imu.write(0x38, 0x01)
    edges = [(at_us, value.is_high) for at_us, value in imu.edges_us(10_100)]
    assert edges == [(5000, True), (5050, False), (10_000, True), (10_050, False)]
    assert imu.read(0x3A) == b"\x01"
    assert imu.read(0x3A) == b"\x00"
    imu.write(0x38, 0x00)
    assert imu.edges_us(20_000) == []


def test_int_can_be_latched_low_and_let_go() -> None:
    imu = Imu()
    imu.write(0x19, 0, 0x01)
    imu.write(0x37, 0xE0)
    driven = imu.it.wires.driven
    assert driven["INT"] == RELEASED
    imu.write(0x38, 0x01)
    imu.it.wires.advance_us(1200)
    assert driven["INT"].is_low
    imu.motion()
    assert driven["INT"].is_low
    imu.read(0x3A)
    assert driven["INT"] == RELEASED
    imu.write(0x37, 0x30)  # active high, any read clears
    imu.it.wires.advance_us(1200)
    assert driven["INT"].is_high
    imu.motion()
    assert driven["INT"].is_low
