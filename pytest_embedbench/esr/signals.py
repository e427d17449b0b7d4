"""What a diagram wants of which pin of its board."""

from __future__ import annotations

import enum
from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

from pytest_embedbench.esr.board_pins import drawn_catalogue, printed
from pytest_embedbench.wiring.netlist import build_netlist, known_parts
from pytest_embedbench.wiring.part_type import PinRole

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pytest_embedbench.esr.board_pins import BoardPins
    from pytest_embedbench.wiring.diagram import Diagram
    from pytest_embedbench.wiring.netlist import Netlist, NetPin
    from pytest_embedbench.wiring.part_type import PartType


class SignalKind(enum.Enum):
    """What a firmware has to do at a signal."""

    DRIVE = "drive"
    READ = "read"
    MEASURE = "measure"
    """Its voltage means something, for an ADC."""
    EITHER = "either"
    """It drives and reads, or what is there does not tell."""
    BUS = "bus"
    """It is a pin of I2C, and where hardware has it."""


class WiredSignal(NamedTuple):
    """A pin of the board with something wired to it.

    ``ends`` are part, pin and type of what is there, ``words`` what people call that.
    """

    pin: str
    kind: SignalKind
    ends: tuple[tuple[str, str, str], ...]
    words: frozenset[str]
    is_held: bool = True
    """Whether something holds its net at all times: an output, a resistor."""

    @property
    def parts(self) -> tuple[str, ...]:
        """The parts that are there, by id."""
        return tuple(dict.fromkeys(part for part, _, _ in self.ends))

    def __str__(self) -> str:
        return ", ".join(f"{part} {pin}" for part, pin, _ in self.ends)


_ANALOG = {
    "wokwi-potentiometer": {"SIG"},
    "wokwi-slide-potentiometer": {"SIG"},
    "wokwi-analog-joystick": {"VERT", "HORZ"},
    "wokwi-photoresistor-sensor": {"AO"},
    "wokwi-ntc-temperature-sensor": {"OUT"},
    "wokwi-gas-sensor": {"AOUT"},
}
"""The outputs whose voltage means something."""
_DRIVEN = {"wokwi-buzzer", "wokwi-stepper-motor", "embedbench-28byj-48"}
"""What has terminals, and does something if they are driven."""
_MATRIX = {"wokwi-membrane-keypad"}
_COILS = ("COIL1", "COIL2")
_I2C_PAIRS = ({"SDA", "SCL"}, {"DATA", "CLK"})
_IGNORED = {"wokwi-logic-analyzer", "$serialMonitor"}
_SUPPLIES = (PinRole.GROUND, PinRole.SUPPLY, PinRole.RETURN, PinRole.POWER)
_BY_ROLE = {
    PinRole.INPUT: SignalKind.DRIVE,
    PinRole.PULLED: SignalKind.DRIVE,
    PinRole.OUTPUT: SignalKind.READ,
    PinRole.BOTH: SignalKind.EITHER,
    PinRole.OPEN_DRAIN: SignalKind.EITHER,
}


def signals_of(diagram: Diagram, pins: BoardPins) -> Mapping[str, WiredSignal]:
    """Return the signals of a diagram by pin of its board, in the board's order."""
    catalogue = drawn_catalogue()
    netlist = build_netlist(diagram, catalogue)
    types = {name: kind for name, (_, kind) in known_parts(diagram, catalogue).items()}
    attrs = {part.id: part.attrs for part in diagram.parts}
    found = _ends(netlist, types)
    signals: dict[str, WiredSignal] = {}
    for pin in pins.pins:
        ends = found.get(pin, [])
        if not ends:
            continue
        is_i2c = pin in pins.i2c
        kinds = {_kind(it, types[it.endpoint.part], is_i2c_pin=is_i2c) for it in ends}
        named = tuple(
            (end.endpoint.part, end.endpoint.pin, types[end.endpoint.part].name)
            for end in ends
        )
        words = frozenset[str]().union(
            *(
                _words(part, name, kind, attrs.get(part, {}))
                for part, name, kind in named
            )
        )
        is_held = not _is_open(netlist, ends, types)
        signals[pin] = WiredSignal(pin, _joined(kinds), named, words, is_held)
    return signals


def _words(part: str, name: str, kind: str, attrs: Mapping[str, str]) -> set[str]:
    """Return what people call a part's pin; bare numbers only where people put them.

    A buzzer's terminal ``2`` and a resistor of 220 say nothing of ``LED2``.
    """
    said = (name, kind, *attrs.values())
    texts = [text for text in said if any(map(str.isalpha, text))]
    named = (part, attrs.get("label", ""), *texts)
    return {word for text in named for word in words_of(text)}


def words_of(name: str) -> set[str]:
    """Return the words of a name: ``led`` and ``red`` of ``LED_Red2``."""
    words: set[str] = set()
    word = ""
    for char, before in zip(name, f" {name}", strict=False):
        if not char.isalpha() or (char.isupper() and before.islower()):
            words.add(word.lower())
            word = ""
        if char.isalnum():
            word += char
            if char.isdigit():
                words.add(word.lower())
    words.add(word.lower())
    known = {_SYNONYMS.get(it, it) for it in words}
    return {it for it in known if it and it not in _SAY_NOTHING}


_MEANT = {
    "button": "btn pushbutton key",
    "potentiometer": "pot knob sig",
    "buzzer": "speaker buzz bz piezo",
    "photoresistor": "ldr light",
    "trig": "trigger",
    "e": "enable en",
    "clk": "clock sck",
    "green": "grn",
    "yellow": "ylw amber",
    "blue": "blu",
    "led": "lamp leds",
    "switch": "sw",
    "temperature": "temp",
    "stcp": "latch",
    "horz": "x",
    "vert": "y",
    "data": "dio dt",
}
_SYNONYMS = {it: word for word, others in _MEANT.items() for it in others.split()}
_SAY_NOTHING = {"wokwi", "pin", "pins", "embedbench", "board", "module", "sensor", "1"}


def _ends(netlist: Netlist, types: Mapping[str, PartType]) -> dict[str, list[NetPin]]:
    """Return what is at the pins of the board, beyond resistors too."""
    beyond: defaultdict[int, set[int]] = defaultdict(set)
    for pair in netlist.resistors:
        beyond[pair.one].add(pair.other)
        beyond[pair.other].add(pair.one)
    found: dict[str, list[NetPin]] = {}
    for index, net in enumerate(netlist.nets):
        own = [it for it in net.pins if it.is_of_board and it.pin.role is not _HOLE]
        if not own or net.has(PinRole.GROUND, PinRole.SUPPLY):
            continue
        nets = [index, *_reached(netlist, index, beyond)]
        ends = [it for i in nets for it in _meaningful(netlist, i, types)]
        for it in own:
            if it.pin.role is PinRole.BOTH or it.pin.role is PinRole.INPUT:
                found[printed(it.endpoint.pin)] = ends
    return found


_HOLE = PinRole.HOLE


def _reached(
    netlist: Netlist, start: int, beyond: Mapping[int, set[int]]
) -> Iterator[int]:
    """Yield the nets behind resistors that are neither supply nor another pin's."""
    seen, waiting = {start}, [start]
    while waiting:
        for other in sorted(beyond.get(waiting.pop(), ())):
            net = netlist.nets[other]
            is_taken = net.has(PinRole.GROUND, PinRole.SUPPLY) or any(
                it.is_of_board for it in net.pins
            )
            if other not in seen and not is_taken:
                seen.add(other)
                waiting.append(other)
                yield other


def _meaningful(
    netlist: Netlist, net: int, types: Mapping[str, PartType]
) -> Iterator[NetPin]:
    for it in netlist.nets[net].pins:
        kind = types[it.endpoint.part]
        if it.is_of_board or kind.name in _IGNORED or kind.resistors:
            continue
        if it.pin.role in (PinRole.HOLE, PinRole.UNUSED, *_SUPPLIES):
            continue
        yield it


def _kind(end: NetPin, kind: PartType, *, is_i2c_pin: bool) -> SignalKind:
    pin, names = end.endpoint.pin, {it.name for it in kind.pins}
    if pin in _ANALOG.get(kind.name, ()):
        return SignalKind.MEASURE
    if is_i2c_pin and any(pin in pair and pair <= names for pair in _I2C_PAIRS):
        return SignalKind.BUS
    if end.pin.role is PinRole.PASSIVE:
        return _terminal(kind, pin)
    return _BY_ROLE.get(end.pin.role, SignalKind.EITHER)


def _is_open(
    netlist: Netlist, ends: list[NetPin], types: Mapping[str, PartType]
) -> bool:
    """Say whether nothing is there but contacts, and no resistor to anywhere."""
    nets = {netlist.index[it.endpoint] for it in ends}
    is_pulled = any({it.one, it.other} & nets for it in netlist.resistors)
    return not is_pulled and all(
        it.pin.role is PinRole.PASSIVE and types[it.endpoint.part].switches
        for it in ends
    )


def _terminal(kind: PartType, pin: str) -> SignalKind:
    if kind.diodes or kind.name in _DRIVEN or pin in _COILS:
        return SignalKind.DRIVE
    is_contact = kind.switches and kind.name not in _MATRIX
    return SignalKind.READ if is_contact else SignalKind.EITHER


def _joined(kinds: set[SignalKind]) -> SignalKind:
    """Return what several parts on one net make of it."""
    if len(kinds) == 1:
        return next(iter(kinds))
    for strongest in (SignalKind.BUS, SignalKind.MEASURE):
        if strongest in kinds:
            return strongest
    return SignalKind.EITHER
