"""What simavr's watchdog forgets: where the firmware was, and that it may go on."""

from __future__ import annotations

from pytest_embedbench.engines.simavr.core import layout
from pytest_embedbench.engines.simavr.core.mcus import MCUSR, WDTCSR

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pytest_embedbench.engines.simavr.core.machine import AvrMachine

_WDE, _WDCE, _WDIE = 0x08, 0x10, 0x40
_CLOCK_HZ = 128_000
_LOOKS_PER_PERIOD = 4


class Watchdog:
    """Looks at the PC some times per watchdog period, while it can reset.

    Where it only interrupts, it does so again and again: WDIE is cleared by hardware
    only if WDE is set, too (ATmega328P data sheet, 11.9.2); simavr always clears it.
    """

    def __init__(self, machine: AvrMachine) -> None:
        self._machine = machine
        self._timer = machine.keep(layout.CycleTimer(self._on_look))
        self._again = machine.keep(layout.CycleTimer(self._on_again))
        machine.going_on |= {self._timer, self._again}
        irq = machine.vector_irq(machine.mcu.watchdog_vector)
        machine.notify(irq, self._on_interrupt)
        slot = machine.io(WDTCSR)
        self._simavrs_write = layout.IoWrite(slot.write)
        self._param = slot.write_param
        slot.write = machine.keep(layout.IoWrite(self._on_write))

    def leave_bootloader(self) -> None:
        """Leave things as Optiboot does, which then starts the program.

        It has cleared MCUSR, hands over what it was in r2, and the watchdog is off.
        """
        data = self._machine.data
        data[2], data[MCUSR] = data[MCUSR], 0
        data[WDTCSR] |= _WDCE
        self._simavrs_write(self._machine.pointer, WDTCSR, 0, self._param)

    def _on_write(self, avr: int, address: int, value: int, _param: int) -> None:
        self._simavrs_write(avr, address, value, self._param)
        now = self._machine.avr.cycle
        if self._on_look(avr, now, 0):
            self._machine.at(now + self._pause(), self._timer)

    def _on_interrupt(self, _irq: int, raised: int, _param: int) -> None:
        """Come back after simavr has cleared WDIE, where it is to stay."""
        control = self._machine.data[WDTCSR]
        if not raised and control & _WDIE and not control & _WDE:
            self._machine.at(self._machine.avr.cycle, self._again)

    def _on_again(self, _avr: int, _when: int, _param: int) -> int:
        self._machine.data[WDTCSR] |= _WDIE
        return 0

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
