"""The kit for models of parts finds each promise that is broken."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import count

import pytest

from pytest_embedbench.errors import ContractViolation
from pytest_embedbench.parts import CATALOGUE
from pytest_embedbench.pins import Level
from pytest_embedbench.testing import FakeWires, check_part
from pytest_embedbench.wiring.drives import Strength, drive
from pytest_embedbench.wiring.part_model import MakeModel, Reading, Wires
from pytest_embedbench.wiring.part_type import PartControl, PartPin, PartType, PinRole

HIGH = drive(Strength.OUTPUT, Level.HIGH)
KIND = PartType(
    name="acme-lamp",
    title="A lamp",
    pins=(
        PartPin("IN", PinRole.INPUT),
        PartPin("OUT", PinRole.OUTPUT),
        *(PartPin(name, PinRole.BOTH) for name in ("SDA", "SCL", "SCK", "DI", "CS")),
    ),
    controls={"knob": PartControl(0, 10)},
    observables={"light": "lx"},
)


class Lamp:
    """A model that keeps its promises; others break one each."""

    def __init__(self, wires: Wires, _: Mapping[str, str]) -> None:
        self.wires = wires
        self.light: Reading = 0.0
        wires.on_level("IN", self.on_level)

    def on_level(self, _at_ticks: int, _level: Level) -> None:
        self.wires.drive("OUT", HIGH)

    def control(self, _at_ticks: int, _name: str, value: float) -> None:
        self.light = value

    def observe(self, _at_ticks: int, _name: str) -> Reading:
        return self.light


class Backwards(Lamp):
    def on_level(self, at_ticks: int, _level: Level) -> None:
        self.wires.at(at_ticks - 1, lambda _: None)


class Shorting(Lamp):
    def on_level(self, _at_ticks: int, _level: Level) -> None:
        self.wires.drive("IN", HIGH)


class Elsewhere(Lamp):
    def on_level(self, _at_ticks: int, _level: Level) -> None:
        self.wires.drive("OUT2", HIGH)


class Welded(Lamp):
    def control(self, _at_ticks: int, _name: str, _value: float) -> None:
        self.wires.join("IN", "OUT", closed=True)


class Shy(Lamp):
    def observe(self, _at_ticks: int, _name: str) -> Reading:
        self.wires.drive("OUT", HIGH)
        return 0


class Endless(Lamp):
    def observe(self, _at_ticks: int, _name: str) -> Reading:
        return float("inf")


class Moody(Lamp):
    made = count()

    def __init__(self, wires: Wires, attrs: Mapping[str, str]) -> None:
        super().__init__(wires, attrs)
        self.light = next(self.made)


class Bright(Lamp):
    """It is on both buses, and hears and sends through the air."""

    def __init__(self, wires: Wires, attrs: Mapping[str, str]) -> None:
        super().__init__(wires, attrs)
        self.taken = 0
        wires.on_i2c("SDA", "SCL", 8, self)
        wires.on_spi("SCK", "DI", "CS", self)
        wires.on_broadcast("light", self.on_broadcast)

    def observe(self, _at_ticks: int, _name: str) -> Reading:
        return bytes((self.taken,))

    def begin(self, _at_ticks: int, *, reads: bool) -> bool:  # noqa: ARG002
        return True

    def write(self, _at_ticks: int, byte: int) -> bool:
        self.taken = byte
        return True

    def read(self, _at_ticks: int) -> int:
        return self.taken

    def end(self, _at_ticks: int) -> None:
        pass

    def select(self, _at_ticks: int, *, is_selected: bool) -> int:
        return int(is_selected)

    def transfer(self, _at_ticks: int, byte: int) -> int:
        self.taken = byte
        return byte

    def on_broadcast(self, _at_ticks: int, value: int) -> None:
        self.taken = value & 0xFF
        self.wires.broadcast("dark", value)


class Chatty(Bright):
    def read(self, _at_ticks: int) -> int:
        return 0x100


class Vague(Bright):
    def write(self, _at_ticks: int, byte: int) -> bool:
        return byte  # type: ignore[return-value]


class Wide(Bright):
    def transfer(self, _at_ticks: int, byte: int) -> int:
        return byte << 8 | byte


class Hasty(Bright):
    def shift_in(self, data: bytes) -> int:
        self.taken = data[0]
        return self.taken


class HastyOnI2c(Bright):
    def take_bytes(self, data: bytes) -> None:
        self.taken = data[0]


class Choosy(HastyOnI2c):
    def write(self, _at_ticks: int, byte: int) -> bool:
        return byte != 0xFF


class Torn(Bright):
    def on_broadcast(self, _at_ticks: int, value: int) -> None:
        self.wires.broadcast("dark", value / 2)  # type: ignore[arg-type]


class MoodyOnTheBus(Bright):
    made = count()

    def __init__(self, wires: Wires, attrs: Mapping[str, str]) -> None:
        super().__init__(wires, attrs)
        self.answer = next(self.made) % 2

    def read(self, _at_ticks: int) -> int:
        return self.answer


class Mute:
    def __init__(self, wires: Wires, attrs: Mapping[str, str]) -> None:
        pass

    def control(self, _at_ticks: int, _name: str, _value: float) -> None:
        pass


def test_a_part_of_somebody_elses_passes() -> None:
    check_part(KIND, Lamp)
    check_part(KIND, Bright)


@pytest.mark.parametrize(
    ("broken", "promise"),
    [
        (Backwards, "wants to be called at -1 ticks, and it is 0"),
        (Shorting, "drives IN, which is input"),
        (Elsewhere, "no pin 'OUT2': it has IN, OUT"),
        (Chatty, "on a bus answers 256, which is no byte"),
        (Vague, "on a bus answers 0, which is no bool"),
        (Wide, "on a bus answers 65535, which is no byte"),
        (Hasty, "told late do something else"),
        (HastyOnI2c, "told late do something else"),
        (Choosy, "takes bytes refuses one"),
        (Torn, "0.0 to dark is no int"),
        (MoodyOnTheBus, "two equal runs differ"),
        (Welded, "no switch from IN to OUT"),
        (Shy, "looking at it changes it"),
        (Endless, "light is inf, which is no reading"),
        (Moody, "two equal runs differ"),
        (Mute, "it is no observed: it has no observe"),
    ],
)
def test_a_broken_promise_is_named(broken: MakeModel, promise: str) -> None:
    with pytest.raises(ContractViolation, match=promise):
        check_part(KIND, broken)


def test_wires_refuse_pins_that_are_not_there_with_these_attributes() -> None:
    wires = FakeWires(CATALOGUE.types["wokwi-7segment"], {"digits": "1"})
    with pytest.raises(ContractViolation, match="no pin 'DIG1'"):
        wires.on_level("DIG1", lambda _at_ticks, _level: None)
