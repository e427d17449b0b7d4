"""A board that a service simulates: our side of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_embedbench.engines.wokwi.circuit import WokwiCircuit
from pytest_embedbench.engines.wokwi.link import WokwiLink
from pytest_embedbench.errors import BoardLost, ConfigError
from pytest_embedbench.model import PinEvent, PinTrace
from pytest_embedbench.support.validation import whole_ms

if TYPE_CHECKING:
    from pytest_embedbench.engines.wokwi.drawing import ServiceDrawing
    from pytest_embedbench.engines.wokwi.simulation import Simulation
    from pytest_embedbench.model import BoardSpec
    from pytest_embedbench.wiring.diagram import Endpoint


class WokwiBoard:
    """A running firmware at a service; made by ``Wokwi.boot``.

    It stands still but for ``advance``. What is done to it is done where time goes on.
    """

    virtual_time = True

    def __init__(
        self, spec: BoardSpec, simulation: Simulation, drawing: ServiceDrawing
    ) -> None:
        self._spec, self._simulation = spec, simulation
        self._board_part = drawing.board
        self._link = WokwiLink(self)
        self._circuit = WokwiCircuit(self, simulation, drawing)
        self._now_ns = 0
        self._closed = False

    def __repr__(self) -> str:
        return f"<WokwiBoard {self.spec.name} at {self.now_us() / 1e6:.6f} s>"

    @property
    def spec(self) -> BoardSpec:
        """The datasheet it was booted from."""
        return self._spec

    @property
    def circuit(self) -> WokwiCircuit:
        """What is around it."""
        return self._circuit

    @property
    def notes(self) -> tuple[str, ...]:
        """What the service warns of, and what custom chips say."""
        return tuple(self._simulation.notes)

    def link(self, uart: str = "") -> WokwiLink:
        """Return the link of the one UART."""
        name = self._spec.uarts[0].name
        if uart not in ("", name):
            raise ConfigError(
                f"{self._spec.name} has no UART {uart!r}; it has: {name}, for there is "
                "one serial monitor"
            )
        return self._link

    def now_us(self) -> int:
        """Return simulated time since boot."""
        return self._now_us

    @property
    def _now_us(self) -> int:
        return self._now_ns // 1_000

    def advance(self, duration_ms: int) -> None:
        """Let the firmware run for ``duration_ms``, or up to what is looked out for.

        Raises:
            ServiceFault: the service is silent, refuses, or breaks off.
        """
        ends_us = self._now_us + whole_ms("duration_ms", duration_ms) * 1_000
        self.check_open()
        is_met = False
        try:
            while self._now_us < ends_us and not is_met:
                until_ns = self._circuit.ends_ns(self._now_ns, ends_us * 1_000)
                point = self._simulation.run_until(until_ns)
                here_ns = self._simulation.now_ns
                self._now_ns = min(until_ns, here_ns) if point else until_ns
                is_met = self._circuit.take(point, self._now_ns)
        finally:
            self._take_heard()

    def reset(self) -> None:
        """Begin anew with the same firmware; time goes on, and parts begin anew too."""
        self.check_open()
        self._simulation.restart()
        self._take_heard()

    def write(self, data: bytes) -> None:
        """Send bytes to the firmware where time goes on."""
        self.check_open()
        if data:
            self._simulation.write(data)

    def check_open(self) -> None:
        """Raise ``BoardLost`` if it has been closed."""
        if self._closed:
            raise BoardLost(f"{self._spec.name} has been closed")

    def close(self) -> None:
        """End the session; what was said stays readable."""
        if not self._closed:
            self._closed = True
            self._simulation.close()

    def _take_heard(self) -> None:
        heard, self._simulation.heard = self._simulation.heard, []
        for at_ns, data in heard:
            self._link.hear(min(at_ns // 1_000, self._now_us), data)


class ListeningWokwiBoard(WokwiBoard):
    """One whose option ``listen`` names pins."""

    def pin_trace(self) -> PinTrace:
        """Return every change of those pins since boot.

        The board's own are called as on the board, others ``part:pin``.
        """
        events = [
            PinEvent(min(at_ns // 1_000, self._now_us), self._called(pin), level)
            for at_ns, pin, level in self._circuit.kept
        ]
        return PinTrace(tuple(events))

    def _called(self, pin: Endpoint) -> str:
        return pin.pin if pin.part == self._board_part else str(pin)
