"""Digital pins: what they show, and who drives them."""

from __future__ import annotations

from ctypes import c_uint64, pointer

from pytest_embedbench.engines.simavr.core import layout
from pytest_embedbench.engines.simavr.core.edges import (
    LEVEL_BITS,
    PIN_BITS,
    ROOM,
    pin_number,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_embedbench.engines.simavr.core.edges import EdgeLog
    from pytest_embedbench.engines.simavr.core.floating_reads import FloatingReads
    from pytest_embedbench.engines.simavr.core.machine import AvrMachine

    PinWatch = Callable[[int, int], None]
    PortWatch = Callable[[int, dict[int, int]], None]

LOW, HIGH, FLOATING = 0, 1, 2
_OUT_LOW, _OUT_HIGH = 2, 3
_DIRECTION, _PORT = 9, 10
_CYCLE_SHIFT = PIN_BITS + LEVEL_BITS


class AvrPort:
    """One port of eight pins, every change of which goes into ``log``.

    ``on_direction`` is called when the firmware turns pins round.
    """

    def __init__(
        self,
        machine: AvrMachine,
        letter: str,
        log: EdgeLog,
        on_direction: Callable[[], None],
    ) -> None:
        self.direction = 0
        self._pwm = self._lent = self._forced_in = 0
        self.lent_high = 0
        """Which of the outputs that are lent to a peripheral it has high."""
        self._machine = machine
        self._cycle = machine.cycle_view
        self._letter = letter
        self._log = log
        self._packed = log.packed
        self._codes = {
            1 << bit: pin_number(letter, bit) << LEVEL_BITS for bit in range(8)
        }
        # Of the pins that show nothing but their port bit.
        self._plain: dict[int, int] = {}
        self._on_direction = on_direction
        self._watched: dict[int, PinWatch] = {}
        self._watch_many: PortWatch | None = None
        self._on_floating: Callable[[int], None] | None = None
        self.floating_reads: FloatingReads | None = None
        """Who looks at what is read of it, where it stands in a circuit."""
        self._may_float = 0
        self._pin = machine.mcu.ports[letter]
        self._output = 0
        self._driven = 0
        self._driven_high = 0
        # What has been shown; a pin that floats is not high.
        self._high = 0
        self._floating = 0xFF
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
        self.settle(bit)
        self.show()

    def watch(self, bit: int, watch: PinWatch) -> None:
        """Have told what the firmware does at a pin, and when; see ``drive_code``."""
        self._watched[1 << bit] = watch

    def watch_many(self, watch: PortWatch) -> None:
        """Have told at once, by bit, what it does at several pins that are watched."""
        self._watch_many = watch

    def on_floating(self, wired: int, call: Callable[[int], None]) -> None:
        """Have told which of some inputs float, now and whenever that changes."""
        self._may_float, self._on_floating = wired, call
        call(self._floating & wired)

    def drive_code(self, bit: int) -> int:
        """Return what the firmware does at a pin: nothing, pull up, low, high."""
        direction, output = self._in_effect()
        return (direction >> bit & 1) << 1 | output >> bit & 1

    def _in_effect(self) -> tuple[int, int]:
        """Return what DDRx and PORTx come to, with what a peripheral says."""
        direction = self.direction
        if not self._lent:
            return direction, self._output
        lent = self._lent & direction
        output = self._output & ~lent | self.lent_high & lent
        return direction & ~self._forced_in, output

    def lend(self, mask: int, high: int, forced_in: int) -> None:
        """Let a peripheral say what outputs show, and which pins are inputs.

        Args:
            mask: The pins whose outputs are no longer PORTx's.
            high: Those of them that are high.
            forced_in: The pins that are inputs, whatever DDRx says.
        """
        concerned = mask | forced_in | self._lent | self._forced_in
        self._lent, self.lent_high, self._forced_in = mask, high, forced_in
        self._find_plain()
        self.show()
        if self._watched:
            self._tell(concerned)

    def is_high(self, bit: int) -> bool:
        """Say what the firmware reads at a pin."""
        return bool(self._machine.data[self._pin] >> bit & 1)

    @property
    def output(self) -> int:
        """The bits of PORTx."""
        return self._output

    def hand_over(self, mask: int, *, to_timer: bool) -> None:
        """Put pins into the hands of a timer, where their port bit shows nothing."""
        self._pwm = self._pwm | mask if to_timer else self._pwm & ~mask
        self._find_plain()
        self.show()

    def _find_plain(self) -> None:
        plain = self.direction & ~(self._pwm | self._lent | self._forced_in)
        self._plain = {mask: c for mask, c in self._codes.items() if mask & plain}

    def show(self) -> None:
        """Log every pin whose level is not what it was."""
        direction, output = self._in_effect()
        driven = self._driven
        inside = direction | ~driven
        high = output & inside | self._driven_high & ~direction
        floating = inside & ~(direction | output)
        before_high, before_floating = self._high, self._floating
        changed = (high ^ before_high | floating ^ before_floating) & 0xFF
        changed &= ~(self._pwm & direction)
        if not changed:
            return
        self._high = high & changed | before_high & ~changed
        self._floating = floating & changed | before_floating & ~changed
        if (self._floating ^ before_floating) & self._may_float and self._on_floating:
            self._on_floating(self._floating & self._may_float)
        now = self._cycle[0] << _CYCLE_SHIFT
        while changed:
            mask = changed & -changed
            changed ^= mask
            level = FLOATING if floating & mask else HIGH if high & mask else LOW
            self._log.add(now | self._codes[mask] | level)

    def settle(self, bit: int) -> None:
        """Tell the MCU what an input pin shows: driven, pulled up, or nothing (low)."""
        mask = 1 << bit
        if self.direction & mask:
            return
        high = bool((self._driven_high if self._driven & mask else self._output) & mask)
        self._machine.lib.avr_raise_irq(self._irqs[bit], int(high))
        # simavr raises changes only, and its idea of "before" outlives a reset.
        data = self._machine.data
        data[self._pin] = data[self._pin] & ~mask | mask * high

    def _tell(self, changed: int) -> None:
        """Tell what the firmware does now at those of some pins that are watched."""
        cycle = self._cycle[0]
        told = [mask for mask in self._watched if mask & changed]
        bits = {bit: self.drive_code(bit) for bit in (m.bit_length() - 1 for m in told)}
        if len(told) > 1 and self._watch_many is not None:
            self._watch_many(cycle, bits)
            return
        for mask, code in zip(told, bits.values(), strict=True):
            self._watched[mask](cycle, code)

    def _on_ddr(self, _irq: int, value: int, _param: int) -> None:
        changed = value ^ self.direction
        self.direction = value
        self._find_plain()
        self._on_direction()
        self.show()
        if self._watched:
            self._tell(changed)

    def _on_port(self, _irq: int, value: int, _param: int) -> None:
        changed = value ^ self._output
        self._output = value
        code = self._plain.get(changed)
        if code is None:
            self.show()
            if self._watched:
                self._tell(changed & ~(self._lent & self.direction))
            return
        # The way of most edges.
        self._high ^= changed
        if value & changed:
            code |= HIGH
        cycle, packed = self._cycle[0], self._packed
        packed.append(cycle << _CYCLE_SHIFT | code)
        if len(packed) > ROOM:
            self._log.cut()
        watch = self._watched.get(changed)
        if watch is not None:
            watch(cycle, _OUT_HIGH if value & changed else _OUT_LOW)

    def _on_reset(self) -> None:
        """Make all pins inputs; who drives them from outside still does."""
        lib = self._machine.lib
        lib.avr_raise_irq(self._irqs[_DIRECTION], 0)
        lib.avr_raise_irq(self._irqs[_PORT], 0)
        for bit in range(8):
            self.settle(bit)
