"""Findings about nets that nothing holds: open inputs, modules without power."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_embedbench.wiring.findings import CircuitFinding, FindingKind
from pytest_embedbench.wiring.part_type import PinRole
from pytest_embedbench.wiring.reach import both_ways, reached

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from pytest_embedbench.wiring.netlist import Net, Netlist, NetPin

_POWER = {
    PinRole.RETURN: (FindingKind.MISSING_GROUND, "ground", PinRole.SUPPLY),
    PinRole.POWER: (FindingKind.MISSING_SUPPLY, "supply", PinRole.GROUND),
}
"""For what wants ground or supply: the finding, its word, and what would be wrong."""


def check_power(netlist: Netlist, lines: Mapping[str, int]) -> Iterator[CircuitFinding]:
    """Yield each pin that wants ground or supply and has not, of parts in use.

    A pin of a microcontroller may give either.
    """
    used = _parts_in_use(netlist)
    for net in netlist.nets:
        for pin in net.pins:
            part, name = pin.endpoint
            if part not in used or pin.pin.role not in _POWER:
                continue
            kind, wanted, wrong = _POWER[pin.pin.role]
            givers = [it for it in net.pins if it.pin.role.drives]
            if any(it.pin.role is not wrong for it in givers):
                continue
            where = f"is joined with {givers[0].endpoint}" if givers else "is not"
            told = where if givers else f"is not joined with any {wanted}"
            text = f"{part}: its {wanted} pin {name} {told}"
            yield CircuitFinding(kind, lines[part], text, part, name)


def check_inputs(
    netlist: Netlist, lines: Mapping[str, int]
) -> Iterator[CircuitFinding]:
    """Yield each input that nothing holds, ever or while a switch is open.

    What microcontrollers can do against it is to pull up: so a button to ground is
    well, and one to a supply needs a resistor.
    """
    used = _parts_in_use(netlist)
    for index, net in enumerate(netlist.nets):
        for pin in net.pins:
            part, name = pin.endpoint
            if part in used and (told := _open(netlist, index, net, pin)):
                text = f"{part}: {told}"
                kind = FindingKind.FLOATING_INPUT
                yield CircuitFinding(kind, lines[part], text, part, name)


def _open(netlist: Netlist, index: int, net: Net, pin: NetPin) -> str:
    """Return why a pin floats, or ``""``."""
    name, role = pin.endpoint.pin, pin.pin.role
    if role is PinRole.OPEN_DRAIN:
        behind = reached(index, both_ways(netlist.resistors))[1:]
        if not _any_drives(netlist, behind, PinRole.GROUND):
            return f"{name} only pulls down; put a resistor from it to the supply"
    elif role is PinRole.INPUT and not (pin.is_of_board and len(net.pins) == 1):
        ways = both_ways(netlist.resistors, netlist.switches)
        if not _any_drives(netlist, reached(index, ways)) and not _is_pulled(net):
            return f"nothing drives the input {name}"
    if pin.is_of_board and role in {PinRole.INPUT, PinRole.BOTH}:
        return _open_with_switch(netlist, index, net, pin)
    return ""


def _open_with_switch(netlist: Netlist, index: int, net: Net, pin: NetPin) -> str:
    """Return that only switches to a supply hold a pin of the board, if it is so."""
    others = [it for it in net.pins if it != pin]
    pulled = reached(index, both_ways(netlist.resistors))[1:]
    if (
        _is_pulled(net)
        or any(it.pin.role.drives for it in others)
        or _any_drives(netlist, pulled)
    ):
        return ""
    switches = [it for it in netlist.switches if index in (it.one, it.other)]
    resistors = both_ways(netlist.resistors)
    behind = [
        net for it in switches for net in reached(it.one + it.other - index, resistors)
    ]
    leads_up = any(netlist.nets[net].has(PinRole.SUPPLY) for net in behind)
    if not leads_up or _any_drives(netlist, behind, PinRole.SUPPLY):
        return ""
    return (
        f"nothing holds {pin.endpoint.pin} while {switches[0].part} is open; put a "
        "resistor from it to ground"
    )


def _is_pulled(net: Net) -> bool:
    return net.has(PinRole.PULLED)


def _any_drives(
    netlist: Netlist, nets: Iterable[int], but: PinRole | None = None
) -> bool:
    return any(
        pin.pin.role.drives and pin.pin.role is not but
        for net in nets
        for pin in netlist.nets[net].pins
    )


def _parts_in_use(netlist: Netlist) -> set[str]:
    """Return the parts that some wire leads to."""
    return {
        pin.endpoint.part
        for net in netlist.nets
        if len(net.pins) > 1
        for pin in net.pins
    }
