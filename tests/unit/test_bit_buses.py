"""I2C and SPI bit by bit, as NXP's UM10204 and SPI's modes 0 and 3 have them."""

from __future__ import annotations

import pytest

from pytest_embedbench.errors import ContractViolation
from pytest_embedbench.pins import Level
from pytest_embedbench.testing import FakeWires
from pytest_embedbench.wiring.drives import RELEASED, Strength, drive
from pytest_embedbench.wiring.part_type import PartPin, PartType, PinRole
from pytest_embedbench.wiring.shared_address import SharedAddress
from tests.support.bit_bus import SoftI2c, SoftSpi

LOW, HIGH, FLOATING = Level.LOW, Level.HIGH, Level.FLOATING
BOTH, INPUT = PinRole.BOTH, PinRole.INPUT
PINS = {"SDA": BOTH, "SCL": BOTH, "SCK": INPUT, "DI": INPUT, "CS": INPUT, "DO": BOTH}
KIND = PartType(
    name="acme-chip",
    title="A chip",
    pins=tuple(PartPin(name, role) for name, role in PINS.items()),
)
ADDRESS = 0x42


class Memory:
    """It has a pointer, as most chips have: the first byte that is written."""

    def __init__(self, *, is_there: bool = True, lasts: int = 99) -> None:
        self.is_there, self.lasts = is_there, lasts
        self.told: list[str] = []
        self.next = 0xA5

    def begin(self, _at_ticks: int, *, reads: bool) -> bool:
        self.told.append("reads" if reads else "writes")
        return self.is_there

    def write(self, _at_ticks: int, byte: int) -> bool:
        self.told.append(f"{byte:02x}")
        self.lasts -= 1
        return self.lasts > 0

    def read(self, _at_ticks: int) -> int:
        self.next = (self.next + 1) & 0xFF
        return self.next

    def end(self, _at_ticks: int) -> None:
        self.told.append("end")


def bus(*devices: Memory) -> SoftI2c:
    wires = FakeWires(KIND)
    for index, device in enumerate(devices):
        wires.on_i2c("SDA", "SCL", ADDRESS + index, device)
    return SoftI2c(wires)


class TestI2c:
    def test_bytes_are_told_and_acknowledged(self) -> None:
        device = Memory()
        assert bus(device).write(ADDRESS, b"\x00\xff\x5a") == [True] * 4
        assert device.told == ["writes", "00", "ff", "5a", "end"]

    def test_another_address_is_nobodys(self) -> None:
        device = Memory()
        it = bus(device)
        assert it.write(ADDRESS + 1, b"\x12") == [False, False]
        assert it.write(0, b"\x06") == [False, False]
        assert device.told == []

    def test_what_it_refuses_is_not_acknowledged(self) -> None:
        shy, full = Memory(is_there=False), Memory(lasts=2)
        it = bus(shy, full)
        assert it.write(ADDRESS, b"\x12") == [False, False]
        assert it.write(ADDRESS + 1, b"\x01\x02\x03") == [True, True, False, False]
        assert shy.told == ["writes"]
        assert full.told == ["writes", "01", "02", "03", "end"]

    def test_bytes_are_read_until_one_is_not_acknowledged(self) -> None:
        device = Memory()
        it = bus(device)
        assert it.read(ADDRESS, 3) == b"\xa6\xa7\xa8"
        assert it.read(ADDRESS, 1) == b"\xa9"
        assert device.told == ["reads", "end"] * 2
        assert it.is_high

    def test_another_start_turns_round(self) -> None:
        device = Memory()
        it = bus(device)
        it.write(ADDRESS, b"\x10", then_stop=False)
        assert it.read(ADDRESS, 2) == b"\xa6\xa7"
        assert device.told == ["writes", "10", "end", "reads", "end"]

    def test_a_byte_that_is_broken_off_is_not_told(self) -> None:
        device = Memory()
        it = bus(device)
        it.start()
        it.send(ADDRESS << 1)
        for _ in range(5):
            it.bit()
        it.stop()
        assert it.write(ADDRESS, b"\x33") == [True, True]
        assert device.told == ["writes", "end", "writes", "33", "end"]

    def test_an_acknowledge_lasts_from_fall_to_fall_and_no_longer(self) -> None:
        it = bus(Memory())
        it.start()
        for index in range(7, -1, -1):
            it.bit(is_high=bool(ADDRESS << 1 >> index & 1))
        low, pulled_up = drive(Strength.OUTPUT, LOW), drive(Strength.RESISTOR, HIGH)
        assert it.wires.driven["SDA"] == low
        it.clock(is_high=True)
        assert it.wires.driven["SDA"] == low
        it.clock(is_high=False)
        assert it.wires.driven["SDA"] == pulled_up
        assert it.wires.driven["SCL"] == pulled_up

    @pytest.mark.parametrize("order", [("SCL", "SDA"), ("SDA", "SCL")])
    def test_lines_that_move_at_once_are_no_start_and_no_stop(
        self, order: tuple[str, str]
    ) -> None:
        device = Memory()
        it = bus(device)
        it.start()
        # Data follows the clock's fall at once, as one write to a port has it.
        byte = ADDRESS << 1
        bits = [byte >> index & 1 for index in range(7, -1, -1)]
        it.put(is_high=bool(bits[0]))
        for bit in (*bits[1:], 1):
            it.clock(is_high=True)
            both = {"SCL": LOW, "SDA": HIGH if bit else LOW}
            it.is_let_go = bool(bit)
            it.wires.show_all({pin: both[pin] for pin in order})
            it.step()
        it.clock(is_high=True)
        assert not it.is_high
        it.clock(is_high=False)
        it.stop()
        assert device.told == ["writes", "end"]

    @pytest.mark.parametrize("order", [("SCL", "SDA"), ("SDA", "SCL")])
    def test_a_bit_that_goes_as_the_clock_rises_was_there(
        self, order: tuple[str, str]
    ) -> None:
        device = Memory()
        it = bus(device)
        it.write(ADDRESS, b"", then_stop=False)
        for bit in (1, 0, 1, 1, 0, 0, 1, 0):
            it.put(is_high=bool(bit))
            both = {"SCL": HIGH, "SDA": LOW if bit else HIGH}
            it.wires.show_all({pin: both[pin] for pin in order})
            it.wires.advance(1)
            it.clock(is_high=False)
        it.bit()
        assert device.told == ["writes", "b2"]

    def test_a_line_that_floats_has_not_moved(self) -> None:
        device = Memory()
        it = bus(device)
        it.wires.show(SDA=FLOATING, SCL=FLOATING)
        it.wires.show(SDA=HIGH, SCL=HIGH)
        assert it.write(ADDRESS, b"\x01") == [True, True]

    def test_an_address_is_of_seven_bits_and_given_once(self) -> None:
        wires = FakeWires(KIND)
        wires.on_i2c("SDA", "SCL", ADDRESS, Memory())
        with pytest.raises(ContractViolation, match="at address 66 twice"):
            wires.on_i2c("SDA", "SCL", ADDRESS, Memory())
        with pytest.raises(ContractViolation, match="132 is no address of 7 bits"):
            wires.on_i2c("SDA", "SCL", 132, Memory())


def test_devices_at_one_address_answer_together() -> None:
    shy, one, other = Memory(is_there=False), Memory(), Memory(lasts=1)
    other.next = 0x5F
    together = SharedAddress([shy, one, other])
    assert together.begin(0, reads=False)
    assert together.write(1, 0x12)
    together.end(2)
    assert together.begin(3, reads=True)
    assert together.read(4) == 0xA6 & 0x60
    together.end(5)
    assert shy.told == ["writes", "reads"]
    assert one.told == other.told == ["writes", "12", "end", "reads", "end"]
    assert not SharedAddress([shy]).begin(6, reads=False)


class Echo:
    """It sends what it took, a byte later, and 0x81 first."""

    def __init__(self) -> None:
        self.told: list[object] = []

    def select(self, _at_ticks: int, *, is_selected: bool) -> int:
        self.told.append(is_selected)
        return 0x81

    def transfer(self, _at_ticks: int, byte: int) -> int:
        self.told.append(byte)
        return byte


@pytest.fixture(params=[False, True], ids=["mode 0", "mode 3"])
def spi(request: pytest.FixtureRequest) -> tuple[Echo, SoftSpi]:
    echo = Echo()
    wires = FakeWires(KIND)
    wires.on_spi("SCK", "DI", "CS", echo, data_out="DO")
    pins = ("SCK", "DI", "CS")
    return echo, SoftSpi(wires, pins, "DO", idles_high=request.param)


class TestSpi:
    def test_bytes_go_both_ways(self, spi: tuple[Echo, SoftSpi]) -> None:
        echo, it = spi
        assert it.send(0x12, 0xA5, 0x00, 0xFF) == b"\x81\x12\xa5\x00"
        assert echo.told == [True, 0x12, 0xA5, 0x00, 0xFF, False]
        assert it.send(0x77, 0) == b"\x81\x77"

    def test_it_lets_go_while_it_is_not_selected_and_listens_on(
        self, spi: tuple[Echo, SoftSpi]
    ) -> None:
        echo, it = spi
        it.send(0xFF)
        assert it.transfer(0x3C) == 0
        assert it.wires.driven["DO"] == RELEASED
        assert echo.told == [True, 0xFF, False, 0x3C]

    def test_who_is_selected_anew_begins_a_byte(
        self, spi: tuple[Echo, SoftSpi]
    ) -> None:
        echo, it = spi
        it.chosen(is_selected=True)
        for _ in range(5):
            it.bit(is_high=True)
        it.chosen(is_selected=False)
        assert it.send(0x18, 0) == b"\x81\x18"
        assert echo.told == [True, False, True, 0x18, 0, False]

    @pytest.mark.parametrize("order", [("CS", "SCK"), ("SCK", "CS")])
    def test_a_clock_that_rises_with_the_select_line_is_the_last_one(
        self, spi: tuple[Echo, SoftSpi], order: tuple[str, str]
    ) -> None:
        echo, it = spi
        it.chosen(is_selected=True)
        for bit in (1, 1, 0, 0, 1, 0, 1):
            it.bit(is_high=bool(bit))
        it.wires.show(SCK=LOW, DI=HIGH)
        it.wires.advance(1)
        it.wires.show_all(dict.fromkeys(order, HIGH))
        it.wires.advance(2)
        assert echo.told == [True, 0xCB, False]

    def test_a_pin_selects_one_device(self) -> None:
        wires = FakeWires(KIND)
        wires.on_spi("SCK", "DI", "CS", Echo())
        with pytest.raises(ContractViolation, match="CS selects two devices"):
            wires.on_spi("SCK", "DI", "CS", Echo())


def test_what_is_sent_through_the_air_is_noted_and_not_heard() -> None:
    wires = FakeWires(KIND)
    heard: list[tuple[int, int]] = []
    wires.on_broadcast("light", lambda at_ticks, value: heard.append((at_ticks, value)))
    wires.broadcast("light", 3)
    assert wires.sent == [(0, "light", 3)]
    assert wires.topics == ("light",)
    wires.advance(5)
    wires.hear("sound", 1)
    wires.hear("light", 7)
    assert heard == [(5, 7)]
