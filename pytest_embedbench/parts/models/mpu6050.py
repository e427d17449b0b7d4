"""Accelerometer and gyroscope MPU-6050 on I2C.

By InvenSense's "MPU-6000 and MPU-6050 Register Map and Descriptions", revision 4.2, and
"Product Specification", revision 3.4: it sleeps after a reset (PWR_MGMT_1 is 40h) and
measures nothing; awake it measures at 8 kHz, or 1 kHz with a low-pass filter, divided
by 1 + SMPLRT_DIV. What is read in one go is of one measurement. Readings are exact:
the filters delay nothing, and there is no noise, no offset and no self-test. A range
that is exceeded stays at its end.

INT tells data ready: for 50 us, or until INT_STATUS (or anything, by INT_RD_CLEAR) is
read. AD0 has a pull-down on the module. FIFO, DMP, motion detection and the second bus
are not modelled: their registers keep what is written, and the FIFO is empty.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_embedbench.pins import Level
from pytest_embedbench.wiring.bit_lines import BitLine
from pytest_embedbench.wiring.drives import RELEASED, Strength, drive

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_embedbench.wiring.part_model import Wires

_ADDRESS_LOW, _ADDRESS_HIGH = 0x68, 0x69
_SIZE, _SIZE_MASK = 0x80, 0x7F
_SMPLRT_DIV, _CONFIG, _GYRO_CONFIG, _ACCEL_CONFIG = 0x19, 0x1A, 0x1B, 0x1C
_INT_PIN_CFG, _INT_ENABLE, _INT_STATUS = 0x37, 0x38, 0x3A
_FIRST_DATA = 0x3B
_SIGNAL_PATH_RESET, _USER_CTRL, _PWR_MGMT_1, _PWR_MGMT_2 = 0x68, 0x6A, 0x6B, 0x6C
_FIFO_COUNT, _FIFO_R_W, _WHO_AM_I = 0x72, 0x74, 0x75
_READ_ONLY = {*range(_INT_STATUS, 0x62), _FIFO_COUNT, _FIFO_COUNT + 1, _WHO_AM_I}
_AFTER_RESET = {_PWR_MGMT_1: 0x40, _WHO_AM_I: 0x68}
_RESET, _SLEEP, _TEMP_DIS = 0x80, 0x40, 0x08
_CLEARS_ITSELF = {_SIGNAL_PATH_RESET: 0x07, _USER_CTRL: 0x0F & ~0x08}
_TIMING = {_SMPLRT_DIV, _CONFIG, _PWR_MGMT_1, _INT_ENABLE}
_DATA_READY = 0x01
_ACTIVE_LOW, _OPEN_DRAIN, _LATCHED, _ANY_READ_CLEARS = 0x80, 0x40, 0x20, 0x10
_PULSE_US = 50
_FAST_US, _FILTERED_US = 125, 1000
_NO_FILTER = (0, 7)
_ACCEL_PER_G = 16_384
_GYRO_PER_DPS = (131.0, 65.5, 32.8, 16.4)
_TEMP_PER_C, _TEMP_AT_0_C = 340, 36.53
_LOWEST, _HIGHEST = -0x8000, 0x7FFF
_MEASURED = (
    *("accelX", "accelY", "accelZ", "temperature"),
    *("rotationX", "rotationY", "rotationZ"),
)
_STANDBY = {
    name: 0x20 >> index
    for index, name in enumerate(name for name in _MEASURED if name != "temperature")
}
"""The bits of PWR_MGMT_2."""
_LOW = drive(Strength.OUTPUT, Level.LOW)
_HIGH = drive(Strength.OUTPUT, Level.HIGH)
_PULL_DOWN = drive(Strength.RESISTOR, Level.LOW)


class Mpu6050:
    """A sensor."""

    def __init__(self, wires: Wires, attrs: Mapping[str, str]) -> None:
        self._wires = wires
        self._values = {name: float(attrs[name]) for name in _MEASURED}
        self._registers = bytearray(_SIZE)
        self._data = bytearray(2 * len(_MEASURED))
        self._read_data = bytes(self._data)
        self._pointer = 0
        self._expects_pointer = self._is_active = False
        self._since_ticks = self._measured = self._timings = 0
        self._ad0 = BitLine(is_high=False)
        wires.drive("AD0", _PULL_DOWN)
        wires.on_level("AD0", self._on_ad0)
        wires.on_i2c("SDA", "SCL", _ADDRESS_LOW, _AtAddress(self, is_high=False))
        wires.on_i2c("SDA", "SCL", _ADDRESS_HIGH, _AtAddress(self, is_high=True))
        self._reset(0)

    def power_on(self, at_ticks: int) -> None:
        """Sleep, as after a reset."""
        self._reset(at_ticks)

    def control(self, at_ticks: int, name: str, value: float) -> None:
        """Set an acceleration in g, a rotation in degrees per second, or Celsius."""
        self._measure(at_ticks)
        self._values[name] = value

    def is_at(self, *, is_high: bool) -> bool:
        """Tell whether it has the address of this level of AD0."""
        return self._ad0.is_high is is_high

    def _on_ad0(self, at_ticks: int, level: Level) -> None:
        self._ad0.move(at_ticks, Level.LOW if level is Level.FLOATING else level)

    # -------------------------------------------------------------------- I2C

    def begin(self, at_ticks: int, *, reads: bool) -> None:
        """Keep the measurement that is read."""
        self._measure(at_ticks)
        self._read_data = bytes(self._data)
        self._expects_pointer = not reads

    def write(self, at_ticks: int, byte: int) -> None:
        """Take the pointer, or what is written there."""
        if self._expects_pointer:
            self._expects_pointer = False
            self._pointer = byte & _SIZE_MASK
            return
        register = self._advance()
        if register not in _READ_ONLY:
            self._measure(at_ticks)
            self._set(at_ticks, register, byte)

    def read(self, at_ticks: int) -> int:
        """Return what is at the pointer."""
        register = self._advance()
        index = register - _FIRST_DATA
        is_data = 0 <= index < len(self._read_data)
        byte = self._read_data[index] if is_data else self._registers[register]
        any_clears = self._registers[_INT_PIN_CFG] & _ANY_READ_CLEARS
        if register == _INT_STATUS or any_clears:
            self._registers[_INT_STATUS] = 0
            if self._registers[_INT_PIN_CFG] & _LATCHED:
                self._show_interrupt(at_ticks, active=False)
        return byte

    def _advance(self) -> int:
        register = self._pointer
        if register != _FIFO_R_W:
            self._pointer = (register + 1) & _SIZE_MASK
        return register

    def _set(self, at_ticks: int, register: int, byte: int) -> None:
        if register == _PWR_MGMT_1 and byte & _RESET:
            self._reset(at_ticks)
            return
        self._registers[register] = byte & ~_CLEARS_ITSELF.get(register, 0)
        if register in _TIMING:
            self._begin(at_ticks)
        if register == _INT_PIN_CFG:
            self._show_interrupt(at_ticks, active=self._is_active)

    def _reset(self, at_ticks: int) -> None:
        self._registers[:] = bytes(_SIZE)
        for register, byte in _AFTER_RESET.items():
            self._registers[register] = byte
        self._data[:] = bytes(len(self._data))
        self._begin(at_ticks)
        self._show_interrupt(at_ticks, active=False)

    # ----------------------------------------------------------- measurements

    @property
    def _period_ticks(self) -> int:
        is_fast = self._registers[_CONFIG] & 0x07 in _NO_FILTER
        rate_us = _FAST_US if is_fast else _FILTERED_US
        return rate_us * (1 + self._registers[_SMPLRT_DIV]) * self._wires.ticks_per_us

    @property
    def _is_asleep(self) -> bool:
        return bool(self._registers[_PWR_MGMT_1] & _SLEEP)

    def _begin(self, at_ticks: int) -> None:
        """Begin to measure, or stop, as the registers have it now."""
        self._timings += 1
        self._since_ticks, self._measured = at_ticks, 0
        if self._registers[_INT_ENABLE] & _DATA_READY and not self._is_asleep:
            self._await_data(at_ticks, self._timings)

    def _measure(self, at_ticks: int) -> None:
        """Take the last measurement that was due, with values as they have been."""
        if self._is_asleep:
            return
        due = (at_ticks - self._since_ticks) // self._period_ticks
        if due == self._measured:
            return
        self._measured = due
        for index, name in enumerate(_MEASURED):
            if not self._stands_by(name):
                raw = min(max(round(self._raw(name)), _LOWEST), _HIGHEST)
                self._data[2 * index : 2 * index + 2] = raw.to_bytes(2, signed=True)

    def _stands_by(self, name: str) -> bool:
        if name == "temperature":
            return bool(self._registers[_PWR_MGMT_1] & _TEMP_DIS)
        return bool(self._registers[_PWR_MGMT_2] & _STANDBY[name])

    def _raw(self, name: str) -> float:
        value = self._values[name]
        if name == "temperature":
            return (value - _TEMP_AT_0_C) * _TEMP_PER_C
        is_accel = name.startswith("accel")
        config = self._registers[_ACCEL_CONFIG if is_accel else _GYRO_CONFIG]
        scale = config >> 3 & 0x03
        return value * (_ACCEL_PER_G >> scale if is_accel else _GYRO_PER_DPS[scale])

    # -------------------------------------------------------------------- INT

    def _await_data(self, at_ticks: int, timing: int) -> None:
        def on_data(now_ticks: int) -> None:
            if timing == self._timings:
                self._registers[_INT_STATUS] |= _DATA_READY
                self._show_interrupt(now_ticks, active=True)
                self._await_data(now_ticks, timing)

        self._wires.at(at_ticks + self._period_ticks, on_data)

    def _show_interrupt(self, at_ticks: int, *, active: bool) -> None:
        self._is_active = active
        setting = self._registers[_INT_PIN_CFG]
        is_high = active is not bool(setting & _ACTIVE_LOW)
        let_go = RELEASED if setting & _OPEN_DRAIN else _HIGH
        self._wires.drive("INT", let_go if is_high else _LOW)
        if active and not setting & _LATCHED:
            end_ticks = at_ticks + _PULSE_US * self._wires.ticks_per_us
            self._wires.at(end_ticks, self._end_pulse)

    def _end_pulse(self, at_ticks: int) -> None:
        if self._is_active and not self._registers[_INT_PIN_CFG] & _LATCHED:
            self._show_interrupt(at_ticks, active=False)


class _AtAddress:
    """The sensor at one of its addresses, while AD0 says so."""

    def __init__(self, sensor: Mpu6050, *, is_high: bool) -> None:
        self._sensor, self._is_high = sensor, is_high

    def begin(self, at_ticks: int, *, reads: bool) -> bool:
        if not self._sensor.is_at(is_high=self._is_high):
            return False
        self._sensor.begin(at_ticks, reads=reads)
        return True

    def write(self, at_ticks: int, byte: int) -> bool:
        self._sensor.write(at_ticks, byte)
        return True

    def read(self, at_ticks: int) -> int:
        return self._sensor.read(at_ticks)

    def end(self, _at_ticks: int) -> None:
        """Keep the pointer where it is."""
