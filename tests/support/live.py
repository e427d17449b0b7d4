"""A circuit round a chip that tests play: its pins, and the clock."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_embedbench.parts import CATALOGUE
from pytest_embedbench.parts.models import MODELS
from pytest_embedbench.pins import Level
from pytest_embedbench.wiring.chip_pin import PinDrive, drive_together
from pytest_embedbench.wiring.diagram import Endpoint
from pytest_embedbench.wiring.live_circuit import ChipPins, LiveCircuit
from pytest_embedbench.wiring.waves import CircuitRecord
from tests.support.diagrams import UNO, report

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_embedbench.wiring.diagram import Diagram
    from pytest_embedbench.wiring.part_model import MakeModel, Reading

TICKS_PER_US = 16
PINS = (*(str(number) for number in range(14)), *(f"A{number}" for number in range(6)))


class PlayedChip:
    """A chip that remembers what it was shown, and when it wants to be woken."""

    def __init__(self) -> None:
        self.shown: dict[str, Level] = {}
        self.wakes_at: int | None = None

    def wake_at(self, at_ticks: int) -> None:
        self.wakes_at = at_ticks

    def show(self, pin: str, level: Level) -> None:
        self.shown[pin] = level


class Played:
    """A circuit with its chip; times are in us."""

    def __init__(
        self, diagram: Diagram, models: Mapping[str, MakeModel] = MODELS
    ) -> None:
        self.chip = PlayedChip()
        self.live = LiveCircuit(
            diagram,
            CATALOGUE,
            models,
            pins=ChipPins(PINS, ("A4", "A5"), ("13", "11", "12")),
            chip=self.chip,
            ticks_per_us=TICKS_PER_US,
        )
        self.live.start()
        self.now_ticks = 0

    def run_to(self, at_us: float) -> None:
        """Let time pass, as an engine does."""
        ends_ticks = round(at_us * TICKS_PER_US)
        while self.chip.wakes_at is not None and self.chip.wakes_at <= ends_ticks:
            due, self.chip.wakes_at = self.chip.wakes_at, None
            self.now_ticks = max(self.now_ticks, due)
            following = self.live.on_due(self.now_ticks)
            if following is not None:
                self.chip.wakes_at = following
        self.now_ticks = ends_ticks

    def drive(self, **pins: PinDrive) -> None:
        """Let the chip do something at pins, all at once: ``d13=PinDrive.HIGH``."""
        named = [(name.removeprefix("d"), code) for name, code in pins.items()]
        if len(named) == 1:
            ((name, code),) = named
            self.live.chip_pins[name].on_drive(self.now_ticks, code)
            return
        driven = [(self.live.chip_pins[name], int(code)) for name, code in named]
        drive_together(self.live.nets, self.now_ticks, driven)

    def pwm(self, pin: str, period_us: float, high_us: float, then: int = 2) -> None:
        period, high = round(period_us * TICKS_PER_US), round(high_us * TICKS_PER_US)
        self.live.chip_pins[pin].pulse(self.now_ticks, period, high, then)

    def net(self, pin: str) -> int:
        return self.live.netlist.index[Endpoint(*pin.split(":"))]

    def level(self, pin: str) -> Level:
        return self.live.level(self.now_ticks, self.net(pin))

    def mv(self, pin: str) -> float:
        return self.live.voltage_mv(self.now_ticks, self.net(pin))

    def shown(self, pin: str) -> Level:
        """Return what the chip has been shown last at a pin."""
        return self.chip.shown[pin]

    def set(self, part: str, name: str, value: float) -> None:
        self.live.control(self.now_ticks, part, name, value)

    def see(self, part: str, name: str) -> Reading:
        return self.live.observe(self.now_ticks, part, name)

    def record(self) -> CircuitRecord:
        log = self.live.nets.log
        packed, since_ticks = log.all()
        return CircuitRecord(
            netlist=self.live.netlist,
            ticks_per_us=TICKS_PER_US,
            packed=packed,
            since_ticks=since_ticks,
            ends_ticks=self.now_ticks,
            pwm=log.pwm,
        )

    def edges(self, pin: str) -> list[tuple[float, Level]]:
        """Return the edges of a net, in us."""
        edges = self.record().edges_of(self.net(pin))
        return [(each.at_ns / 1000, each.level) for each in edges]

    def findings(self) -> list[tuple[float, str, tuple[str, ...]]]:
        found = self.live.findings
        return [(it.at_ticks / TICKS_PER_US, it.kind, it.nets) for it in found]


def play(
    parts: Mapping[str, str],
    *wires: str,
    attrs: Mapping[str, Mapping[str, object]] | None = None,
    models: Mapping[str, MakeModel] = MODELS,
) -> Played:
    """Return an Uno's circuit of parts and wires, with power on."""
    return Played(report({**UNO, **parts}, *wires, attrs=attrs).diagram, models)
