"""What ends a stretch of time before its end: a level on a net, or words on a UART."""

from __future__ import annotations

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

    They are ``("level", net, level)`` and ``("said", uart, bytes)``.
    """

    def __init__(
        self, machine: AvrMachine, live: LiveCircuit, uarts: list[Usart]
    ) -> None:
        self._machine, self._live, self._uarts = machine, live, uarts
        self._stops: list[tuple[Any, ...]] = []
        self._stays = False
        self._met: tuple[int, int, bool] | None = None
        self._heard: set[int] = set()

    def set(self, stops: list[tuple[Any, ...]], *, stay: bool) -> None:
        """Look out for them from now on, until one is met; with ``stay`` go on then."""
        self._stops, self._stays = stops, stay
        self._met = None
        for uart in self._uarts:
            uart.look_for(())
        self._leave(kept={number for kind, number, _ in stops if kind == "level"})
        for kind, number, _ in stops:
            if kind == "level" and number not in self._heard:
                self._heard.add(number)
                self._hear(number)
            elif kind == "said":
                said = [each[2] for each in stops if each[:2] == (kind, number)]
                uart = self._uarts[int(number)]
                uart.look_for(said, self._on_said(number))

    @property
    def has_stopped(self) -> bool:
        """Whether one has been met that ends the stretch."""
        return self._met is not None and not self._stays

    def take(self) -> tuple[int, int, bool] | None:
        """Return which one was met, when, and whether time went on; once."""
        met, self._met = self._met, None
        return met

    def _hear(self, net: int) -> None:
        def on_level(at_ticks: int, level: Level) -> None:
            self._meet(("level", net, level.value), at_ticks)

        now = self._machine.avr.cycle
        self._live.nets.on_level(net, self, on_level, now)
        # If PWM moves it, there are edges from now on.
        self._live.nets.settle(now)

    def _leave(self, *, kept: AbstractSet[int]) -> None:
        for net in sorted(self._heard - kept):
            self._live.nets.off_level(net, self)
        self._heard &= kept

    def _on_said(self, uart: int) -> Callable[[int, bytes], None]:
        def on_said(cycle: int, sought: bytes) -> None:
            self._meet(("said", uart, sought), cycle)

        return on_said

    def _meet(self, stop: tuple[Any, ...], cycle: int) -> None:
        if stop not in self._stops:
            return
        self._met = self._stops.index(stop), cycle, self._stays
        self._stops = []
        if not self._stays:
            self._machine.stop_now()
