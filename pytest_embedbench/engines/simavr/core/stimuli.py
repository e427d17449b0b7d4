"""Inputs that change at a moment of their own, while the core runs."""

from __future__ import annotations

from heapq import heappop, heappush

from pytest_embedbench.engines.simavr.core import layout

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pytest_embedbench.engines.simavr.core.machine import AvrMachine
    from pytest_embedbench.engines.simavr.core.pins import AvrPort


class Stimuli:
    """What pins will be driven to, and when; neither reset nor sleep stops that."""

    def __init__(self, machine: AvrMachine, ports: dict[str, AvrPort]) -> None:
        self._machine = machine
        self._ports = ports
        self._due: list[tuple[int, int, str, int, int]] = []
        self._count = 0
        self._timer = machine.keep(layout.CycleTimer(self._on_due))
        machine.going_on.add(self._timer)
        machine.revive.append(self._plan)

    def add(self, letter: str, bit: int, edges: list[tuple[int, int]]) -> None:
        """Drive a pin to levels at times in us; of equal times the later one given."""
        for at_us, level in edges:
            cycle = -(-at_us * self._machine.cpu_hz // 1_000_000)
            heappush(self._due, (cycle, self._count, letter, bit, level))
            self._count += 1
        self._plan()

    def _plan(self) -> None:
        if self._due:
            self._machine.at(self._due[0][0], self._timer)

    def _on_due(self, _avr: int, when: int, _param: int) -> int:
        due = self._due
        while due and due[0][0] <= when:
            _, _, letter, bit, level = heappop(due)
            self._ports[letter].drive(bit, level)
        return due[0][0] if due else 0
