"""Nets while a circuit runs: who hears of them, and what they did."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pytest_embedbench.pins import Level
from pytest_embedbench.wiring.drives import LEVEL_OF
from pytest_embedbench.wiring.live_pwm import LivePwm
from pytest_embedbench.wiring.net_log import (
    FIGHT,
    LEVEL_BITS,
    MOST_CHANGES,
    TICK_SHIFT,
    NetLog,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Hashable, Sequence

    from pytest_embedbench.wiring.agenda import Agenda
    from pytest_embedbench.wiring.drives import Drive
    from pytest_embedbench.wiring.levels import Network

    LevelCall = Callable[[int, Level], None]

_MOST_ROUNDS = 1000


def _nothing() -> None:
    """Nobody wants to know."""


class _Listener(NamedTuple):
    owner: Hashable
    call: LevelCall


class LiveNets:
    """Nets, and everybody who wants to hear of them.

    Two phases make a moment: all hear what changed, then what they did about it is
    applied, until nothing changes any more. ``on_fight`` is called for a net on which
    outputs work against each other at the end of a moment, ``on_unrest`` if there is
    no end of it.
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
        self.on_fight, self._on_unrest = on_fight, on_unrest
        self.now_ticks = 0
        """The moment that is being told of, or was last."""
        self.on_ears: Callable[[], None] = _nothing
        """Called whenever somebody has begun or ceased to listen."""
        self._listeners: list[list[_Listener]] = [[] for _ in range(nets)]
        # Those who hear of levels now: with PWM on, not those who are told of that.
        self._calls: list[list[LevelCall]] = [[] for _ in range(nets)]
        self.rank = list(range(nets))
        """In which order nets are told of in a moment."""
        self.pwm = LivePwm(self, agenda, nets)

    # --------------------------------------------------------------------- listening
    def on_level(
        self, net: int, owner: Hashable, call: LevelCall, at_ticks: int = 0
    ) -> None:
        """Have changes of a net told to somebody, by a name of his own."""
        self._listeners[net].append(_Listener(owner, call))
        if not self.pwm.is_told(net, owner):
            self._calls[net].append(call)
            self.pwm.make_edges(at_ticks, net)
        self.on_ears()

    def off_level(self, net: int, owner: Hashable) -> None:
        """Tell somebody nothing more of a net."""
        for it in [it for it in self._listeners[net] if it.owner == owner]:
            self._listeners[net].remove(it)
            if it.call in self._calls[net]:
                self._calls[net].remove(it.call)
        self.pwm.leave_edges(net)
        self.on_ears()

    def is_heard(self, net: int, *, besides: Collection[Hashable] = ()) -> bool:
        """Say whether anybody hears of a net, some owners left out."""
        owners = {it.owner for it in self._listeners[net]} | self.pwm.owners(net)
        return not owners <= set(besides)

    def has_calls(self, net: int) -> bool:
        """Say whether anybody is told levels of a net now."""
        return bool(self._calls[net])

    def mute(self, net: int, owners: Collection[Hashable]) -> None:
        """Tell some owners no levels of a net for a while."""
        told = [it.call for it in self._listeners[net] if it.owner not in owners]
        self._calls[net][:] = told

    def unmute(self, at_ticks: int, net: int, owners: Collection[Hashable]) -> None:
        """Tell all the levels of a net again, some owners what it shows now."""
        level = self.network.level(net)
        self._write(at_ticks, net, level)
        self._calls[net][:] = [it.call for it in self._listeners[net]]
        for it in self._listeners[net]:
            if it.owner in owners:
                it.call(at_ticks, level)

    # ---------------------------------------------------------------------- changing
    def settle(self, at_ticks: int) -> None:
        """Apply what waits, and let all react to it."""
        network = self.network
        changed: Sequence[int] = ()
        for _ in range(_MOST_ROUNDS):
            if network.is_settled:
                if not network.stirred:
                    break
                self.pwm.review(at_ticks)
                continue
            changed = network.settle()
            if len(changed) > 1:
                changed = sorted(changed, key=self.rank.__getitem__)
            for net in changed:
                self.tell(at_ticks, net, network.level(net))
        else:
            self._on_unrest(at_ticks, changed)
        if network.fought:
            fought = sorted(network.fought)
            network.fought.clear()
            for net in fought:
                if network.state(net).is_contention:
                    self.on_fight(at_ticks, net)

    def tell(self, at_ticks: int, net: int, level: Level) -> None:
        """Write down that a net shows another level, and tell it."""
        self.now_ticks = at_ticks
        self._write(at_ticks, net, level)
        for call in self._calls[net]:
            call(at_ticks, level)

    def level(self, at_ticks: int, net: int) -> Level:
        """Return what a net shows then, in the middle of PWM too."""
        self.pwm.catch_up(at_ticks)
        return self.network.level(net)

    def teller(self, net: int, drives: Sequence[Drive]) -> Callable[[int, int], None]:
        """Return what holds a net that is alone as its only driver: ``drives[code]``.

        This is the way of most edges: it goes past ``Network``.
        """
        states, packed, calls = self.network.states, self.log.packed, self._calls[net]
        cut, settle = self.log.cut, self.settle
        changes, flips = self.network.waiting
        levels = [held.level for held in drives]
        bits = [net << LEVEL_BITS | level.value for level in levels]

        def hold(at_ticks: int, code: int) -> None:
            level, before = levels[code], states[net]
            states[net] = drives[code]
            if LEVEL_OF[before] is level:
                return
            self.now_ticks = at_ticks
            packed.append(at_ticks << TICK_SHIFT | bits[code])
            if len(packed) > MOST_CHANGES:
                cut()
            for call in calls:
                call(at_ticks, level)
            if changes or flips:
                settle(at_ticks)

        return hold

    def _write(self, at_ticks: int, net: int, level: Level) -> None:
        log, shown = self.log, level.value
        if level is Level.FLOATING and self.network.state(net).is_contention:
            shown = FIGHT
        log.packed.append(at_ticks << TICK_SHIFT | net << LEVEL_BITS | shown)
        log.cut()
