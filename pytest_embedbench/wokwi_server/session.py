"""One client from its first frame to its last, in a thread of its own."""

from __future__ import annotations

import enum
from contextlib import ExitStack
from typing import TYPE_CHECKING, Protocol

from pytest_embedbench.clock import host_now_s
from pytest_embedbench.errors import (
    BadFrame,
    BoardLost,
    ConfigError,
    EmbedbenchError,
    FirmwareFault,
    NotSupported,
    UnknownName,
)
from pytest_embedbench.wokwi.messages import (
    Command,
    CommandResponse,
    ErrorResponse,
    FatalError,
    Hello,
    encode,
    parse,
)
from pytest_embedbench.wokwi_server.answers import answer
from pytest_embedbench.wokwi_server.pace import HostPace
from pytest_embedbench.wokwi_server.starting import Started, started
from pytest_embedbench.wokwi_server.uploads import Uploads

if TYPE_CHECKING:
    from pytest_embedbench.bench.registry import Registry
    from pytest_embedbench.wokwi.messages import Frame
    from pytest_embedbench.wokwi_server.pause_points import PausePoint
    from pytest_embedbench.wokwi_server.simulation import ServedSimulation

STEP_MS = 20
"""A running simulation looks for commands so often, in simulated time."""


class ErrorCode(enum.IntEnum):
    """What an error response says is wrong."""

    BAD_REQUEST = 1
    """The frame, or what it asks for, makes no sense."""
    UNKNOWN_NAME = 2
    """There is no such part, pin, control, file or command."""
    NOT_SUPPORTED = 3
    """It cannot be done here."""
    FIRMWARE = 4
    """The firmware cannot be run."""
    FAILED = 5
    """Our side has failed."""


_CODES = (
    (BadFrame, ErrorCode.BAD_REQUEST),
    (UnknownName, ErrorCode.UNKNOWN_NAME),
    (ConfigError, ErrorCode.BAD_REQUEST),
    (NotSupported, ErrorCode.NOT_SUPPORTED),
    (FirmwareFault, ErrorCode.FIRMWARE),
)


class ClientWire(Protocol):
    """A websocket, as far as it is used here."""

    def send(self, message: str) -> None:
        """Send a frame."""
        ...

    def recv(self, timeout: float | None = None) -> str | bytes:
        """Return the next frame; raise ``TimeoutError`` if none has come in time."""
        ...


class ClientSession:
    """What a client has brought, and the simulation that it has, if it has one."""

    def __init__(self, wire: ClientWire, registry: Registry, version: str) -> None:
        self.uploads = Uploads()
        self._wire, self._registry, self._version = wire, registry, version
        self._pace = HostPace()
        self._started: Started | None = None
        self._sections: list[tuple[int, str]] = []
        self._points_ahead: dict[str, PausePoint] = {}
        self._hears_serial = False
        self._opened = ExitStack()

    def run(self) -> None:
        """Serve until the client is gone; the wire's own error says that.

        A simulation that cannot go on ends with a frame that says why.
        """
        self.tell(Hello(app_name="pytest-embedbench", app_version=self._version))
        with self._opened:
            while True:
                simulation = self._running()
                text = self._next_frame(simulation)
                if text is not None:
                    self._take(text)
                elif simulation is not None and not self._step(simulation):
                    return

    # -------------------------------------------------------------- what answers need
    @property
    def started(self) -> Started:
        """The simulation with its circuit.

        Raises:
            ConfigError: none has been started.
        """
        if self._started is None:
            raise ConfigError("no simulation is there: send sim:start first")
        return self._started

    @property
    def simulation(self) -> ServedSimulation:
        """The simulation; raises what ``started`` does."""
        return self.started.simulation

    @property
    def points(self) -> dict[str, PausePoint]:
        """The pause points of the simulation, or of the one that will be started."""
        return self.simulation.points if self._started else self._points_ahead

    @property
    def now_ns(self) -> int:
        """Simulated time since boot; 0 before there is a simulation."""
        return self.simulation.now_ns if self._started else 0

    def tell(self, frame: Frame) -> None:
        """Send a frame."""
        self._wire.send(encode(frame))

    def start(self, sections: list[tuple[int, str]], *, paused: bool) -> None:
        """Begin a simulation, in the place of one that is there."""
        self._end()
        self._started = self._opened.enter_context(
            started(self.uploads, sections, self._registry)
        )
        self._sections = sections
        self.simulation.hears_serial = self._hears_serial
        self.simulation.points, self._points_ahead = self._points_ahead, {}
        if not paused:
            self.resume(None)

    def restart(self, *, paused: bool) -> None:
        """Begin the simulation anew."""
        before = self.simulation
        self.start(self._sections, paused=True)
        for pin in before.listened:
            self.simulation.listen(pin, wanted=True)
        if not paused:
            self.resume(None)

    def resume(self, after_ns: int | None) -> None:
        """Let the simulation run."""
        self.simulation.resume(after_ns)
        self._pace.begin(self.simulation.now_ns, host_now_s())

    def hear_serial(self) -> None:
        """Tell what the firmware says, from now on."""
        self._hears_serial = True
        if self._started is not None:
            self._started.simulation.hears_serial = True

    # ------------------------------------------------------------------------- inside
    def _running(self) -> ServedSimulation | None:
        its = self._started
        return its.simulation if its and its.simulation.is_running else None

    def _next_frame(self, running: ServedSimulation | None) -> str | bytes | None:
        """Return the next frame, or nothing as soon as the simulation has to go on."""
        wait_s = None
        if running is not None:
            ahead_s = self._pace.wait_s(running.now_ns, host_now_s())
            # Who waits for a moment waits no longer than it takes.
            wait_s = 0.0 if running.has_end else ahead_s
        try:
            return self._wire.recv(timeout=wait_s)
        except TimeoutError:
            return None

    def _take(self, text: str | bytes) -> None:
        try:
            frame = parse(text)
        except BadFrame as error:
            self.tell(FatalError(message=str(error)))
            return
        if not isinstance(frame, Command):
            name = type(frame).__name__
            self.tell(FatalError(message=f"a client sends commands, came: {name}"))
            return
        self.tell(self._answered(frame))

    def _answered(self, frame: Command) -> Frame:
        about = {"id": frame.id, "command": frame.command}
        try:
            result = answer(self, frame.command, frame.fields())
        except EmbedbenchError as error:
            found = (code for kind, code in _CODES if isinstance(error, kind))
            code = next(found, ErrorCode.FAILED)
            return ErrorResponse(**about, code=code, message=str(error))
        return CommandResponse(**about, result=result)

    def _step(self, simulation: ServedSimulation) -> bool:
        """Let a moment pass; return whether there will be another."""
        try:
            for event in simulation.step(STEP_MS):
                self.tell(event)
        except (FirmwareFault, BoardLost) as error:
            self.tell(FatalError(message=str(error)))
            return False
        return True

    def _end(self) -> None:
        self._started = None
        self._opened.close()
