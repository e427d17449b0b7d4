"""Findings about currents that nothing limits: shorts, LEDs without a resistor."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_embedbench.wiring.findings import CircuitFinding, FindingKind
from pytest_embedbench.wiring.netlist import build_netlist
from pytest_embedbench.wiring.part_type import PinRole
from pytest_embedbench.wiring.reach import (
    against_current,
    both_ways,
    reached,
    with_current,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from pytest_embedbench.wiring.catalogue import PartCatalogue
    from pytest_embedbench.wiring.diagram import Diagram, Endpoint
    from pytest_embedbench.wiring.netlist import Net, Netlist, NetPin


def check_shorts(
    diagram: Diagram, catalogue: PartCatalogue, netlist: Netlist
) -> Iterator[CircuitFinding]:
    """Yield each net in which wires join ground and supply, or two supplies.

    The line is that of the wire with which it came to that.
    """
    for net in netlist.nets:
        sources = _sources(net)
        if len(sources) > 1:
            one, other = list(sources.values())[:2]
            wire = _joining_wire(diagram, catalogue, one.endpoint, other.endpoint)
            text = (
                f"wires join {' with '.join(sources)}: {one.endpoint} and "
                f"{other.endpoint}"
            )
            kind = FindingKind.SHORT_CIRCUIT
            yield CircuitFinding(kind, wire, text, *one.endpoint)


def check_switched_shorts(
    netlist: Netlist, lines: Mapping[str, int]
) -> Iterator[CircuitFinding]:
    """Yield each part whose switch can join ground and supply, or two supplies."""
    told: set[str] = set()
    for switch in netlist.switches:
        here, there = (_sources(netlist.nets[i]) for i in (switch.one, switch.other))
        if here and there and {*here} != {*there} and switch.part not in told:
            told.add(switch.part)
            joined = " with ".join(dict.fromkeys([*here, *there]))
            text = f"{switch.part}: it joins {joined} when its switch is closed"
            kind = FindingKind.SHORT_CIRCUIT
            yield CircuitFinding(kind, lines[switch.part], text, switch.part)


def check_contention(
    netlist: Netlist, lines: Mapping[str, int]
) -> Iterator[CircuitFinding]:
    """Yield each net on which an output meets another one, or a supply.

    What can let go of its net, such as a pin of a microcontroller, is no output here.
    """
    for net in netlist.nets:
        outputs = [pin for pin in net.pins if pin.pin.role is PinRole.OUTPUT]
        firm = [*outputs, *_sources(net).values()]
        if not outputs or len(firm) == 1:
            continue
        first, other = firm[:2]
        text = (
            f"{first.endpoint.part}: its output {first.endpoint.pin} works against "
            f"{other.endpoint} on the same net"
        )
        line = lines[first.endpoint.part]
        yield CircuitFinding(FindingKind.CONTENTION, line, text, *first.endpoint)


def check_lights(
    netlist: Netlist, lines: Mapping[str, int]
) -> Iterator[CircuitFinding]:
    """Yield each part with an LED between two drivers and no resistor on the way."""
    comes = against_current(netlist.switches, netlist.diodes)
    goes = with_current(netlist.switches, netlist.diodes)
    told: set[str] = set()
    for diode in netlist.diodes:
        if diode.part in told:
            continue
        feeds = _first_driver(netlist, reached(diode.one, comes), PinRole.GROUND)
        drains = _first_driver(netlist, reached(diode.other, goes), PinRole.SUPPLY)
        if feeds and drains and feeds.endpoint != drains.endpoint:
            told.add(diode.part)
            text = (
                f"{diode.part}: nothing limits the current of the LED between "
                f"{feeds.endpoint} and {drains.endpoint}; put a resistor in series"
            )
            kind = FindingKind.LED_WITHOUT_RESISTOR
            yield CircuitFinding(kind, lines[diode.part], text, diode.part)


def check_dark_lights(
    netlist: Netlist, lines: Mapping[str, int]
) -> Iterator[CircuitFinding]:
    """Yield each part with an LED of which nothing can drive an end as it has to be.

    An LED lets no level through, so of two in series neither lights.
    """
    ways = both_ways(netlist.resistors, netlist.switches)
    told: set[str] = set()
    for diode in netlist.diodes:
        ends = (
            (diode.one, PinRole.GROUND, "anode high"),
            (diode.other, PinRole.SUPPLY, "cathode low"),
        )
        is_wired = all(len(netlist.nets[net].pins) > 1 for net, *_ in ends)
        for net, useless, wanted in ends if is_wired else ():
            if diode.part in told or _may_drive(netlist, reached(net, ways), useless):
                continue
            told.add(diode.part)
            text = (
                f"{diode.part}: the LED never lights, for nothing here can make its "
                f"{wanted}: it is the wrong way round, or in series with another one"
            )
            yield CircuitFinding(
                FindingKind.DARK_LED, lines[diode.part], text, diode.part
            )


def voltage(pin: NetPin) -> str:
    """Return what a supply is called, ``GND`` or such as ``5V``; else ``""``."""
    if pin.pin.role is PinRole.GROUND:
        return "GND"
    if pin.pin.role is PinRole.SUPPLY:
        return f"{pin.pin.supply_mv / 1000:g}V"
    return ""


def _sources(net: Net) -> dict[str, NetPin]:
    """Return the supplies in a net by what they are called, the first of each."""
    found: dict[str, NetPin] = {}
    for pin in net.pins:
        if name := voltage(pin):
            found.setdefault(name, pin)
    return found


def _joining_wire(
    diagram: Diagram, catalogue: PartCatalogue, one: Endpoint, other: Endpoint
) -> int:
    """Return the line of the wire that made one net of two pins."""

    def are_joined(count: int) -> bool:
        so_far = replace(diagram, wires=diagram.wires[:count])
        index = build_netlist(so_far, catalogue).index
        return index[one] == index[other]

    count = bisect_left(range(len(diagram.wires) + 1), x=True, key=are_joined)
    return diagram.wires[count - 1].line if count else 0


def _first_driver(netlist: Netlist, nets: Iterable[int], but: PinRole) -> NetPin | None:
    for net in nets:
        for pin in netlist.nets[net].pins:
            if pin.pin.role.drives and pin.pin.role is not but:
                return pin
    return None


def _may_drive(netlist: Netlist, nets: Iterable[int], but: PinRole) -> bool:
    roles = {pin.pin.role for net in nets for pin in netlist.nets[net].pins}
    return any(role.may_drive for role in roles - {but})
