"""A pin of the chip in a circuit: what the chip drives there, and what it is shown."""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING

from pytest_embedbench.pins import Level
from pytest_embedbench.wiring.drives import RELEASED, Strength, drive

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pytest_embedbench.wiring.live_nets import LiveNets
    from pytest_embedbench.wiring.netlist import Netlist


class PinDrive(enum.IntEnum):
    """What a chip does at a pin of a port."""

    RELEASED = 0
    PULLED_UP = 1
    LOW = 2
    HIGH = 3


PIN_DRIVES = (
    RELEASED,
    drive(Strength.PULL, Level.HIGH),
    drive(Strength.OUTPUT, Level.LOW),
    drive(Strength.OUTPUT, Level.HIGH),
)
"""What each ``PinDrive`` does to a net."""


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
        self._is_timers = False
        self._connect: Callable[[Callable[[int, int], None]], None] | None = None
        self._take: Callable[[int, int], None] = self._drive
        if self._is_short:
            self._take = nets.teller(net, PIN_DRIVES)
        else:
            nets.on_level(net, self, self._on_level)

    def connect(self, connect: Callable[[Callable[[int, int], None]], None]) -> None:
        """Have the chip call ``on_drive``: what it comes to, whenever that changes."""
        self._connect = connect
        connect(self._take)

    def on_drive(self, at_ticks: int, code: int) -> None:
        """Take what the chip does from now on, as a ``PinDrive``."""
        self._take(at_ticks, code)

    def stage(self, code: int) -> bool:
        """Take it without telling anybody yet; say whether ``tell`` has to.

        Who stages pins lets nets settle when all are.
        """
        if self._is_short:
            states = self._nets.network.states
            before, states[self.net] = states[self.net], PIN_DRIVES[code]
            return before.level is not PIN_DRIVES[code].level
        self._change(code)
        return False

    def tell(self, at_ticks: int) -> None:
        """Tell what was staged."""
        self._nets.tell(at_ticks, self.net, self._nets.network.level(self.net))

    def shown(self) -> None:
        """Let the chip see what its pin shows, if it does not drive it."""
        if not self._is_short and self._code < PinDrive.LOW:
            self._show(self._name, self._nets.network.level(self.net))

    def pulse(
        self, at_ticks: int, period_ticks: int, high_ticks: int, code: int
    ) -> None:
        """Put PWM on it; with a period of 0, no more, and ``code`` from then on.

        With no high time, or nothing else, it is steady.
        """
        nets, network = self._nets, self._nets.network
        if self._is_short:  # the long way from now on
            self._is_short = False
            network.adopt(self._driver, network.states[self.net])
            self._take = self._drive
            if self._connect:
                self._connect(self._take)
        elif period_ticks and not self._is_timers:
            nets.off_level(self.net, self)  # no edges for its own sake
        elif self._is_timers and not period_ticks:
            nets.on_level(self.net, self, self._on_level, at_ticks)
        self._is_timers = bool(period_ticks)
        if 0 < high_ticks < period_ticks:
            self._code = PinDrive.HIGH
            nets.pwm.pulse(at_ticks, self._driver, self.net, period_ticks, high_ticks)
            return
        if period_ticks:
            code = PinDrive.HIGH if high_ticks else PinDrive.LOW
        self._code = code
        network.change(self._driver, PIN_DRIVES[code])
        nets.pwm.pulse(at_ticks, self._driver, self.net, 0, 0)
        self.shown()

    def _drive(self, at_ticks: int, code: int) -> None:
        self._change(code)
        self._nets.settle(at_ticks)
        self.shown()

    def _change(self, code: int) -> None:
        if not self._is_timers:
            self._code = code
            self._nets.network.change(self._driver, PIN_DRIVES[code])

    def _on_level(self, _at_ticks: int, level: Level) -> None:
        if self._code < PinDrive.LOW:
            self._show(self._name, level)


def drive_together(
    nets: LiveNets, at_ticks: int, driven: Sequence[tuple[ChipPin, int]]
) -> None:
    """Take what the chip does at several pins at once: who hears sees all of it."""
    for pin in [pin for pin, code in driven if pin.stage(code)]:
        pin.tell(at_ticks)
    nets.settle(at_ticks)
    for pin, _ in driven:
        pin.shown()
