"""Voltages in a circuit that runs, worked out when somebody asks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_embedbench.pins import Level
from pytest_embedbench.wiring.drives import TIED, Strength, drive
from pytest_embedbench.wiring.part_type import PinRole
from pytest_embedbench.wiring.voltages import (
    ResistorBetween,
    VoltageSource,
    solve_voltages,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pytest_embedbench.wiring.drives import Drive
    from pytest_embedbench.wiring.levels import Network
    from pytest_embedbench.wiring.netlist import Netlist

# ATmega328P, table 28-1 and figures 29-24 and 29-26: VIL is 0.3, VIH 0.6 of the supply,
# an output has some 25 ohm, a pull-up 20 to 50 kohm.
_LOW_SHARE, _HIGH_SHARE = 0.3, 0.6
_OHM = {
    Strength.SUPPLY: 0.0,
    Strength.OUTPUT: 25.0,
    Strength.RESISTOR: 10_000.0,
    Strength.PULL: 35_000.0,
}
_CLOSED_OHM = 0.0
_NOBODY = -1
_MOST_WEIGHED = 10_000
_Weighed = list[tuple[int, "Drive"]]


class LiveVoltages:
    """What parts put on nets, and what comes of it behind resistors.

    Where resistors pull to both sides, as in a divider, the voltage says what a digital
    input takes it for: low up to 0.3 of its supply, high from 0.6 of it on, as an
    ATmega328P does (data sheet, table 28-1: VIL and VIH), and nothing in between. That
    supply is the chip's; where only modules hear, the lowest one of theirs.
    """

    def __init__(self, network: Network, netlist: Netlist, supply_mv: int) -> None:
        self._network = network
        self._netlist = netlist
        self._supply_mv = supply_mv
        self._sources: dict[int, VoltageSource] = {}  # by driver
        self._supplies: dict[int, int] = {
            index: max(
                (
                    pin.pin.supply_mv
                    for pin in net.pins
                    if pin.pin.role is PinRole.SUPPLY
                ),
                default=0,
            )
            for index, net in enumerate(netlist.nets)
        }
        self._inputs_mv = _supplies_of_inputs(netlist, self._supplies, supply_mv)
        self._weighed: dict[tuple[object, ...], _Weighed] = {}
        network.weigh = self.weigh

    def put(self, driver: int, net: int, value_mv: int, before: Level) -> Level:
        """Put a voltage on a net; return what a digital input takes it for."""
        self._sources[driver] = VoltageSource(net, float(value_mv), 0.0)
        if value_mv >= _HIGH_SHARE * self._supply_mv:
            return Level.HIGH
        if value_mv <= _LOW_SHARE * self._supply_mv or before is Level.FLOATING:
            return Level.LOW
        return before

    def take_off(self, driver: int) -> None:
        """Forget what a driver has put on its net, for it does something else now."""
        self._sources.pop(driver, None)

    def of_net(self, net: int) -> float:
        """Return the voltage of a net in mV; 0 where nothing holds it."""
        island = self._network.island(net)
        sources = [it for one in island for it in self._sources_of(one)]
        if len(island) == len(sources) == 1:
            return sources[0].value_mv
        return solve_voltages(island, sources, self._between())[net]

    def weigh(self, island: Sequence[int]) -> _Weighed:
        """Return what holds those nets of an island that resistors pull both ways.

        Of equal drives and switches it is worked out once.
        """
        network = self._network
        sources = [it for one in island for it in self._sources_of(one)]
        closed = [network.is_closed(it) for it in range(len(self._netlist.switches))]
        tied = [net for net in island if network.state(net) == TIED]
        key = (*tied, *sources, *closed)
        weighed = self._weighed.get(key)
        if weighed is None:
            if len(self._weighed) >= _MOST_WEIGHED:
                self._weighed.clear()
            values_mv = solve_voltages(island, sources, self._between())
            weighed = self._weighed[key] = [
                (net, drive(Strength.RESISTOR, level))
                for net in tied
                if (level := self._taken_for(net, values_mv[net])) is not None
            ]
        return weighed

    def _taken_for(self, net: int, value_mv: float) -> Level | None:
        if value_mv >= _HIGH_SHARE * self._inputs_mv[net]:
            return Level.HIGH
        if value_mv <= _LOW_SHARE * self._inputs_mv[net]:
            return Level.LOW
        return None

    def _sources_of(self, net: int) -> list[VoltageSource]:
        found: list[VoltageSource] = []
        for driver, held in self._held(net):
            source = self._sources.get(driver)
            if source is not None:
                found.append(source)
            elif held.strength in _OHM:
                high_mv = self._supplies[net] or self._supply_mv
                value_mv = high_mv if held.is_high else 0
                found.append(VoltageSource(net, value_mv, _OHM[held.strength]))
        return found

    def _held(self, net: int) -> list[tuple[int, Drive]]:
        """Return what holds a net; of one driver alone, the net itself tells.

        A pin that holds a net by itself goes past its driver.
        """
        drivers = self._network.drivers_of(net)
        if len(drivers) > 1 or not self._network.is_alone(net):
            return drivers
        driver = drivers[0][0] if drivers else _NOBODY
        return [(driver, self._network.state(net))]

    def _between(self) -> list[ResistorBetween]:
        netlist, network = self._netlist, self._network
        found = [
            ResistorBetween(it.one, it.other, it.value_ohm) for it in netlist.resistors
        ]
        found += [
            ResistorBetween(it.one, it.other, _CLOSED_OHM)
            for index, it in enumerate(netlist.switches)
            if network.is_closed(index)
        ]
        return found


def _supplies_of_inputs(
    netlist: Netlist, supplies: Mapping[int, int], chip_mv: int
) -> list[int]:
    """Return for each net what those run on that read it."""
    powered: dict[str, int] = {}
    for index, supply_mv in supplies.items():
        for pin in netlist.nets[index].pins if supply_mv else ():
            if pin.pin.role is PinRole.POWER:
                part = pin.endpoint.part
                powered[part] = min(supply_mv, powered.get(part, supply_mv))
    found: list[int] = []
    for net in netlist.nets:
        of_chip = any(pin.is_of_board for pin in net.pins)
        theirs = [powered.get(pin.endpoint.part, 0) for pin in net.pins]
        lowest_mv = min(filter(None, theirs), default=chip_mv)
        found.append(chip_mv if of_chip else lowest_mv)
    return found
