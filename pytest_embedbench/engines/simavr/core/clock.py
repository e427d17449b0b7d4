"""CLKPR: the firmware's own division of its clock, which is noted but not modelled.

Source: ATmega328P data sheet, 9.12.2: CLKPCE alone opens the register for four cycles.
"""

from __future__ import annotations

from pytest_embedbench.engines.simavr.core.mcus import CLKPR

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pytest_embedbench.engines.simavr.core.machine import AvrMachine

_CLKPCE = 0x80
_OPEN_CYCLES = 4
_STS_CYCLES = 2


class ClockPrescaler:
    """``divisor`` is what a real chip's clock would be divided by."""

    def __init__(self, machine: AvrMachine) -> None:
        self.divisor = 1
        self._machine = machine
        self._opened_at = -_OPEN_CYCLES * 2
        machine.on_write(CLKPR, self._on_write)
        machine.revive.append(self._on_reset)

    def _on_write(self, _avr: int, address: int, value: int, _param: int) -> None:
        now = self._machine.avr.cycle
        if value == _CLKPCE:
            self._opened_at = now
        elif now - self._opened_at <= _OPEN_CYCLES + _STS_CYCLES:
            self.divisor = 1 << min(value & 15, 8)
            self._machine.data[address] = value & 15
            self._opened_at = -_OPEN_CYCLES * 2

    def _on_reset(self) -> None:
        self.divisor = 1
