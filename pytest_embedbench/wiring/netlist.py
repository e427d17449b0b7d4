"""Which pins are one node: nets by union-find, and what lies between two nets."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from pytest_embedbench.errors import UnknownName
from pytest_embedbench.wiring.diagram import SERIAL_MONITOR, DiagramPart, Endpoint
from pytest_embedbench.wiring.part_type import PinRole

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from pytest_embedbench.wiring.catalogue import PartCatalogue
    from pytest_embedbench.wiring.diagram import Diagram
    from pytest_embedbench.wiring.part_type import PartPin, PartType, PinPair


class NetPin(NamedTuple):
    """A pin of a net: where it is, and what it does there."""

    endpoint: Endpoint
    pin: PartPin
    is_of_board: bool


class Net(NamedTuple):
    """Pins that are one node; ``name`` is ``GND``, ``5V`` or that of a pin."""

    name: str
    pins: tuple[NetPin, ...]

    def has(self, *roles: PinRole) -> bool:
        """Tell whether a pin of one of these roles is in it."""
        return any(pin.pin.role in roles for pin in self.pins)


class NetPair(NamedTuple):
    """Something between two nets, by their indexes; of a diode, the anode is first."""

    part: str
    one: int
    other: int
    value_ohm: float = 0.0
    """Of a resistor."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Netlist:
    """The nets of a diagram, in the order of its parts, and what lies between them.

    Every pin of every known part is in a net, alone if nothing leads there; of a
    breadboard only what a wire leads to. ``index`` has pins by all their names.
    """

    nets: tuple[Net, ...]
    index: Mapping[Endpoint, int]
    resistors: tuple[NetPair, ...]
    switches: tuple[NetPair, ...]
    diodes: tuple[NetPair, ...]

    def net_of(self, part: str, pin: str) -> Net:
        """Return the net that a pin is in.

        Raises:
            KeyError: there is no such pin, or it is a hole that nothing leads to.
        """
        return self.nets[self.index[Endpoint(part, pin)]]

    def number_of(self, pin: Endpoint) -> int:
        """Return the number of a pin's net.

        Raises:
            UnknownName: there is no such part, or no such pin.
        """
        net = self.index.get(pin)
        if net is None:
            pins = [end.pin for end in self.index if end.part == pin.part]
            if pins:
                raise UnknownName(f"pin of {pin.part}", pin.pin, pins)
            parts = dict.fromkeys(end.part for end in self.index)
            raise UnknownName("part of the circuit", pin.part, parts)
        return net

    def as_text(self) -> Mapping[str, Sequence[str]]:
        """Return the nets of more than one pin: names, and those of their pins."""
        return {
            net.name: [str(pin.endpoint) for pin in net.pins]
            for net in self.nets
            if len(net.pins) > 1
        }


def known_parts(
    diagram: Diagram, catalogue: PartCatalogue
) -> dict[str, tuple[DiagramPart, PartType]]:
    """Return the parts whose type is known, by id, the serial monitor among them."""
    monitor = DiagramPart(id=SERIAL_MONITOR, type=SERIAL_MONITOR)
    return {
        part.id: (part, catalogue.types[part.type])
        for part in (*diagram.parts, monitor)
        if part.type in catalogue.types
    }


def build_netlist(diagram: Diagram, catalogue: PartCatalogue) -> Netlist:
    """Join what wires join. Wires to what is not known are passed over.

    All that is ground is one net: the board's pins and the symbols.
    """
    parts = known_parts(diagram, catalogue)
    pins = {
        (end := Endpoint(name, pin.name)): NetPin(end, pin, bool(kind.board))
        for name, (part, kind) in parts.items()
        for pin in kind.pins_with(part.attrs).values()
    }
    names = {
        Endpoint(name, alias): Endpoint(name, kind.aliases.get(alias, alias))
        for name, (_, kind) in parts.items()
        for alias in (*(pin.name for pin in kind.pins), *kind.aliases)
    }
    wires = [
        (names[wire.start], names[wire.end])
        for wire in diagram.wires
        if names.get(wire.start) in pins and names.get(wire.end) in pins
    ]
    touched = {end for wire in wires for end in wire}
    nodes = [
        end
        for end, pin in pins.items()
        if pin.pin.role is not PinRole.HOLE or end in touched
    ]
    grounds = [end for end in nodes if pins[end].pin.role is PinRole.GROUND]
    joined = [*wires, *pairwise(grounds)]
    groups = _groups(nodes, joined)
    found = _named([[pins[end] for end in group] for group in groups])
    at = {end: index for index, group in enumerate(groups) for end in group}

    def between(pairs_of: str) -> tuple[NetPair, ...]:
        return tuple(
            NetPair(
                name,
                at[Endpoint(name, pair.one)],
                at[Endpoint(name, pair.other)],
                _ohm(kind, part) if pairs_of == "resistors" else 0.0,
            )
            for name, (part, kind) in parts.items()
            for pair in kind.pairs_with(_pairs(kind, pairs_of), part.attrs)
        )

    return Netlist(
        nets=tuple(found),
        index={alias: at[end] for alias, end in names.items() if end in at},
        resistors=between("resistors"),
        switches=between("switches"),
        diodes=between("diodes"),
    )


def _pairs(kind: PartType, name: str) -> tuple[PinPair, ...]:
    pairs: tuple[PinPair, ...] = getattr(kind, name)
    return pairs


def _ohm(kind: PartType, part: DiagramPart) -> float:
    try:
        return float(kind.attr(part.attrs, "value") or 0)
    except ValueError:  # which is a finding of its own
        return 0.0


def _groups(
    nodes: Sequence[Endpoint], joined: Iterable[tuple[Endpoint, Endpoint]]
) -> list[list[Endpoint]]:
    """Return the connected nodes, in the order of ``nodes``, whatever that of wires."""
    order = {node: index for index, node in enumerate(nodes)}
    parent = list(range(len(nodes)))

    def root(index: int) -> int:
        while parent[index] != index:
            parent[index] = parent[parent[index]]
            index = parent[index]
        return index

    for one, other in joined:
        low, high = sorted((root(order[one]), root(order[other])))
        parent[high] = low
    groups: dict[int, list[Endpoint]] = defaultdict(list)
    for node, index in order.items():
        groups[root(index)].append(node)
    return list(groups.values())


def _named(groups: Iterable[list[NetPin]]) -> list[Net]:
    taken: set[str] = set()
    nets: list[Net] = []
    for pins in groups:
        name = _name(pins)
        if name in taken:
            name = str(pins[0].endpoint)
        taken.add(name)
        nets.append(Net(name, tuple(pins)))
    return nets


def _name(pins: list[NetPin]) -> str:
    """Return what people call a net: by its supply, else by a pin of the board."""
    for pin in pins:
        if pin.pin.role is PinRole.GROUND:
            return "GND"
    for pin in pins:
        if pin.pin.role is PinRole.SUPPLY:
            return f"{pin.pin.supply_mv / 1000:g}V"
    by_board = [pin for pin in pins if pin.is_of_board]
    return str((by_board or pins)[0].endpoint)
