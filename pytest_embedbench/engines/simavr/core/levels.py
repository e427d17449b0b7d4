"""Interrupts of a low level: simavr looks at the pin in every cycle while it is low.

It does so on all pins that could have one, whether there is an interrupt or not: level
is what the control register says after a reset, and the firmware takes five times as
long. Here it looks only at what is set to a level and enabled.
"""

from __future__ import annotations

from pytest_embedbench.engines.simavr.core import layout
from pytest_embedbench.engines.simavr.core.mcus import EIFR, EIMSK

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pytest_embedbench.engines.simavr.core.machine import AvrMachine

_EICRA = 0x69
_FIRST_VECTOR = 1
_PER_REGISTER = 4


class LevelInterrupts:
    """Turns simavr's looks on and off for each of INT0, INT1, ..."""

    def __init__(self, machine: AvrMachine) -> None:
        self._machine = machine
        self._lib = machine.lib
        self._pins = machine.mcu.interrupt_pins
        self._looking: set[int] = set()
        self._watched: set[int] = set()
        bits = [(EIMSK, number) for number in range(len(self._pins))]
        for number in range(len(self._pins)):
            register, shift = self._place(number)
            bits += [(register, shift), (register, shift + 1)]
        machine.on_bits(bits, self._on_setting)
        machine.revive.append(self._looking.clear)
        machine.started.append(self._on_started)
        self._on_started()

    def _place(self, number: int) -> tuple[int, int]:
        return _EICRA + number // _PER_REGISTER, number % _PER_REGISTER * 2

    def _is_level(self, number: int) -> bool:
        data = self._machine.data
        register, shift = self._place(number)
        return bool(data[EIMSK] >> number & 1) and not data[register] >> shift & 3

    def _on_started(self) -> None:
        for number in range(len(self._pins)):
            self._let(number, look=self._is_level(number))

    def _let(self, number: int, *, look: bool) -> None:
        self._lib.avr_extint_set_strict_lvl_trig(
            self._machine.pointer, number, int(look)
        )

    def _on_setting(self, _irq: int, _value: int, _param: int) -> None:
        for number in range(len(self._pins)):
            look = self._is_level(number)
            self._let(number, look=look)
            if look:
                self._begin(number)

    def _begin(self, number: int) -> None:
        """Have simavr look now at a pin that may be low already."""
        lib, machine = self._lib, self._machine
        irq = lib.avr_io_getirq(machine.pointer, layout.ioctl("int "), number)
        if number not in self._watched:
            self._watched.add(number)

            def on_pin(_irq: int, level: int, _param: int) -> None:
                if level:
                    self._looking.discard(number)
                elif self._is_level(number):
                    self._looking.add(number)

            machine.notify(irq, on_pin)
        pin = self._pins[number]
        is_low = not machine.data[machine.mcu.ports[pin[1]]] >> int(pin[2]) & 1
        if is_low and number not in self._looking:
            # The chip has no flag for a level; simavr looks for none that is up.
            vector = machine.vector(_FIRST_VECTOR + number)
            lib.avr_clear_interrupt(machine.pointer, vector)
            machine.data[EIFR] &= ~(1 << number)
            lib.avr_raise_irq(irq, 0)
