"""simavr's core, and what our peripherals hang themselves on: registers and signals."""

from __future__ import annotations

import ctypes
import struct
from functools import partial

from pytest_embedbench.engines.simavr.core import layout

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Literal

_SBI, _SBI_MASK = 0x9A00, 0xFF00


class Core:
    """An ``avr_t`` that has just been made, and ways to be called by it."""

    def __init__(self, library: str, mmcu: str) -> None:
        self.lib = layout.load(library)
        made = self.lib.avr_make_mcu_by_name(mmcu.encode())
        if not made:
            raise layout.LayoutMismatch(f"it does not know {mmcu}")
        self.avr = made.contents
        self.pointer = ctypes.addressof(self.avr)
        self.after = partial(self.lib.avr_cycle_timer_register, self.pointer)
        """``at``, for who counts from now: the cycles, the timer, its parameter."""
        # ``avr.cycle`` as its only item: a third of the time, where time counts.
        self.cycle_view = self.view("cycle", "Q")
        # Functions of cycle timers, or their parameters, that no sleep holds up.
        self.going_on: set[int] = set()
        # What stands between a register and who is given to ``read_by`` for it.
        self.readers: dict[int, Callable[[int | None], int | None]] = {}
        self._kept: list[object] = []
        self._bits: list[int] = []
        self.lib.avr_init(self.pointer)

    def view(self, field: str, code: Literal["I", "Q", "b"]) -> memoryview:
        """Return a field of ``avr_t``, of a struct code, as the only item of a view."""
        size, offset = struct.calcsize(code), getattr(layout.Avr, field).offset
        cells = (ctypes.c_uint8 * size).from_address(self.pointer + offset)
        return memoryview(cells).cast("B").cast(code)

    def keep(self, callback: object) -> int:
        """Keep a callback alive for as long as C may call it; return its address."""
        self._kept.append(callback)
        return layout.address_of(callback)

    def keep_alive(self, structure: object) -> None:
        """Keep what simavr has been given the address of."""
        self._kept.append(structure)

    def notify(self, irq: int, call: Callable[[int, int, int], None]) -> None:
        """Call ``call(irq, value, 0)`` whenever a simavr signal is raised."""
        self.lib.avr_irq_register_notify(irq, self.keep(layout.Notify(call)), None)

    def on_write(
        self, address: int, write: Callable[[int, int, int, int], None]
    ) -> None:
        """Call ``write`` instead of simavr when the firmware writes a register."""
        self.io(address).write = self.keep(layout.IoWrite(write))

    def on_read(self, address: int, read: Callable[[int, int, int], int]) -> None:
        """Call ``read`` instead of simavr when the firmware reads a register."""
        self.io(address).read = self.keep(layout.IoRead(read))

    def read_by(self, address: int, read: int | None) -> None:
        """Let a function of C, or a kept one of ours, tell what a register is."""
        in_front = self.readers.get(address)
        self.io(address).read = in_front(read) if in_front else read

    def on_bits(
        self, bits: list[tuple[int, int]], call: Callable[[int, int, int], None]
    ) -> None:
        """Call ``call`` when a bit, by register and number, has become another.

        simavr looks that up, so that a register which is written to what it is all the
        time (by ``digitalRead``) costs nothing.
        """
        kept = self.keep(layout.Notify(call))
        for address, bit in bits:
            irq = self.lib.avr_iomem_getirq(self.pointer, address, None, bit)
            self.lib.avr_irq_register_notify(irq, kept, None)
            self._bits.append(irq)

    def forget_bits(self) -> None:
        """Let go of what bits were before a reset, or nobody hears of them again."""
        for irq in self._bits:
            self.lib.avr_raise_irq(irq, 0)

    def vector_irq(self, number: int) -> int:
        """Return the signal of an interrupt: 1 when its flag goes up, 0 when down."""
        irq: int = self.lib.avr_get_interrupt_irq(self.pointer, number)
        return irq

    def vector(self, number: int) -> int:
        """Return what simavr has of an interrupt."""
        return self.vector_irq(number) - layout.VECTOR_IRQ_BYTES

    def vector_flags(self, vector: int) -> memoryview:
        """Return a byte of what simavr has of an interrupt, with ``IS_PENDING``."""
        flags = ctypes.c_uint8.from_address(vector + layout.VECTOR_FLAGS_BYTES)
        return memoryview(flags).cast("B")

    def written_bits(self, value: int) -> int:
        """Return which ones of a written value are meant.

        ``sbi`` touches one bit; simavr has it write back those that it read beside it.
        """
        word = ctypes.string_at(self.avr.flash + self.avr.pc, 2)
        opcode = int.from_bytes(word, "little")
        return 1 << (opcode & 7) if opcode & _SBI_MASK == _SBI else value

    def io(self, address: int) -> layout.IoSlot:
        """Return what simavr does when the firmware touches a register."""
        slot: layout.IoSlot = self.avr.io[address - layout.FIRST_IO]
        return slot

    def at(self, cycle: int, timer: int, param: int | None = None) -> None:
        """Call a kept CycleTimer at an absolute cycle (at once, if that has passed)."""
        # Unsigned arithmetic on the other side wraps back to the cycle we mean.
        span = (cycle - self.cycle_view[0]) & 0xFFFF_FFFF_FFFF_FFFF
        self.after(span, timer, param)

    def has_slot(self, slot: Any) -> bool:  # noqa: ANN401  # ctypes hides its type
        """Say whether that points to one of the core's own cycle timers."""
        slots = self.avr.cycle_slots
        address = ctypes.cast(slot, ctypes.c_void_p).value or 0
        offset = address - ctypes.addressof(slots)
        inside = 0 <= offset < ctypes.sizeof(slots)
        return inside and offset % ctypes.sizeof(layout.CycleSlot) == 0

    def cycle_timers(self) -> list[tuple[int, int, int]]:
        """Return what is going to be called: the cycle, the function, its parameter."""
        found: list[tuple[int, int, int]] = []
        slot = self.avr.first_slot
        while slot:
            entry = slot.contents
            found.append((entry.when, entry.timer, entry.param or 0))
            slot = entry.next
        return found
