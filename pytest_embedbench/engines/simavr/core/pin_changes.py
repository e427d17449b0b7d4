"""Pin-change interrupts that simavr lacks: those of an ATmega2560's ports E, J and K.

Source: ATmega2560 data sheet, 15.1 and 15.2.6 to 15.2.8: any change of a pin whose bit
is set in PCMSKn raises flag n in PCIFR; that of an output, too.
"""

from __future__ import annotations

import ctypes

from pytest_embedbench.engines.simavr.core import layout
from pytest_embedbench.engines.simavr.core.mcus import PCICR, PCIFR, PCMSK0

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pytest_embedbench.engines.simavr.core.machine import AvrMachine


class PinChanges:
    """The interrupt of flag ``number``; its pins are those of PCMSKn by their bits."""

    def __init__(
        self, machine: AvrMachine, number: int, vector: int, pins: Sequence[str]
    ) -> None:
        self._machine = machine
        self._mask = PCMSK0 + number
        self._pins = pins
        self._heard: set[int] = set()
        new = layout.new_vector(vector, (PCICR, number), (PCIFR, number))
        machine.keep_alive(new)
        self._vector = ctypes.addressof(new)
        machine.lib.avr_register_vector(machine.pointer, self._vector)
        bits = [(self._mask, bit) for bit in range(len(pins))]
        machine.on_bits(bits, self._on_mask)

    def _on_mask(self, _irq: int, _value: int, _param: int) -> None:
        """Listen to a pin from its first use on: the others cost nothing."""
        machine = self._machine
        for bit, pin in enumerate(self._pins):
            if machine.data[self._mask] >> bit & 1 and bit not in self._heard:
                self._heard.add(bit)
                port = layout.ioctl(f"iog{pin[1]}"), int(pin[2])
                irq = machine.lib.avr_io_getirq(machine.pointer, *port)
                machine.notify(irq, self._listener(bit, pin))

    def _listener(self, bit: int, pin: str) -> Callable[[int, int, int], None]:
        machine = self._machine
        register, place = machine.mcu.ports[pin[1]], int(pin[2])
        shown = machine.data[register] >> place & 1

        def on_level(_irq: int, level: int, _param: int) -> None:
            nonlocal shown
            if level & 1 != shown:
                shown = level & 1
                if machine.data[self._mask] >> bit & 1:
                    machine.lib.avr_raise_interrupt(machine.pointer, self._vector)

        return on_level


def add_pin_changes(machine: AvrMachine) -> None:
    """Give an MCU those that it is without."""
    for number, (vector, pins) in machine.mcu.pin_changes.items():
        PinChanges(machine, number, vector, pins)
