"""What is between a plant and a board whose circuit it senses and acts through."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pytest_embedbench.bench.under_test import under_test
from pytest_embedbench.errors import ConfigError
from pytest_embedbench.model import Direction, Line
from pytest_embedbench.wire.streams import is_in_stream

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
    """

    recorder: Recorder
    pins: PlantPins
    _circuit: BoardCircuit = field(init=False)
    _given: dict[str, float] = field(default_factory=dict[str, float], init=False)
    _said: dict[str, int] = field(default_factory=dict[str, int], init=False)

    def __post_init__(self) -> None:
        self._circuit = under_test(self.recorder.board).circuit
        for sensed in self.pins.senses:
            self._circuit.check_control(sensed.part, sensed.control)
        for act in self.pins.acts:
            self._circuit.observe(act.part, act.observable)

    def give(self, data: bytes) -> int:
        """Set the part that senses it, or send it."""
        line = data.decode("utf-8", "backslashreplace").rstrip("\n")
        for sensed in self.pins.senses:
            if is_in_stream(line, sensed.line):
                return self._set(sensed, line)
        return self.recorder.send(data, shown=data.removesuffix(b"\n"))

    def advance(self, duration_ms: int) -> Sequence[Line]:
        """Let time pass; return what was said, and what is seen of parts since."""
        recorder = self.recorder
        recorder.advance(duration_ms)
        if recorder.fault is not None:
            return recorder.said
        now_us = recorder.board.now_us()
        acted = [
            Line(now_us, Direction.FROM_FIRMWARE, f"{act.line} {number}".encode())
            for act in self.pins.acts
            if (number := self._news_of(act)) is not None
        ]
        for line in acted:
            recorder.note(f"circuit -> plant: {line.payload.decode()}")
        return [*recorder.said, *acted]

    def _set(self, sensed: SensedBy, line: str) -> int:
        words = line.removeprefix(sensed.line).split()
        try:
            (number,) = map(float, words)
        except ValueError:
            raise ConfigError(
                f"the plant says {line!r}, which {sensed.part} is to sense: it needs "
                f"one number behind {sensed.line!r}"
            ) from None
        value = number * sensed.scale + sensed.offset
        self._circuit.control(sensed.part, sensed.control, value)
        if self._given.get(line.removesuffix(words[0])) == value:
            return self.recorder.board.now_us()
        self._given[line.removesuffix(words[0])] = value
        return self.recorder.note(f"plant -> circuit: {line}")

    def _news_of(self, act: ActsBy) -> int | None:
        seen = self._circuit.observe(act.part, act.observable)
        if not isinstance(seen, int | float):
            raise ConfigError(
                f"{act.part}: {act.observable} is {seen!r}, and a plant needs a number"
            )
        number = round(seen * act.scale + act.offset)
        if self._said.get(act.line) == number:
            return None
        self._said[act.line] = number
        return number
