"""The circuit around a board at a service: what the protocol lets us do and see."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from pytest_embedbench.engines.wokwi.awaited import AwaitedStops
from pytest_embedbench.engines.wokwi.client import told_of
from pytest_embedbench.engines.wokwi.readings import level_in, voltage_mv_in
from pytest_embedbench.errors import ConfigError, NotSupported, UnknownName
from pytest_embedbench.installed_parts import installed_catalogue
from pytest_embedbench.model import Level
from pytest_embedbench.wiring.part_type import NamedBy
from pytest_embedbench.wiring.placed_part import check_control
from pytest_embedbench.wiring.stops import PinBecomes, Stop, StopMet, UartSays
from pytest_embedbench.wokwi.messages import ErrorResponse
from pytest_embedbench.wokwi.names import CommandName

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pytest_embedbench.engines.wokwi.board import WokwiBoard
    from pytest_embedbench.engines.wokwi.client import Answer
    from pytest_embedbench.engines.wokwi.drawing import ServiceDrawing
    from pytest_embedbench.engines.wokwi.simulation import PinChange, Simulation
    from pytest_embedbench.wiring.diagram import Diagram, Endpoint
    from pytest_embedbench.wiring.part_model import Reading
    from pytest_embedbench.wiring.part_type import PartType
    from pytest_embedbench.wiring.waves import CircuitRecord
    from pytest_embedbench.wokwi.fields import Fields

_SHOWS = (
    "Wokwi's protocol shows levels of pins, voltages, pictures of displays, and the "
    "waves of a logic analyzer"
)


class WokwiCircuit:
    """See ``BoardCircuit``; pictures, touches and a logic analyzer's waves are here."""

    def __init__(
        self, board: WokwiBoard, simulation: Simulation, drawing: ServiceDrawing
    ) -> None:
        self._board, self._simulation = board, simulation
        self._diagram = drawing.diagram
        types = installed_catalogue().types
        self._kinds = {part.id: types.get(part.type) for part in self._diagram.parts}
        self._awaited = AwaitedStops()
        self._always: set[Endpoint] = set()
        self.kept: list[PinChange] = []
        """Changes of pins that are listened to all the time."""

    def __repr__(self) -> str:
        parts = len(self._diagram.parts)
        return f"<circuit of {self._board.spec.name} and {parts - 1} parts>"

    @property
    def diagram(self) -> Diagram:
        """How it is drawn."""
        return self._diagram

    def control(self, part: str, name: str, value: float) -> None:
        """See ``BoardCircuit``; of types that are not known here the server judges."""
        self.check_control(part, name)
        kind = self._kind(part)
        if kind is not None and name in kind.controls:
            check_control(part, kind, name, value)
        asked = {"part": part, "control": name, "value": float(value)}
        self._insist(part, CommandName.CONTROL_SET, asked)

    def check_control(self, part: str, name: str) -> None:
        """See ``BoardCircuit``; where no control is known the server judges."""
        kind = self._kind(part)
        if kind is None or not kind.controls:
            return
        if name not in kind.controls:
            raise UnknownName(f"control of {kind.name}", name, kind.controls)
        if kind.controls[name].named_by is NamedBy.US:
            raise ConfigError(
                f"{part}: {name} is a control of {kind.name} that Wokwi's cloud does "
                "not have; let the board run here: "
                "--embedbench-option=wokwi.backend=local"
            )

    def observe(self, part: str, name: str) -> Reading:
        """Say that the protocol does not show it."""
        self._kind(part)
        self._refuse(f"{name} of {part} is not to be seen")

    def level(self, pin: Endpoint) -> Level:
        """See ``BoardCircuit``; what floats has a level there, too."""
        fields = self._read(pin)
        return self._simulation.judged(lambda: level_in(fields))

    def voltage_mv(self, pin: Endpoint) -> float:
        """See ``BoardCircuit``.

        Raises:
            NotSupported: the server does not tell voltages.
        """
        fields = self._read(pin)
        voltage_mv = self._simulation.judged(lambda: voltage_mv_in(fields))
        if voltage_mv is None:
            self._refuse(f"{pin}: its server tells no voltage")
        return voltage_mv

    def record(self) -> CircuitRecord:
        """Say that what nets did is not kept."""
        self._refuse("nobody keeps what nets did")

    def framebuffer_png(self, part: str) -> bytes:
        """Return the picture that a display shows now.

        Raises:
            UnknownName: there is no such part.
            ConfigError: it has none.
        """
        self._kind(part)
        fields = self._insist(part, CommandName.FRAMEBUFFER_READ, {"id": part})
        return self._simulation.judged(lambda: fields.base64("png"))

    def touch(
        self, part: str, event: str, *, x: float, y: float, lasts_ns: int | None = None
    ) -> None:
        """Touch a screen: ``press`` (for so long), ``move`` or ``release``.

        Raises:
            UnknownName: there is no such part.
            ConfigError: it cannot be touched.
        """
        self._kind(part)
        asked = {"part": part, "x": x, "y": y, "event": event}
        lasts = {} if lasts_ns is None else {"releaseAfter": lasts_ns}
        self._insist(part, CommandName.TOUCH, {**asked, **lasts})

    def analyzer_vcd(self) -> str:
        """Return what the logic analyzer of the diagram has seen, as a VCD.

        Raises:
            ConfigError: there is none.
        """
        fields = self._insist("the logic analyzer", CommandName.READ_VCD, {})
        return self._simulation.judged(lambda: fields.text("vcd"))

    def look_out(self, stops: Sequence[Stop], *, stay: bool = False) -> None:
        """See ``BoardCircuit``; for a pin, time ends within a millisecond."""
        self._board.check_open()
        awaited = self._awaited
        points = {it: stop for it, stop in awaited.points.items() if stop in stops}
        for point in awaited.points.keys() - points.keys():
            self._simulation.remove_point(point)
        old = {it.pin for it in awaited.pins()} - self._always
        awaited.look_out((), points, stay=stay)
        new = self._pins_of(stops)
        for pin in old - new:
            self._listen(pin, listen=False)
        for pin in new - old:
            self._listen(pin, listen=True)
        for stop in stops:
            if isinstance(stop, UartSays) and stop not in points.values():
                points[self._point_for(stop)] = stop
        awaited.look_out(stops, points, stay=stay)

    def take_met(self) -> StopMet | None:
        """See ``BoardCircuit``."""
        return self._awaited.take_met()

    # ------------------------------------------------------------- called by the board
    def keep(self, pin: Endpoint) -> None:
        """Listen to a pin all the time."""
        self._listen(pin, listen=True)
        self._always.add(pin)

    def ends_ns(self, now_ns: int, ends_ns: int) -> int:
        """Return how far time may go at once."""
        return self._awaited.ends_ns(now_ns, ends_ns)

    def take(self, point: str, now_ns: int) -> bool:
        """Take what has come of a stretch of time; say whether time ends here."""
        changes, self._simulation.changes = self._simulation.changes, []
        self.kept += [it for it in changes if it.pin in self._always]
        return self._awaited.take(changes, point, now_ns)

    def _pins_of(self, stops: Sequence[Stop]) -> set[Endpoint]:
        """Return the pins that have to be listened to for ``stops``."""
        pins: set[Endpoint] = set()
        for stop in stops:
            if isinstance(stop, PinBecomes):
                if stop.level is Level.FLOATING:
                    self._refuse(f"{stop.pin}: no pin is told to float")
                pins.add(stop.pin)
        return pins - self._always

    def _point_for(self, stop: UartSays) -> str:
        self._board.link(stop.uart)
        point, answer = self._simulation.add_point(stop.data)
        self._granted("a wait for words", CommandName.PAUSE_POINT_ADD, answer)
        return point

    def _listen(self, pin: Endpoint, *, listen: bool) -> None:
        self._check_pin(pin)
        asked = {"part": pin.part, "pin": pin.pin, "listen": listen}
        self._insist(str(pin), CommandName.PIN_LISTEN, asked)

    def _read(self, pin: Endpoint) -> Fields:
        self._check_pin(pin)
        asked = {"part": pin.part, "pin": pin.pin}
        return self._insist(str(pin), CommandName.PIN_READ, asked)

    def _insist(
        self, about: str, name: CommandName, params: Mapping[str, object]
    ) -> Fields:
        self._board.check_open()
        return self._granted(about, name, self._simulation.ask(name, params))

    def _granted(self, about: str, name: CommandName, answer: Answer) -> Fields:
        if isinstance(answer, ErrorResponse):
            raise ConfigError(f"{about}: the server refuses {name}: {told_of(answer)}")
        return answer.fields()

    def _check_pin(self, pin: Endpoint) -> None:
        kind = self._kind(pin.part)
        attrs = {part.id: part.attrs for part in self._diagram.parts}[pin.part]
        if kind is not None and kind.pin_named(pin.pin, attrs) is None:
            known = kind.pins_with(attrs)
            raise UnknownName(f"pin of {kind.name}", pin.pin, known)

    def _kind(self, part: str) -> PartType | None:
        if part not in self._kinds:
            raise UnknownName("part of the circuit", part, self._kinds)
        return self._kinds[part]

    def _refuse(self, what: str) -> NoReturn:
        raise NotSupported(f"{self._board.spec.name}: {what}: {_SHOWS}")
