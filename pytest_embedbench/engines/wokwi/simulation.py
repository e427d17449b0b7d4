"""A simulation at a service: what is in it, how its time passes, what it tells."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from pytest_embedbench.engines.wokwi.client import ProtocolClient
from pytest_embedbench.engines.wokwi.readings import level_in
from pytest_embedbench.errors import BadFrame
from pytest_embedbench.wiring.diagram import Endpoint
from pytest_embedbench.wokwi.names import CommandName, EventName, PausePointKind

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from pytest_embedbench.engines.wokwi.budget import ServiceBudget
    from pytest_embedbench.engines.wokwi.client import Answer, Asked
    from pytest_embedbench.engines.wokwi.connection import ServiceConnection
    from pytest_embedbench.engines.wokwi.firmware import Upload
    from pytest_embedbench.model import Level
    from pytest_embedbench.wokwi.messages import Event

_T = TypeVar("_T")
_SAME_NS = 1_000
"""Where two moments are one: no chip's clock ends exactly where ours does."""


class PinChange(NamedTuple):
    """That a pin that we listen to shows a level, in ns of our clock."""

    at_ns: int
    pin: Endpoint
    level: Level


class SimulationPause(NamedTuple):
    """That a simulation has paused, in ns of our clock, and at which pause point."""

    at_ns: int
    point: str


class Simulation:
    """A simulation that stands still unless we let it run, and our clock of it.

    Restarts do not set that clock back. Raises ``ServiceFault`` wherever the service
    refuses what has to be, is silent, or breaks off.
    """

    def __init__(self, connection: ServiceConnection, budget: ServiceBudget) -> None:
        self._client = ProtocolClient(connection, budget, self._hear)
        self._base_ns = 0
        self._pause = SimulationPause(0, "")
        self._point_count = 0
        self._to_send: list[Asked] = []
        self.now_ns = 0
        self.heard: list[tuple[int, bytes]] = []
        """What the firmware has said, with when."""
        self.changes: list[PinChange] = []
        self.notes: list[str] = []
        """What the service warns of, and what custom chips say."""

    def start(self, uploads: Iterable[Upload], params: Mapping[str, Any]) -> None:
        """Upload files and start, paused and listened to: nothing said is missed."""
        self._client.greet()
        for upload in uploads:  # one by one, so that a refusal names its file
            asked = (CommandName.FILE_UPLOAD, upload.params())
            self._client.insist(asked, about=f"of {upload.name}")
        started = self._client.insist(
            (CommandName.SERIAL_LISTEN, {}),
            (CommandName.SIM_START, {**params, "pause": True}),
        )[-1]
        self.notes += map(str, started.fields().items("warnings"))

    def write(self, data: bytes) -> None:
        """Send bytes to the firmware where time goes on."""
        self._to_send.append((CommandName.SERIAL_WRITE, {"bytes": list(data)}))

    def run_until(self, ends_ns: int) -> str:
        """Let time pass up to a moment; return the pause point that came before it.

        It is ``""`` if none did. What pauses without being ours is run over.
        """
        while self.now_ns < ends_ns - _SAME_NS:
            if point := self._run(ends_ns - self.now_ns):
                return point
        return ""

    def restart(self) -> None:
        """Begin anew with the same files, paused; our clock goes on."""
        self._client.insist((CommandName.SIM_RESTART, {"pause": True}))
        (status,) = self._client.insist((CommandName.SIM_STATUS, {}))
        self._base_ns = self.now_ns - status.fields().whole("nanos", 0)

    def add_point(self, said: bytes) -> tuple[str, Answer]:
        """Have time end right behind bytes of the firmware.

        Return the name of the pause point, and the answer.
        """
        self._point_count += 1
        name = f"said{self._point_count}"
        params = {"id": name, "type": PausePointKind.SERIAL_BYTES, "bytes": list(said)}
        return name, self.ask(CommandName.PAUSE_POINT_ADD, params)

    def remove_point(self, name: str) -> None:
        """Have time end there no more; one that was met may be gone already."""
        self.ask(CommandName.PAUSE_POINT_REMOVE, {"id": name})

    def ask(self, name: CommandName, params: Mapping[str, Any]) -> Answer:
        """Return the answer to a command, which may be an error."""
        (answer,) = self._client.ask((name, params))
        return answer

    def judged(self, read: Callable[[], _T]) -> _T:
        """Return what ``read`` makes of an answer; garbage ends the session."""
        try:
            return read()
        except BadFrame as garbage:
            raise self._client.garbled(str(garbage)) from None

    def close(self) -> None:
        """Let go of it; safe to call twice."""
        self._client.close()

    def _run(self, lasts_ns: int) -> str:
        """Let time pass until it pauses; return at which pause point, if at one."""
        begins_ns = self.now_ns
        asked, self._to_send = self._to_send, []
        resume = (CommandName.SIM_RESUME, {"pauseAfter": lasts_ns})
        self._client.insist(*asked, resume)

        def has_ended() -> bool:  # events of an earlier pause may be late
            return self._pause.at_ns > begins_ns

        awaited = f"{lasts_ns / 1e6:g} ms were simulated"
        self._client.wait_for(has_ended, awaited, self._client.budget.run_s(lasts_ns))
        return self._pause.point

    def _hear(self, event: Event) -> None:
        at_ns, fields = event.nanos + self._base_ns, event.fields()
        self.now_ns = max(self.now_ns, at_ns)
        if event.event == EventName.SERIAL_DATA:
            self.heard.append((at_ns, fields.octets("bytes")))
        elif event.event == EventName.PIN_CHANGE:
            pin = Endpoint(fields.text("part"), fields.text("pin"))
            self.changes.append(PinChange(at_ns, pin, level_in(fields)))
        elif event.event == EventName.PAUSE:
            self._pause = SimulationPause(at_ns, fields.text("pausePoint", ""))
        elif event.event == EventName.CHIPS_LOG:
            chip, message = fields.text("chip", "a chip"), fields.text("message", "")
            self.notes.append(f"{chip}: {message}")
