"""Sleep modes deeper than idle: whose clocks stop, and who wakes the core.

simavr knows one sleep, in which all goes on. Source: ATmega328P data sheet, 10.2 to
10.8 and table 10-1: only the watchdog, pins, and what has a clock of its own go on; the
ADC in its noise reduction mode, timer 2 with a crystal where that is not stopped.
"""

from __future__ import annotations

from pytest_embedbench.engines.simavr.core import layout
from pytest_embedbench.engines.simavr.core.mcus import (
    ADCSRA,
    AS2_BIT,
    ASSR,
    SLEEP_MODES,
    SMCR,
    WDTCSR,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Protocol

    from pytest_embedbench.engines.simavr.core.machine import AvrMachine

    class Stoppable(Protocol):
        """What has the clock of the I/O, and stands still without."""

        def freeze(self, cycle: int) -> None:
            """Stand still."""
            ...

        def thaw(self, cycle: int) -> None:
            """Go on."""
            ...


_ADC_NOISE_REDUCTION = 1
_WITH_TIMER_2 = {1, 3, 7}
_ADEN, _ADSC, _ADIF = 0x80, 0x40, 0x10
_ANY_INTERRUPT = 0xFF


class DeepSleep:
    """Stops the clocks of ``stoppable`` and of simavr's own peripherals."""

    def __init__(self, machine: AvrMachine, stoppable: Sequence[Stoppable]) -> None:
        self._machine = machine
        self._stoppable = stoppable
        (self._timer_2,) = (t for t in machine.mcu.timers if t.is_asynchronous)
        self._since: int | None = None
        self._woken_at = 0
        self._held: list[tuple[int, int, int]] = []
        self._shallow = machine.avr.sleep
        self._deep = machine.keep(layout.SleepHook(self._on_sleep))
        self._wake = machine.keep(layout.CycleTimer(self._on_wake))
        self._notify = machine.keep(layout.Notify(self._on_interrupt))
        self._any_irq = machine.vector_irq(_ANY_INTERRUPT)
        machine.on_bits([(SMCR, bit) for bit in (1, 2, 3)], self._on_mode)
        machine.going_on.add(machine.io(WDTCSR).write_param)
        machine.revive.append(self._on_reset)

    def _mode(self) -> int:
        return self._machine.data[SMCR] >> 1 & 7

    def _on_mode(self, _irq: int, _value: int, _param: int) -> None:
        """Have simavr call us in each sleep only if a deeper one is chosen."""
        mode = self._mode()
        deep = mode and mode in SLEEP_MODES
        self._machine.avr.sleep = self._deep if deep else self._shallow

    def _on_sleep(self, _avr: int, cycles: int) -> None:
        if self._since is None:
            self._fall_asleep()
            # simavr goes on to what was due next before we have stopped the clocks.
            self._machine.avr.cycle -= cycles

    def _fall_asleep(self) -> None:
        machine = self._machine
        self._since = cycle = machine.avr.cycle
        if self._mode() == _ADC_NOISE_REDUCTION:
            self._start_conversion()
        for each in self._stoppable:
            each.freeze(cycle)
        goes_on = machine.going_on | self._clocked()
        timers = machine.cycle_timers()
        self._held = [each for each in timers if goes_on.isdisjoint(each[1:])]
        for _, timer, param in self._held:
            machine.lib.avr_cycle_timer_cancel(machine.pointer, timer, param)
        lib = machine.lib
        lib.avr_irq_register_notify(self._any_irq, self._notify, None)

    def _clocked(self) -> set[int]:
        """Return what of simavr's goes on in this mode."""
        machine, mode = self._machine, self._mode()
        clocked: set[int] = set()
        if mode == _ADC_NOISE_REDUCTION:
            clocked.add(machine.io(ADCSRA).write_param)
        if mode in _WITH_TIMER_2 and machine.data[ASSR] >> AS2_BIT & 1:
            clocked.add(machine.io(self._timer_2.tccrb).write_param)
        return clocked

    def _start_conversion(self) -> None:
        """Table 10-1's mode starts one as it is entered, if the ADC is on (23.7)."""
        machine = self._machine
        control = machine.data[ADCSRA]
        if control & _ADEN and not control & _ADSC:
            slot = machine.io(ADCSRA)
            write = layout.IoWrite(slot.write)
            started = control & ~_ADIF | _ADSC
            write(machine.pointer, ADCSRA, started, slot.write_param)

    def _on_interrupt(self, _irq: int, raised: int, _param: int) -> None:
        """Look, once simavr has done what it does, whether that wakes the core."""
        if raised and self._since is not None:
            self._woken_at = self._machine.avr.cycle
            self._machine.at(self._woken_at, self._wake)

    def _on_wake(self, _avr: int, _when: int, _param: int) -> int:
        machine, since = self._machine, self._since
        if since is None or machine.avr.state == layout.SLEEPING:
            return 0
        slept_cycles = self._woken_at - since
        for when, timer, param in self._held:
            machine.at(when + slept_cycles, timer, param)
        self._forget()
        for each in self._stoppable:
            each.thaw(self._woken_at)
        return 0

    def _forget(self) -> None:
        self._since = None
        self._held = []
        lib = self._machine.lib
        lib.avr_irq_unregister_notify(self._any_irq, self._notify, None)

    def _on_reset(self) -> None:
        if self._since is not None:
            self._forget()
