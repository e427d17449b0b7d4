"""Nets while a circuit runs: who hears of them, PWM on them, and what they did."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pytest_embedbench.pins import Level
from pytest_embedbench.wiring.drives import Strength, drive
from pytest_embedbench.wiring.net_log import (
    FIGHT,
    LEVEL_BITS,
    TICK_SHIFT,
    NetLog,
    PwmChange,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Hashable, Sequence

    from pytest_embedbench.wiring.agenda import Agenda
    from pytest_embedbench.wiring.drives import Drive
    from pytest_embedbench.wiring.levels import Network

    LevelCall = Callable[[int, Level], None]
    PwmCall = Callable[[int, int, int], None]

_LOW = drive(Strength.OUTPUT, Level.LOW)
_HIGH = drive(Strength.OUTPUT, Level.HIGH)
_MOST_ROUNDS = 1000


class _Listener(NamedTuple):
    owner: Hashable
    call: LevelCall


class _PulseTrain:
    """PWM of one driver: the nets that follow it, and its edges where they are told."""

    def __init__(
        self, driver: int, net: int, period_ticks: int, high_ticks: int
    ) -> None:
        self.driver, self.net = driver, net
        self.period_ticks, self.high_ticks = period_ticks, high_ticks
        self.followers: set[int] = set()
        self.affected: set[int] = set()
        self.has_edges = False
        self.is_over = False


class LiveNets:
    """Nets, and everybody who wants to hear of them.

    Two phases make a moment: all hear what changed, then what they did about it is
    applied, until nothing changes any more. ``on_fight`` is called for a net on which
    outputs work against each other, ``on_unrest`` if there is no end of it.
    """

    def __init__(
        self,
        network: Network,
        nets: int,
        agenda: Agenda,
        *,
        on_fight: Callable[[int, int], None],
        on_unrest: Callable[[int, Sequence[int]], None],
    ) -> None:
        self.network = network
        self.log = NetLog()
        self._agenda = agenda
        self.on_fight, self._on_unrest = on_fight, on_unrest
        self._listeners: list[list[_Listener]] = [[] for _ in range(nets)]
        self._pwm_calls: list[list[tuple[Hashable, PwmCall]]] = [
            [] for _ in range(nets)
        ]
        # Those who hear of levels now: with PWM on, not those who are told of that.
        self._calls: list[list[LevelCall]] = [[] for _ in range(nets)]
        self._trains: dict[int, _PulseTrain] = {}

    # --------------------------------------------------------------------- listening
    def on_level(self, net: int, owner: Hashable, call: LevelCall) -> None:
        """Have changes of a net told to somebody, by a name of his own."""
        self._listeners[net].append(_Listener(owner, call))
        self._calls[net].append(call)

    def on_pwm(self, net: int, owner: Hashable, call: PwmCall) -> None:
        """Have PWM told, and no levels while it is on."""
        self._pwm_calls[net].append((owner, call))

    def is_heard(self, net: int, *, besides: Collection[Hashable] = ()) -> bool:
        """Say whether anybody hears of a net, some owners left out."""
        listeners = (*self._listeners[net], *self._pwm_calls[net])
        return any(owner not in besides for owner, _ in listeners)

    # ---------------------------------------------------------------------- changing
    def settle(self, at_ticks: int) -> None:
        """Apply what waits, and let all react to it."""
        network = self.network
        changed: Sequence[int] = ()
        for _ in range(_MOST_ROUNDS):
            if network.is_settled:
                break
            changed = network.settle()
            for net in changed:
                self.tell(at_ticks, net, network.level(net))
                if network.state(net).is_contention:
                    self.on_fight(at_ticks, net)
        else:
            self._on_unrest(at_ticks, changed)
        if self._trains:
            self._review(at_ticks)
            if not network.is_settled:
                self.settle(at_ticks)

    def tell(self, at_ticks: int, net: int, level: Level) -> None:
        """Write down that a net shows another level, and tell it."""
        log = self.log
        shown = level.value
        if level is Level.FLOATING and self.network.state(net).is_contention:
            shown = FIGHT
        log.packed.append(at_ticks << TICK_SHIFT | net << LEVEL_BITS | shown)
        log.cut()
        for call in self._calls[net]:
            call(at_ticks, level)

    def teller(self, net: int, drives: Sequence[Drive]) -> Callable[[int, int], None]:
        """Return what holds a net that is alone as its only driver: ``drives[code]``.

        This is the way of most edges: it goes past ``Network``.
        """
        states, packed, calls = self.network.states, self.log.packed, self._calls[net]
        network, cut, settle = self.network, self.log.cut, self.settle
        levels = [held.level for held in drives]
        bits = [net << LEVEL_BITS | level.value for level in levels]

        def hold(at_ticks: int, code: int) -> None:
            level, before = levels[code], states[net]
            states[net] = drives[code]
            if before.level is level:
                return
            packed.append(at_ticks << TICK_SHIFT | bits[code])
            cut()
            for call in calls:
                call(at_ticks, level)
            if not network.is_settled:
                settle(at_ticks)

        return hold

    # --------------------------------------------------------------------------- PWM
    def pulse(
        self, at_ticks: int, driver: int, net: int, period_ticks: int, high_ticks: int
    ) -> None:
        """Let a driver put PWM on its net from now on; with a period of 0, no more."""
        before = self._trains.pop(driver, None)
        if before is not None:
            before.is_over = True
        if not period_ticks:
            if before is not None:
                self._end(at_ticks, before)
            return
        train = _PulseTrain(driver, net, period_ticks, high_ticks)
        self._trains[driver] = train
        self.settle(at_ticks)
        if before is not None:
            self._silence(at_ticks, before, still=train.followers)

    def is_pulsing(self, driver: int) -> bool:
        """Say whether a driver has PWM on."""
        return driver in self._trains

    def _review(self, at_ticks: int) -> None:
        """Find out again which nets follow which PWM."""
        for train in list(self._trains.values()):
            if train.affected and self.network.is_alone(train.net):
                continue
            followers, affected = self._try_out(train)
            if (followers, affected) != (train.followers, train.affected):
                gone = train.followers - followers
                new = followers - train.followers
                train.followers, train.affected = followers, affected
                for net in gone:
                    self._end_on(at_ticks, net)
                for net in new:
                    self._begin_on(at_ticks, net, train)
                self._plan_edges(at_ticks, train)

    def _try_out(self, train: _PulseTrain) -> tuple[set[int], set[int]]:
        """Return the nets that show what the PWM does, and all that change with it."""
        network = self.network
        island = network.island(train.net)
        shown: list[dict[int, Level]] = []
        for held in (_LOW, _HIGH, network.drive_of(train.driver)):
            network.change(train.driver, held)
            network.settle()
            shown.append({net: network.level(net) for net in island})
        low, high, _ = shown
        affected = {net for net in island if low[net] is not high[net]}
        followers = {
            net for net in affected if low[net] is Level.LOW and high[net] is Level.HIGH
        }
        return followers, affected

    def _begin_on(self, at_ticks: int, net: int, train: _PulseTrain) -> None:
        owners = {owner for owner, _ in self._pwm_calls[net]}
        self._calls[net][:] = [
            it.call for it in self._listeners[net] if it.owner not in owners
        ]
        period_ticks, high_ticks = train.period_ticks, train.high_ticks
        self.log.pwm.append(PwmChange(at_ticks, net, period_ticks, high_ticks))
        for _, call in self._pwm_calls[net]:
            call(at_ticks, period_ticks, high_ticks)

    def _end_on(self, at_ticks: int, net: int) -> None:
        self.log.pwm.append(PwmChange(at_ticks, net, 0, 0))
        # What it shows may be what it showed between pulses, so nothing tells it else.
        level = self.network.level(net)
        bits = net << LEVEL_BITS | level.value
        self.log.packed.append(at_ticks << TICK_SHIFT | bits)
        for _, call in self._pwm_calls[net]:
            call(at_ticks, 0, 0)
        owners = {owner for owner, _ in self._pwm_calls[net]}
        self._calls[net][:] = [it.call for it in self._listeners[net]]
        for it in self._listeners[net]:
            if it.owner in owners:
                it.call(at_ticks, level)

    def _silence(self, at_ticks: int, train: _PulseTrain, *, still: set[int]) -> None:
        for net in train.followers - still:
            self._end_on(at_ticks, net)

    def _end(self, at_ticks: int, train: _PulseTrain) -> None:
        """Let levels be told again, beginning with what the driver shows now."""
        followers, train.followers = train.followers, set()
        self.settle(at_ticks)
        for net in sorted(followers):
            self._end_on(at_ticks, net)
        self.settle(at_ticks)

    def _plan_edges(self, at_ticks: int, train: _PulseTrain) -> None:
        """Make edges of it where somebody has to have them."""
        if train.has_edges:
            return
        if any(self._calls[net] for net in train.affected):
            train.has_edges = True
            self._go_high(train, at_ticks)
        else:
            self.network.change(train.driver, _HIGH)
            self.network.settle()

    def _go_high(self, train: _PulseTrain, at_ticks: int) -> None:
        if train.is_over:
            return
        if train.high_ticks:
            self.network.change(train.driver, _HIGH)
        next_ticks = at_ticks + train.high_ticks
        self._agenda.at(next_ticks, lambda due_ticks: self._go_low(train, due_ticks))

    def _go_low(self, train: _PulseTrain, at_ticks: int) -> None:
        if train.is_over:
            return
        if train.high_ticks < train.period_ticks:
            self.network.change(train.driver, _LOW)
        rest = train.period_ticks - train.high_ticks
        self._agenda.at(
            at_ticks + rest, lambda due_ticks: self._go_high(train, due_ticks)
        )
