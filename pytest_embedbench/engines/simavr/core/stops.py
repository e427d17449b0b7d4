"""What ends a stretch of time early: a level on a net, words on a UART, a moment."""

from __future__ import annotations

from pytest_embedbench.engines.simavr.core import layout

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Set as AbstractSet
    from typing import Any

    from pytest_embedbench.engines.simavr.core.machine import AvrMachine
    from pytest_embedbench.engines.simavr.core.uart import Usart
    from pytest_embedbench.pins import Level
    from pytest_embedbench.wiring.live_circuit import LiveCircuit


class Stops:
    """The stops of one stretch; the first that is met ends it at that instruction.

    They are ``("level", net, level)``, ``("said", uart, bytes)``, and
    ``("time", cycle, ns)``, of which the last is what was asked for.
    """

    def __init__(
        self, machine: AvrMachine, live: LiveCircuit, uarts: list[Usart]
    ) -> None:
        self._machine, self._live, self._uarts = machine, live, uarts
        self._stops: list[tuple[Any, ...]] = []
        self._stays = False
        self._met: list[tuple[int, int, bool]] = []
        self._heard: set[int] = set()
        self._timer = machine.keep(layout.CycleTimer(self._on_due))
        machine.going_on.add(self._timer)
        machine.revive.append(self._plan)

    def set(self, stops: list[tuple[Any, ...]], *, stay: bool) -> None:
        """Look out for them from now on, until one is met; with ``stay`` go on then."""
        self._stops, self._stays = stops, stay
        self._met = []
        for index, uart in enumerate(self._uarts):
            said = [each[2] for each in stops if each[:2] == ("said", index)]
            uart.look_for(said, self._on_said(index))
        self._hear({each[1] for each in filter(is_of_a_level, stops)})
        self._plan()

    @property
    def has_stopped(self) -> bool:
        """Whether one has been met that ends the stretch."""
        return bool(self._met) and not self._stays

    def take(self) -> list[tuple[int, int, bool]]:
        """Return which were met, when, and whether time went on; once."""
        met = self._met
        if met:
            self._met, self._stops = [], []
        return met

    def _hear(self, nets: AbstractSet[int]) -> None:
        now = self._machine.avr.cycle
        for net in sorted(self._heard - nets):
            self._live.nets.off_level(net, self)
        for net in sorted(nets - self._heard):
            self._live.nets.on_level(net, self, self._on_level(net), now)
        if nets - self._heard:  # if PWM moves one, there are edges from now on
            self._live.nets.settle(now)
        self._heard = {*nets}

    def _on_level(self, net: int) -> Callable[[int, Level], None]:
        def on_level(at_ticks: int, level: Level) -> None:
            self._meet(("level", net, level.value), at_ticks)

        return on_level

    def _on_said(self, uart: int) -> Callable[[int, bytes], None]:
        def on_said(cycle: int, sought: bytes) -> None:
            self._meet(("said", uart, sought), cycle)

        return on_said

    def _plan(self) -> None:
        """Come back at the next moment; what has passed already is met now."""
        now = self._machine.avr.cycle
        moments = [each[1] for each in self._stops if each[0] == "time"]
        if any(cycle <= now for cycle in moments):
            self._on_due(0, now, 0)
        elif moments:
            self._machine.at(min(moments), self._timer)

    def _on_due(self, _avr: int, when: int, _param: int) -> int:
        for stop in self._stops[:]:
            if stop[0] == "time" and stop[1] <= when:
                self._meet(stop, when)
        return 0

    def _meet(self, stop: tuple[Any, ...], cycle: int) -> None:
        if stop not in self._stops:
            return
        is_first = not self._met
        met = (self._stops.index(stop), cycle, self._stays)
        if is_first or met not in self._met:
            self._met.append(met)
        if self._stays:
            self._stops = []
        elif is_first:
            self._machine.stop_now()


def is_of_a_level(stop: tuple[Any, ...]) -> bool:
    """Say whether a stop is one of a net."""
    return bool(stop[0] == "level")
