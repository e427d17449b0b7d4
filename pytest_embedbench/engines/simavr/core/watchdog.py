"""Where a firmware was before its watchdog bit: simavr forgets it in the reset."""

from __future__ import annotations

from pytest_embedbench.engines.simavr.core import layout
from pytest_embedbench.engines.simavr.core.mcus import WDTCSR

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pytest_embedbench.engines.simavr.core.machine import AvrMachine

_WDE = 0x08
_CLOCK_HZ = 128_000
_LOOKS_PER_PERIOD = 4


class Watchdog:
    """Looks at the PC some times per watchdog period, while the watchdog is on."""

    def __init__(self, machine: AvrMachine) -> None:
        self._machine = machine
        self._timer = machine.keep(layout.CycleTimer(self._on_look))
        slot = machine.io(WDTCSR)
        self._simavrs_write = layout.IoWrite(slot.write)
        self._param = slot.write_param
        slot.write = machine.keep(layout.IoWrite(self._on_write))

    def _on_write(self, avr: int, address: int, value: int, _param: int) -> None:
        self._simavrs_write(avr, address, value, self._param)
        now = self._machine.avr.cycle
        if self._on_look(avr, now, 0):
            self._machine.at(now + self._pause(), self._timer)

    def _on_look(self, _avr: int, when: int, _param: int) -> int:
        if not self._machine.data[WDTCSR] & _WDE:
            return 0
        avr = self._machine.avr
        self._machine.last_seen = (avr.pc, avr.cycle)
        return when + self._pause()

    def _pause(self) -> int:
        control = self._machine.data[WDTCSR]
        period = 2048 << (control & 7 | (control >> 5 & 1) << 3)
        return period * self._machine.cpu_hz // _CLOCK_HZ // _LOOKS_PER_PERIOD
