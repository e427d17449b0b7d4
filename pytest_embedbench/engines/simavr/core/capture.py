"""Input capture of a timer that counts here: simavr captures its own, which stands."""

from __future__ import annotations

from pytest_embedbench.engines.simavr.core.mcus import ICF

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_embedbench.engines.simavr.core.machine import AvrMachine
    from pytest_embedbench.engines.simavr.core.mcus import Timer


class InputCapture:
    """Notes when ICRn has captured, and has ``keep`` put it right when it is read.

    It hears of every edge of an output at that pin, too, so noting is all it does
    then. Only while it ``is_on``.
    """

    def __init__(
        self,
        machine: AvrMachine,
        timer: Timer,
        keep: Callable[[int], None],
    ) -> None:
        self.is_on = False
        self._at = 0
        self._data = machine.data
        self._cycle = machine.cycle_view
        self._keep = keep
        machine.notify(machine.vector_irq(timer.vectors[ICF]), self._on_capture)
        machine.on_read(timer.icr, self._on_read)
        machine.revive.append(self._forget)

    def settle(self) -> None:
        """Have what was captured last kept; the counter may change from now on."""
        at, self._at = self._at, 0
        if at:
            self._keep(at)

    def _forget(self) -> None:
        self._at = 0

    def _on_capture(self, _irq: int, raised: int, _param: int) -> None:
        if raised and self.is_on:
            self._at = self._cycle[0]

    def _on_read(self, _avr: int, address: int, _param: int) -> int:
        self.settle()
        return self._data[address]
