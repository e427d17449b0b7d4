"""What is between a plant and a board whose circuit it senses and acts through."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pytest_embedbench.bench.under_test import under_test
from pytest_embedbench.errors import ConfigError
from pytest_embedbench.model import Direction, Line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_embedbench.bench.plant_pins import ActsBy, PlantPins, SensedBy
    from pytest_embedbench.bench.recorder import Recorder
    from pytest_embedbench.contracts import BoardCircuit


@dataclass(slots=True)
class PinPort:
    """See ``PlantPort``; what is not among the pins goes over the UART as ever.

    Raises:
        BoardLacks: the board stands in no circuit.
        UnknownName: there is no such part, control or observable.
        ConfigError: what is seen of a part is no number.
    """

    recorder: Recorder
    pins: PlantPins
    _circuit: BoardCircuit = field(init=False)
    _given: dict[str, float] = field(default_factory=dict[str, float], init=False)
    """What each line set last."""
    _said: dict[str, int] = field(default_factory=dict[str, int], init=False)
    """The number of each line that was said to the plant."""

    def __post_init__(self) -> None:
        self._circuit = under_test(self.recorder.board).circuit
        for sensed in self.pins.senses:
            self._circuit.check_control(sensed.part, sensed.control)
        for act in self.pins.acts:
            self._number_of(act)

    def is_written(self, data: bytes) -> bool:
        """Say whether no part senses it, so that it is sent."""
        return self.pins.sensing(_text(data)) is None

    def give(self, data: bytes) -> int:
        """Set the part that senses it, or send it."""
        line = _text(data)
        sensed = self.pins.sensing(line)
        if sensed is None:
            return self.recorder.send(data, shown=data.removesuffix(b"\n"))
        return self._set(sensed, line)

    def advance(self, duration_ms: int) -> Sequence[Line]:
        """Let time pass; return what was said over the UART."""
        self.recorder.advance(duration_ms)
        return self.recorder.said

    def acted(self) -> Sequence[Line]:
        """Return what is seen of parts now, if it is news."""
        recorder = self.recorder
        if recorder.is_dead:
            return ()
        now_us = recorder.board.now_us()
        lines: list[Line] = []
        for act in self.pins.acts:
            number = self._number_of(act)
            if self._said.get(act.line) != number:
                self._said[act.line] = number
                line = f"{act.line} {number}"
                lines.append(Line(now_us, Direction.FROM_FIRMWARE, line.encode()))
                recorder.note(f"circuit -> plant: {line}")
        return lines

    def _set(self, sensed: SensedBy, line: str) -> int:
        where = f"{line!r} of the plant, which {sensed.part} is to sense"
        try:
            number = float(line.removeprefix(sensed.line))
        except ValueError:
            raise ConfigError(
                f"{where}: it needs one number behind {sensed.line!r}"
            ) from None
        value = number * sensed.scale + sensed.offset
        try:
            self._circuit.control(sensed.part, sensed.control, value)
        except ConfigError as error:
            raise ConfigError(f"{where}: {error}") from error
        if self._given.get(sensed.line) == value:
            return self.recorder.board.now_us()
        self._given[sensed.line] = value
        return self.recorder.note(f"plant -> circuit: {line}")

    def _number_of(self, act: ActsBy) -> int:
        seen = self._circuit.observe(act.part, act.observable)
        if not isinstance(seen, int | float):
            raise ConfigError(
                f"{act.part}: {act.observable} is {seen!r}, and a plant needs a number"
            )
        return round(seen * act.scale + act.offset)


def _text(data: bytes) -> str:
    return data.decode("utf-8", "backslashreplace").rstrip("\n")
