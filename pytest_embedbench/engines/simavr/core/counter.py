"""How a timer counts: where it is, and when it will overflow or match. Arithmetic only.

Sources: ATmega328P data sheet, chapters 15 (8 bits), 16 (16 bits) and 18 (timer 2), in
each "Modes of Operation" and "Timer/Counter Timing Diagrams": a flag is set by the
timer clock that follows the match, and by the one that brings the counter to BOTTOM.
"""

from __future__ import annotations

from pytest_embedbench.engines.simavr.core.mcus import COMPARE_FLAGS, ICF, TOV

NORMAL, CTC, FAST, DUAL, DUAL_AT_BOTTOM = range(5)
"""Ways of counting: up to MAX; to TOP; to TOP with buffered compares; up and down with
buffers that are taken over at TOP (phase correct) or at BOTTOM (and frequency)."""

OCRA, ICR = "ocra", "icr"
"""The registers that can hold TOP."""

Waveform = tuple[int, "int | str"]
"""A way of counting, and TOP or the register that holds it."""

WAVEFORMS_8: dict[int, Waveform] = {
    0: (NORMAL, 0xFF),
    1: (DUAL, 0xFF),
    2: (CTC, OCRA),
    3: (FAST, 0xFF),
    5: (DUAL, OCRA),
    7: (FAST, OCRA),
}
"""By WGM2:0, tables 15-8 and 18-8."""
WAVEFORMS_16: dict[int, Waveform] = {
    0: (NORMAL, 0xFFFF),
    1: (DUAL, 0xFF),
    2: (DUAL, 0x1FF),
    3: (DUAL, 0x3FF),
    4: (CTC, OCRA),
    5: (FAST, 0xFF),
    6: (FAST, 0x1FF),
    7: (FAST, 0x3FF),
    8: (DUAL_AT_BOTTOM, ICR),
    9: (DUAL_AT_BOTTOM, OCRA),
    10: (DUAL, ICR),
    11: (DUAL, OCRA),
    12: (CTC, ICR),
    14: (FAST, ICR),
    15: (FAST, OCRA),
}
"""By WGM3:0, table 16-4."""


class Counter:
    """One counter. ``divisor`` is in CPU cycles per count; 0 stands still.

    Every ``next_...`` returns the first cycle after ``cycle``, or ``None`` for never.
    """

    __slots__ = ("_held", "_zero", "divisor", "kind", "maximum", "top")

    def __init__(self, maximum: int) -> None:
        self.maximum = self.top = maximum
        self.kind = NORMAL
        self.divisor = 0
        self._held = 0
        # Where a lap begins or began; in the future while it counts on past TOP.
        self._zero = 0

    def count(self, cycle: int) -> int:
        """Return what the counter shows."""
        if not self.divisor:
            return self._held
        ticks = (cycle - self._zero) // self.divisor
        if ticks < 0:
            return self.maximum + 1 + ticks
        place = ticks % self._lap
        return place if place <= self.top else 2 * self.top - place

    def write(self, cycle: int, count: int) -> None:
        """Have it go on from ``count``; the prescaler goes on as before."""
        self._place(self._count_began(cycle), count, falls=False)

    def change(self, cycle: int, divisor: int, kind: int, top: int) -> None:
        """Count otherwise from now on, from where it is.

        A prescaler begins anew with a new divisor: on the chip it runs all the time,
        so that the first count comes up to one count earlier there.
        """
        count, falls = self.count(cycle), self._falls(cycle)
        began = self._count_began(cycle) if divisor == self.divisor else cycle
        self.divisor, self.kind, self.top = divisor, kind, top
        self._place(began, count, falls=falls)

    def delay(self, cycles: int) -> None:
        """Have it stood still for so many cycles until now."""
        self._zero += cycles

    def next_overflow(self, cycle: int) -> int | None:
        """Return when TOV is set: at BOTTOM, or after MAX where it stops at TOP."""
        if not self.divisor:
            return None
        if self._zero > cycle or self.kind >= DUAL:
            return self._next(cycle, 0)
        if self.kind == CTC and self.top != self.maximum:
            return None
        return self._next(cycle, self._lap)

    def next_match(self, cycle: int, compare: int) -> int | None:
        """Return when the flag of a compare register is set."""
        if not self.divisor:
            return None
        if self._zero > cycle:
            leaves = self._zero - (self.maximum - compare) * self.divisor
            if leaves > cycle:
                return leaves
        if compare > self.top:
            return None
        rising = self._next(cycle, compare + 1)
        if self.kind < DUAL:
            return rising
        return min(rising, self._next(cycle, 2 * self.top - compare + 1))

    def next_update(self, cycle: int) -> int | None:
        """Return when buffered compare values are taken over; ``None``: at once."""
        if not self.divisor or self.kind < FAST:
            return None
        return self._next(cycle, self.top if self.kind == DUAL else 0)

    def due(
        self, cycle: int, compares: list[int], blocked: int, *, marks_top: bool
    ) -> list[tuple[int, int]]:
        """Return when each flag will be set next, and its bit.

        Up to ``blocked`` nothing is compared; ``marks_top`` is for TOP in ICR.
        """
        found = [(self.next_overflow(cycle), TOV)]
        unblocked = max(cycle, blocked)
        for compare, flag in zip(compares, COMPARE_FLAGS, strict=False):
            found.append((self.next_match(unblocked, compare), flag))
        if marks_top:
            found.append((self.next_match(cycle, self.top), ICF))
        return [(at_cycle, flag) for at_cycle, flag in found if at_cycle is not None]

    @property
    def _lap(self) -> int:
        return max(1, 2 * self.top) if self.kind >= DUAL else self.top + 1

    def _next(self, cycle: int, place: int) -> int:
        first = self._zero + place * self.divisor
        if first > cycle:
            return first
        lap = self._lap * self.divisor
        return first + ((cycle - first) // lap + 1) * lap

    def _count_began(self, cycle: int) -> int:
        return cycle - (cycle - self._zero) % self.divisor if self.divisor else cycle

    def _falls(self, cycle: int) -> bool:
        if self.kind < DUAL or not self.divisor:
            return False
        return (cycle - self._zero) // self.divisor % self._lap > self.top

    def _place(self, cycle: int, count: int, *, falls: bool) -> None:
        self._held = count
        if self.kind >= DUAL:
            place = min(count, self.top)
            place = 2 * self.top - place if falls else place
            self._zero = cycle - place * self.divisor
        elif count <= self.top:
            self._zero = cycle - count * self.divisor
        else:
            self._zero = cycle + (self.maximum + 1 - count) * self.divisor
