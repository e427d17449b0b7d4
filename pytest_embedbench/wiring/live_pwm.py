"""PWM on nets: told as period and share, and edge by edge to whoever needs that."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_embedbench.pins import Level
from pytest_embedbench.wiring.drives import Strength, drive
from pytest_embedbench.wiring.net_log import PwmChange

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    from pytest_embedbench.wiring.agenda import Agenda
    from pytest_embedbench.wiring.live_nets import LiveNets

    PwmCall = Callable[[int, int, int], None]

_LOW = drive(Strength.OUTPUT, Level.LOW)
_HIGH = drive(Strength.OUTPUT, Level.HIGH)


class _PulseTrain:
    """PWM of one driver: the nets that follow it, and its edges where they are told."""

    def __init__(
        self, driver: int, net: int, period_ticks: int, high_ticks: int, begun_at: int
    ) -> None:
        self.driver, self.net = driver, net
        self.period_ticks, self.high_ticks = period_ticks, high_ticks
        self.begun_at = begun_at
        self.followers: set[int] = set()
        self.affected: set[int] = set()
        self.has_edges = False
        self.is_over = False
        self.begins = 0  # how often edges have begun, so that old plans come to nothing

    def phase_ticks(self, at_ticks: int) -> int:
        """Return how much of a period has passed."""
        return (at_ticks - self.begun_at) % self.period_ticks


class LivePwm:
    """The PWM of a circuit.

    Who has asked for it is told period and high time of a net that follows, and no
    levels; if anybody else hears of a net that PWM moves, there are edges.
    """

    def __init__(self, nets: LiveNets, agenda: Agenda, count: int) -> None:
        self._nets, self._network, self._agenda = nets, nets.network, agenda
        self._calls: list[list[tuple[Hashable, PwmCall]]] = [[] for _ in range(count)]
        self._trains: dict[int, _PulseTrain] = {}

    # --------------------------------------------------------------------- listening
    def on_pwm(self, net: int, owner: Hashable, call: PwmCall) -> None:
        """Have PWM told, and no levels while it is on."""
        self._calls[net].append((owner, call))
        self._nets.on_ears()

    def owners(self, net: int) -> set[Hashable]:
        """Return who has asked for the PWM of a net."""
        return {owner for owner, _ in self._calls[net]}

    def is_told(self, net: int, owner: Hashable) -> bool:
        """Say whether a net has PWM on that somebody is told in place of levels."""
        follows = any(net in train.followers for train in self._trains.values())
        return follows and owner in self.owners(net)

    def make_edges(self, at_ticks: int, net: int) -> None:
        """Make edges from now on, if PWM moves a net: somebody has come to hear it."""
        for train in self._trains.values():
            if net in train.affected and not train.has_edges:
                self._begin_edges(at_ticks, train)

    def leave_edges(self, net: int) -> None:
        """Make none any more, if PWM moves a net and nobody is left who hears it."""
        for train in self._trains.values():
            if net in train.affected and not self._has_ears(train):
                train.has_edges = False

    # ---------------------------------------------------------------------- changing
    def pulse(
        self, at_ticks: int, driver: int, net: int, period_ticks: int, high_ticks: int
    ) -> None:
        """Let a driver put PWM on its net from now on; with a period of 0, no more.

        While its period stays, its phase does.
        """
        before = self._trains.pop(driver, None)
        if before is not None:
            before.is_over = True
        if not period_ticks:
            self._network.steady.discard(driver)
            self._nets.settle(at_ticks)
            if before is not None:
                for each in sorted(before.followers):
                    self._end_on(at_ticks, each)
                self._nets.settle(at_ticks)
            return
        is_same = before is not None and before.period_ticks == period_ticks
        begun_at = before.begun_at if before is not None and is_same else at_ticks
        train = _PulseTrain(driver, net, period_ticks, high_ticks, begun_at)
        self._trains[driver] = train
        self._network.steady.add(driver)
        self._follow(at_ticks, train)
        if before is not None:
            for each in sorted(before.followers - train.followers):
                self._end_on(at_ticks, each)
        self._nets.settle(at_ticks)

    def catch_up(self, at_ticks: int) -> None:
        """Let nets show what they do at a moment, where no edges are made."""
        for train in self._trains.values():
            if not train.has_edges:
                is_high = train.phase_ticks(at_ticks) < train.high_ticks
                self._network.hold(train.driver, _HIGH if is_high else _LOW)

    def review(self, at_ticks: int) -> None:
        """Find out again which nets follow which PWM, where others have driven."""
        network = self._network
        stirred, network.stirred = network.stirred, set()
        for train in list(self._trains.values()):
            if network.island(train.net)[0] in stirred:
                self._follow(at_ticks, train)

    def _follow(self, at_ticks: int, train: _PulseTrain) -> None:
        followers, affected = self._try_out(at_ticks, train)
        if (followers, affected) == (train.followers, train.affected):
            return
        gone = train.followers - followers
        new = followers - train.followers
        train.followers, train.affected = followers, affected
        for net in sorted(gone):
            self._end_on(at_ticks, net)
        for net in sorted(new):
            self._begin_on(at_ticks, net, train)
        if not self._has_ears(train):
            train.has_edges = False
        elif not train.has_edges:
            self._begin_edges(at_ticks, train)

    def _try_out(self, at_ticks: int, train: _PulseTrain) -> tuple[set[int], set[int]]:
        """Return the nets that show what the PWM does, and all that change with it."""
        network = self._network
        island, before = network.island(train.net), network.drive_of(train.driver)
        waiting, network.fought = network.fought, set()
        shown: list[dict[int, Level]] = []
        for held in (_LOW, _HIGH):
            network.hold(train.driver, held)
            for net in island:
                if network.state(net).is_contention:
                    self._nets.on_fight(at_ticks, net)
            shown.append({net: network.level(net) for net in island})
        network.hold(train.driver, before)
        network.fought = waiting
        low, high = shown
        affected = {net for net in island if low[net] is not high[net]}
        followers = {
            net for net in affected if low[net] is Level.LOW and high[net] is Level.HIGH
        }
        return followers, affected

    def _begin_on(self, at_ticks: int, net: int, train: _PulseTrain) -> None:
        self._nets.mute(net, self.owners(net))
        period_ticks, high_ticks = train.period_ticks, train.high_ticks
        self._nets.log.add_pwm(
            PwmChange(at_ticks, net, period_ticks, high_ticks, train.begun_at)
        )
        for _, call in self._calls[net]:
            call(at_ticks, period_ticks, high_ticks)

    def _end_on(self, at_ticks: int, net: int) -> None:
        self._nets.log.add_pwm(PwmChange(at_ticks, net, 0, 0))
        for _, call in self._calls[net]:
            call(at_ticks, 0, 0)
        self._nets.unmute(at_ticks, net, self.owners(net))

    # ------------------------------------------------------------------------- edges
    def _has_ears(self, train: _PulseTrain) -> bool:
        return any(self._nets.has_calls(net) for net in train.affected)

    def _begin_edges(self, at_ticks: int, train: _PulseTrain) -> None:
        train.has_edges = True
        train.begins += 1
        self._edge(at_ticks, train, train.begins)

    def _edge(self, at_ticks: int, train: _PulseTrain, begins: int) -> None:
        if train.is_over or not train.has_edges or train.begins != begins:
            return
        phase_ticks = train.phase_ticks(at_ticks)
        is_high = phase_ticks < train.high_ticks
        self._network.change(train.driver, _HIGH if is_high else _LOW)
        ends = train.high_ticks if is_high else train.period_ticks
        self._agenda.at(
            at_ticks - phase_ticks + ends,
            lambda due_ticks: self._edge(due_ticks, train, begins),
        )
