"""Digital pins: what they show, and who drives them."""

from __future__ import annotations

from ctypes import c_uint64, pointer

from pytest_embedbench.engines.simavr.core import layout

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_embedbench.engines.simavr.core.machine import AvrMachine

LOW, HIGH, FLOATING = 0, 1, 2
_DIRECTION, _PORT = 9, 10


class AvrPort:
    """One port of eight pins; pushes ``(cycle, letter, bit, level)`` on every change.

    ``on_direction`` is called when the firmware turns pins round. Pins in ``pwm`` are
    in the hands of a timer: their port bit shows nothing.
    """

    def __init__(
        self,
        machine: AvrMachine,
        letter: str,
        push: Callable[[tuple[int, str, int, int]], None],
        on_direction: Callable[[], None],
    ) -> None:
        self.direction = 0
        self.pwm = 0
        self._machine = machine
        self._letter = letter
        self._push = push
        self._on_direction = on_direction
        self._pin = machine.mcu.ports[letter]
        self._output = 0
        self._driven = 0
        self._driven_high = 0
        self._shown = [FLOATING] * 8
        signal = layout.ioctl(f"iog{letter}")
        irqs = [
            machine.lib.avr_io_getirq(machine.pointer, signal, i) for i in range(11)
        ]
        self._irqs = irqs
        machine.notify(irqs[_DIRECTION], self._on_ddr)
        machine.notify(irqs[_PORT], self._on_port)
        machine.revive.append(self._on_reset)

    def drive(self, bit: int, level: int) -> None:
        """Put a level on a pin from outside, or let go of it."""
        mask = 1 << bit
        self._driven &= ~mask
        self._driven_high &= ~mask
        if level != FLOATING:
            self._driven |= mask
            self._driven_high |= mask * level
        # Without this, simavr forgets who drives the pin at the next port write.
        external = c_uint64(self._driven << 7 | self._driven_high << 15)
        self._machine.lib.avr_ioctl(
            self._machine.pointer,
            layout.ioctl(f"iop{self._letter}"),
            pointer(external),
        )
        self._settle(bit)
        self.show()

    def show(self) -> None:
        """Push every pin whose level is not what it was."""
        now = self._machine.avr.cycle
        shown = self._shown
        for bit in range(8):
            mask = 1 << bit
            if self.direction & mask:
                if self.pwm & mask:
                    continue
                level = HIGH if self._output & mask else LOW
            elif self._driven & mask:
                level = HIGH if self._driven_high & mask else LOW
            else:
                level = HIGH if self._output & mask else FLOATING
            if level != shown[bit]:
                shown[bit] = level
                self._push((now, self._letter, bit, level))

    def _settle(self, bit: int) -> None:
        """Tell the MCU what an input pin shows: driven, pulled up, or nothing (low)."""
        mask = 1 << bit
        if self.direction & mask:
            return
        high = bool((self._driven_high if self._driven & mask else self._output) & mask)
        self._machine.lib.avr_raise_irq(self._irqs[bit], int(high))
        # simavr raises changes only, and its idea of "before" outlives a reset.
        data = self._machine.data
        data[self._pin] = data[self._pin] & ~mask | mask * high

    def _on_ddr(self, _irq: int, value: int, _param: int) -> None:
        self.direction = value
        self._on_direction()
        self.show()

    def _on_port(self, _irq: int, value: int, _param: int) -> None:
        self._output = value
        self.show()

    def _on_reset(self) -> None:
        """Make all pins inputs; who drives them from outside still does."""
        lib = self._machine.lib
        lib.avr_raise_irq(self._irqs[_DIRECTION], 0)
        lib.avr_raise_irq(self._irqs[_PORT], 0)
        for bit in range(8):
            self._settle(bit)
