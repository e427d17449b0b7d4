"""A pin of the chip in a circuit: what the chip drives there, and what it is shown."""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING

from pytest_embedbench.pins import Level
from pytest_embedbench.wiring.drives import RELEASED, Strength, drive

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_embedbench.wiring.live_nets import LiveNets
    from pytest_embedbench.wiring.netlist import Netlist


class PinDrive(enum.IntEnum):
    """What a chip does at a pin of a port."""

    RELEASED = 0
    PULLED_UP = 1
    LOW = 2
    HIGH = 3


_DRIVES = (
    RELEASED,
    drive(Strength.PULL, Level.HIGH),
    drive(Strength.OUTPUT, Level.LOW),
    drive(Strength.OUTPUT, Level.HIGH),
)


class ChipPin:
    """A pin that something is wired to."""

    def __init__(
        self,
        nets: LiveNets,
        netlist: Netlist,
        net: int,
        name: str,
        show: Callable[[str, Level], None],
    ) -> None:
        self.net = net
        self._nets, self._name, self._show = nets, name, show
        self._driver = nets.network.add_driver(net)
        self._code = int(PinDrive.RELEASED)
        others = [pin.pin.role for pin in netlist.nets[net].pins]
        is_only_one = sum(role.may_drive for role in others) == 1
        self._is_short = is_only_one and nets.network.is_alone(net)
        self._take: Callable[[int, int], None] = self._drive
        if self._is_short:
            self._take = nets.teller(net, _DRIVES)
        else:
            nets.on_level(net, self, self._on_level)

    def on_drive(self, at_ticks: int, code: int) -> None:
        """Take what the chip does from now on, as a ``PinDrive``."""
        self._take(at_ticks, code)

    def pulse(
        self, at_ticks: int, period_ticks: int, high_ticks: int, code: int
    ) -> None:
        """Put PWM on it; with a period of 0, no more, and ``code`` from then on."""
        network = self._nets.network
        if self._is_short:  # the long way from now on
            self._is_short = False
            network.adopt(self._driver, network.states[self.net])
            self._take = self._drive
        if not period_ticks:
            self._code = code
            network.change(self._driver, _DRIVES[code])
        self._nets.pulse(at_ticks, self._driver, self.net, period_ticks, high_ticks)

    def _drive(self, at_ticks: int, code: int) -> None:
        was, self._code = self._code, code
        nets, network = self._nets, self._nets.network
        if nets.is_pulsing(self._driver):
            return
        network.change(self._driver, _DRIVES[code])
        nets.settle(at_ticks)
        if network.state(self.net).is_contention:
            nets.on_fight(at_ticks, self.net)
        if was >= PinDrive.LOW > code:
            self._show(self._name, network.level(self.net))

    def _on_level(self, _at_ticks: int, level: Level) -> None:
        if self._code < PinDrive.LOW:
            self._show(self._name, level)
