"""One simulation: a board in its circuit, how far it has come, and when it stops."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_embedbench.contracts import RunsOn
from pytest_embedbench.errors import FirmwareFault, FirmwareReset, FirmwareStuck
from pytest_embedbench.model import Level
from pytest_embedbench.wiring.stops import PinBecomes, Stop, TimeReaches
from pytest_embedbench.wokwi.messages import Event
from pytest_embedbench.wokwi.names import EventName
from pytest_embedbench.wokwi_server.pause_points import PausePoint, first_moment_ns
from pytest_embedbench.wokwi_server.pin_states import pin_state

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from pytest_embedbench.contracts import Board, BoardCircuit
    from pytest_embedbench.wiring.diagram import Endpoint
    from pytest_embedbench.wiring.stops import StopMet

_NS_PER_MS = 1_000_000


class ServedSimulation:
    """A board that is run in steps, each up to the next thing that a client wants.

    ``now_ns`` is simulated time since boot; ``is_running`` says whether ``step`` lets
    any pass.
    """

    def __init__(self, board: Board, circuit: BoardCircuit) -> None:
        self.board, self.circuit = board, circuit
        self.now_ns = 0
        self.is_running = False
        self.hears_serial = False
        self.points: dict[str, PausePoint] = {}
        self._ends_ns: int | None = None
        self.listened: dict[Endpoint, Level] = {}
        self._has_ended = False

    @property
    def has_end(self) -> bool:
        """Whether it is known when it will stand still again, at the latest."""
        return first_moment_ns(self._stops()) is not None

    def resume(self, pause_after_ns: int | None = None) -> None:
        """Let time pass, for so long or until something stops it."""
        self.is_running = True
        if pause_after_ns is not None:
            self._ends_ns = self.now_ns + pause_after_ns

    def pause(self) -> Event:
        """Let it stand still."""
        self.is_running, self._ends_ns = False, None
        return self._event(EventName.PAUSE, {})

    def listen(self, pin: Endpoint, *, wanted: bool) -> None:
        """Tell changes of a pin from now on, or no more.

        Raises:
            UnknownName: there is no such part, or no such pin.
        """
        level = self.circuit.level(pin)
        if wanted:
            self.listened[pin] = level
        else:
            self.listened.pop(pin, None)

    def step(self, most_ms: int) -> Iterator[Event]:
        """Let time pass up to the next stop, and so much at most; yield what happened.

        Raises:
            FirmwareFault: the firmware has crashed; what it did before has been told.
            BoardLost: the simulator is gone.
        """
        met, fault = self._advance(most_ms)
        yield from self._said()
        yield from self._changed()
        if fault is not None:
            self.is_running = False
            raise fault
        yield from self._stopped([it.stop for it in met])

    # ------------------------------------------------------------------------ inside
    def _stops(self) -> list[Stop]:
        stops: list[Stop] = [it.stop for it in self.points.values()]
        if self._ends_ns is not None:
            stops.append(TimeReaches(self._ends_ns))
        return stops

    def _advance(self, most_ms: int) -> tuple[list[StopMet], FirmwareFault | None]:
        stops = self._stops()
        first_ns = first_moment_ns(stops)
        if first_ns is not None:
            left_ns = max(0, first_ns - self.now_ns)
            most_ms = min(most_ms, 1 + left_ns // _NS_PER_MS)
        if self._has_ended:
            ends_ns = self.now_ns + most_ms * _NS_PER_MS
            self.now_ns = ends_ns if first_ns is None else min(first_ns, ends_ns)
            return [], None
        edges = [PinBecomes(pin, level) for pin in self.listened for level in Level]
        self.circuit.look_out([*stops, *edges])
        fault = self._run(most_ms)
        met: list[StopMet] = []
        while (each := self.circuit.take_met()) is not None:
            met.append(each)
        came_ns = self.board.now_us() * 1000
        self.now_ns = max([self.now_ns, came_ns, *(it.at_ns for it in met)])
        return met, fault

    def _run(self, most_ms: int) -> FirmwareFault | None:
        """Return what is wrong; who restarts goes on, and who has ended stays so."""
        try:
            self.board.advance(most_ms)
        except FirmwareReset as fault:
            if not isinstance(self.board, RunsOn):
                return fault
            self.board.run_on()
        except FirmwareStuck:
            self._has_ended = True
        except FirmwareFault as fault:
            return fault
        return None

    def _said(self) -> Iterator[Event]:
        for at_us, data in self.board.link().receive():
            if self.hears_serial:
                at_ns = min(at_us * 1000, self.now_ns)
                said = {"bytes": list(data)}
                yield self._event(EventName.SERIAL_DATA, said, at_ns)

    def _changed(self) -> Iterator[Event]:
        for pin, before in self.listened.items():
            level = self.circuit.level(pin)
            if level is not before:
                self.listened[pin] = level
                state = {"part": pin.part, **pin_state(self.circuit, pin)}
                yield self._event(EventName.PIN_CHANGE, state)

    def _stopped(self, met: list[Stop]) -> Iterator[Event]:
        def is_met(stop: Stop) -> bool:
            passed = isinstance(stop, TimeReaches) and stop.at_ns <= self.now_ns
            return passed or stop in met

        points = [it for it in self.points.values() if is_met(it.stop)]
        has_come = self._ends_ns is not None and self._ends_ns <= self.now_ns
        if not points and not has_come:
            return
        self.is_running, self._ends_ns = False, None
        for point in points:
            del self.points[point.id]
            yield self._event(EventName.PAUSE, point.about())
        if not points:
            yield self._event(EventName.PAUSE, {})

    def _event(
        self, name: EventName, payload: Mapping[str, Any], at_ns: int | None = None
    ) -> Event:
        return Event(
            event=name.value,
            payload=payload,
            nanos=self.now_ns if at_ns is None else at_ns,
            paused=not self.is_running,
        )
