"""DS18B20 on a 1-Wire line, by the slots and flow charts of Maxim's datasheet."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from pytest_embedbench.errors import ConfigError
from pytest_embedbench.parts.models.one_wire import crc8
from pytest_embedbench.pins import Level
from tests.support.placed import OnTable

SKIP, MATCH, READ_ROM, SEARCH, ALARM_SEARCH = 0xCC, 0x55, 0x33, 0xF0, 0xEC
CONVERT, WRITE, READ, COPY, RECALL, POWER = 0x44, 0x4E, 0xBE, 0x48, 0xB8, 0xB4


class Line:
    """A host with a pull-up, and thermometers; all see what the line is at."""

    def __init__(self, *sensors: OnTable) -> None:
        self.sensors = sensors
        self.host_pulls = False
        self.level = Level.HIGH
        self.settle()

    def settle(self) -> None:
        held = [it.wires.driven.get("DQ") for it in self.sensors]
        is_low = self.host_pulls or any(drive and drive.is_low for drive in held)
        level = Level.LOW if is_low else Level.HIGH
        for it in self.sensors:
            it.wires.show(DQ=level)
        if level is not self.level:
            self.level = level
            self.settle()

    def wait_us(self, duration_us: int) -> None:
        for _ in range(duration_us):
            for it in self.sensors:
                it.wires.advance_us(1)
            self.settle()

    def idle_ms(self, duration_ms: float) -> None:
        """Let time pass in which nobody has anything to do."""
        for it in self.sensors:
            it.wires.advance_us(duration_ms * 1000)
        self.settle()

    def pull(self, duration_us: int) -> None:
        self.host_pulls = True
        self.settle()
        self.wait_us(duration_us)
        self.host_pulls = False
        self.settle()

    def reset(self, low_us: int = 480) -> bool:
        self.pull(low_us)
        self.wait_us(70)
        is_present = self.level is Level.LOW
        self.wait_us(410)
        return is_present

    def write_bit(self, bit: int) -> None:
        self.pull(6 if bit else 60)
        self.wait_us(64 if bit else 10)

    def read_bit(self) -> int:
        self.pull(6)
        self.wait_us(7)
        bit = int(self.level is Level.HIGH)
        self.wait_us(57)
        return bit

    def write(self, *data: int) -> None:
        for byte in data:
            for index in range(8):
                self.write_bit(byte >> index & 1)

    def read(self, count: int) -> bytes:
        return bytes(
            sum(self.read_bit() << index for index in range(8)) for _ in range(count)
        )

    def scratchpad(self) -> bytes:
        assert self.reset()
        self.write(SKIP, READ)
        data = self.read(9)
        assert crc8(data) == 0
        return data

    def convert(self, *address: int, duration_ms: float = 750) -> None:
        assert self.reset()
        self.write(*(address or (SKIP,)), CONVERT)
        self.idle_ms(duration_ms)

    def search(self, command: int) -> Iterator[bytes]:
        """Yield all addresses, as application note 187 finds them."""
        last_fork, before = -1, [0] * 64
        while True:
            if not self.reset():
                return
            self.write(command)
            bits: list[int] = []
            fork = -1
            for index in range(64):
                one, other = self.read_bit(), self.read_bit()
                if one and other:
                    return
                bit = one
                if not one and not other:
                    bit = before[index] if index < last_fork else index == last_fork
                    fork = fork if bit else index
                bits.append(int(bit))
                self.write_bit(int(bit))
            yield sum(bit << index for index, bit in enumerate(bits)).to_bytes(
                8, "little"
            )
            last_fork, before = fork, bits
            if fork < 0:
                return


def sensor(**attrs: str) -> OnTable:
    return OnTable("wokwi-ds18b20", **attrs)


def rom(device_id: str) -> bytes:
    head = bytes.fromhex("28" + device_id)
    return head + bytes([crc8(head)])


def test_the_checksum_is_the_datasheets() -> None:
    # Maxim's application note 27 has this number with its checksum.
    assert crc8(bytes.fromhex("02 1c b8 01 00 00 00")) == 0xA2


def test_a_reset_has_an_answer_and_a_slot_has_none() -> None:
    line = Line(sensor())
    assert line.reset()
    assert not line.reset(low_us=240)
    assert line.reset(low_us=960)


def test_at_power_on_it_says_85_degrees() -> None:
    line = Line(sensor(temperature="20"))
    assert line.scratchpad() == bytes.fromhex("50 05 4b 46 7f ff 0c 10 1c")


# The table of the datasheet.
@pytest.mark.parametrize(
    ("temperature", "raw"),
    [
        ("125", "d007"),
        ("85", "5005"),
        ("25.0625", "9101"),
        ("10.125", "a200"),
        ("0.5", "0800"),
        ("0", "0000"),
        ("-0.5", "f8ff"),
        ("-10.125", "5eff"),
        ("-25.0625", "6ffe"),
        ("-55", "90fc"),
    ],
)
def test_a_temperature_is_in_sixteenths(temperature: str, raw: str) -> None:
    it = sensor(temperature=temperature)
    line = Line(it)
    line.convert()
    assert line.scratchpad()[:2] == bytes.fromhex(raw)
    assert it.number("measured_c") == float(temperature)


def test_a_control_is_felt_by_the_next_conversion() -> None:
    it = sensor(temperature="20")
    line = Line(it)
    line.convert()
    it.set("temperature", 30)
    assert line.scratchpad()[:2] == (20 * 16).to_bytes(2, "little")
    line.convert()
    assert line.scratchpad()[:2] == (30 * 16).to_bytes(2, "little")


@pytest.mark.parametrize(
    ("bits", "duration_ms", "raw"),
    [(9, 93.75, 0x158), (10, 187.5, 0x158), (11, 375, 0x15A), (12, 750, 0x15B)],
)
def test_more_bits_take_longer(bits: int, duration_ms: float, raw: int) -> None:
    it = sensor(temperature=str(0x15B / 16))
    line = Line(it)
    assert line.reset()
    line.write(SKIP, WRITE, 0x7F, 0x80, (bits - 9) << 5)
    assert line.scratchpad()[2:5] == bytes([0x7F, 0x80, (bits - 9) << 5 | 0x1F])
    line.convert(duration_ms=duration_ms - 1)
    assert line.read_bit() == 0
    assert it.number("measured_c") == 85
    line.idle_ms(1)
    assert line.read_bit() == 1
    assert line.scratchpad()[:2] == raw.to_bytes(2, "little")


def test_one_alone_tells_its_number_and_power() -> None:
    line = Line(sensor(deviceID="a1b2c3d4e5f6"))
    assert line.reset()
    line.write(READ_ROM)
    assert line.read(8) == rom("a1b2c3d4e5f6")
    line.write(POWER)
    assert line.read_bit() == 1


IDS = ("010203040506", "010203040507", "ff0000000001", "800203040506")


def test_a_search_finds_all_and_a_match_speaks_to_one() -> None:
    sensors = [
        sensor(deviceID=name, temperature=str(10 + index))
        for index, name in enumerate(IDS)
    ]
    line = Line(*sensors)
    found = list(line.search(SEARCH))
    assert sorted(found) == sorted(map(rom, IDS))
    line.convert()
    for index, name in enumerate(IDS):
        assert line.reset()
        line.write(MATCH, *rom(name), READ)
        data = line.read(9)
        assert crc8(data) == 0
        assert data[:2] == ((10 + index) * 16).to_bytes(2, "little")


def test_an_alarm_search_finds_who_is_too_warm_or_too_cold() -> None:
    temperatures = {IDS[0]: 40.0, IDS[1]: 30.9375, IDS[2]: -10.0, IDS[3]: 20.0}
    sensors = [
        sensor(deviceID=name, temperature=str(value))
        for name, value in temperatures.items()
    ]
    line = Line(*sensors)
    assert line.reset()
    line.write(SKIP, WRITE, 31, -10 & 0xFF, 0x7F)
    assert list(line.search(ALARM_SEARCH)) == []
    line.convert()
    assert sorted(line.search(ALARM_SEARCH)) == sorted(map(rom, (IDS[0], IDS[2])))


def test_the_eeprom_keeps_what_is_copied_to_it() -> None:
    line = Line(sensor())
    assert line.reset()
    line.write(SKIP, WRITE, 30, 5, 0x3F)
    assert line.reset()
    line.write(SKIP, RECALL)
    assert line.read_bit() == 1
    assert line.scratchpad()[2:5] == bytes([0x4B, 0x46, 0x7F])
    assert line.reset()
    line.write(SKIP, WRITE, 30, 5, 0x3F)
    assert line.reset()
    line.write(SKIP, COPY)
    assert line.read_bit() == 0
    line.idle_ms(10)
    assert line.read_bit() == 1
    assert line.reset()
    line.write(SKIP, WRITE, 1, 2, 0x1F)
    assert line.reset()
    line.write(SKIP, RECALL)
    assert line.scratchpad()[2:5] == bytes([30, 5, 0x3F])


def test_an_unknown_command_leaves_it_silent_until_the_next_reset() -> None:
    line = Line(sensor())
    assert line.reset()
    line.write(0x99, READ)
    assert line.read(2) == b"\xff\xff"
    assert line.reset()
    line.write(MATCH, *rom(IDS[1]), READ)
    assert line.read(2) == b"\xff\xff"
    assert line.scratchpad()[:2] == bytes.fromhex("5005")


def test_a_reset_in_the_middle_of_a_byte_begins_anew() -> None:
    line = Line(sensor())
    assert line.reset()
    line.write(SKIP, READ)
    assert line.read(1) == b"\x50"
    line.read_bit()
    assert line.scratchpad()[:2] == bytes.fromhex("5005")


def test_a_slot_is_looked_at_after_30_us() -> None:
    for low_us, is_understood in ((1, True), (15, True), (29, True), (31, False)):
        line = Line(sensor())
        assert line.reset()
        for index in range(8):
            line.pull(low_us if SKIP >> index & 1 else 60)
            line.wait_us(70)
        line.write(READ)
        assert (line.read(1) == b"\x50") == is_understood


@pytest.mark.parametrize(
    ("name", "value"),
    [("deviceID", "0102"), ("deviceID", "x" * 12), ("familyCode", "")],
)
def test_a_number_that_is_none_is_refused(name: str, value: str) -> None:
    with pytest.raises(ConfigError, match=f"{name} cannot be '{value}'"):
        sensor(**{name: value})
