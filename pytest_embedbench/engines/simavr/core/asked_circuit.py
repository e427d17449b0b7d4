"""The circuit of a board, as the bench commands and asks it."""

from __future__ import annotations

from pytest_embedbench.engines.simavr.core.circuit import AvrCircuit
from pytest_embedbench.engines.simavr.core.layout import CannotBeWired
from pytest_embedbench.engines.simavr.core.mcus import TWCR
from pytest_embedbench.engines.simavr.core.stops import Stops, is_of_a_level
from pytest_embedbench.errors import EmbedbenchError
from pytest_embedbench.parts.part_files import PartFile, all_parts
from pytest_embedbench.wiring.reading import read_diagram

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pytest_embedbench.engines.simavr.core.avr_in_child import AvrInChild

_TWEN = 0x04


class AskedCircuit:
    """A circuit, and what has been asked of it since the last report."""

    def __init__(
        self,
        board: AvrInChild,
        text: str,
        file: str,
        pins: dict[str, str],
        channels: dict[str, int],
        part_files: list[tuple[str, str, str]],
    ) -> None:
        parts = all_parts(PartFile(*it) for it in part_files)
        machine = self._machine = board.machine
        diagram, _ = read_diagram(text, file)
        try:
            self.avr = AvrCircuit(
                machine,
                board.ports,
                pins=pins,
                channels=channels,
                diagram=diagram,
                catalogue=parts.catalogue,
                models=parts.models,
            )
        except EmbedbenchError as error:
            raise CannotBeWired(f"{file}: {error}") from error
        self.avr.connect(board.adc, board.spi, board.twi)
        self._stops = Stops(machine, self.avr.live, board.uarts)
        self._replies: list[Any] = []
        self._told_findings = 0

    @property
    def has_stopped(self) -> bool:
        """Whether a stop has ended the stretch that is to be reported."""
        return self._stops.has_stopped

    def obey(self, command: tuple[Any, ...]) -> None:  # noqa: PLR0912  # a table
        """Do, or answer, what the bench wants of a circuit."""
        live, now = self.avr.live, self._machine.avr.cycle
        match command:
            case ("control", part, name, value):
                self._replies.append(self._refused(part, name, value))
            case ("put_file", part, path, content):
                self._replies.append(self._not_put(part, path, content))
            case ("observe", part, name):
                self._replies.append(live.observe(now, part, name))
            case ("drive", port):
                self._replies.append(self.avr.drive_code(port))
            case ("level", net):
                self.avr.look_at(net)
                self._replies.append(live.level(now, net).value)
            case ("voltage", net):
                self._replies.append(live.voltage_mv(now, net))
            case ("bytes",):
                self._replies.append(bool(self._machine.data[TWCR] & _TWEN))
            case ("log",):
                live.buses.catch_up()
                log = live.nets.log
                pwm = [tuple(it) for it in log.pwm]
                self._replies.append((*log.all(), pwm, log.bus.tobytes(), now))
            case ("stop_at", bool(stay), *stops):
                for _, net, _ in filter(is_of_a_level, stops):
                    self.avr.look_at(net)
                self._stops.set(stops, stay=stay)
            case _:
                raise ValueError(command)

    def _refused(self, part: str, name: str, value: float) -> str:
        """Set a control; return why it cannot be, if it cannot."""
        try:
            self.avr.live.control(self._machine.avr.cycle, part, name, value)
        except EmbedbenchError as error:
            return str(error)
        return ""

    def _not_put(self, part: str, path: str, content: bytes) -> str:
        """Put a file on a part; return why it cannot be, if it cannot."""
        try:
            self.avr.live.put_file(part, path, content)
        except EmbedbenchError as error:
            return str(error)
        return ""

    def report(self) -> tuple[Any, ...]:
        """Return answers, which stop was met, and findings, if there are any."""
        findings = self.avr.live.findings[self._told_findings :]
        self._told_findings += len(findings)
        replies, self._replies = self._replies, []
        met = self._stops.take()
        if not replies and not met and not findings:
            return ()
        return replies, met, [tuple(it) for it in findings]
