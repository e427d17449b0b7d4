"""Leap over the rounds of Arduino's ``delay()``, which waits by asking for the time.

The core's ``delay()`` calls ``micros()`` until 1000 us have passed. A round changes
nothing but time, as long as no interrupt comes and the timer's count does not come
round; so some of them may be left out, if the time that they take is added. Whether a
read of TCNT0 belongs to such a loop is seen in the program's own bytes; it is one
period of it after the last, to the cycle, if nothing has come between. What would
happen in the rounds that are left out is asked before, and whatever is not as known is
run through as ever.

Source: ``delay()`` and ``micros()`` in ``wiring.c`` of Arduino's AVR core 1.8.x at 16
and at 8 MHz, as avr-gcc 5 to 7 compiles them with ``-Os``, each file alone or with
``-flto``.
"""

from __future__ import annotations

import ctypes
import re

from pytest_embedbench.engines.simavr.core import layout
from pytest_embedbench.engines.simavr.core.mcus import SPH, SPL, TCNT0

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_embedbench.engines.simavr.core.machine import AvrMachine

_ZERO = 1  # the register that avr-gcc keeps 0
_TIFR0, _TCCR0A, _TCCR0B = 0x35, 0x44, 0x45
_DIVISOR, _DIVISOR_BITS = 64, 3
_COUNTS = 256
_ROUND_US = 1000
_FRUITLESS = 200
"""After so many reads by others simavr does without us until it is told to go on."""

# in r19,SREG; cli; lds r24..r27,timer0_overflow_count; in r18,TCNT0: the read. Then all
# up to ret, with the way that is taken while TOV0 is clear. A count is 4 us at 16 MHz
# and 8 at 8 MHz: r20 has how many times it is doubled.
_BEFORE_READ = re.compile(
    rb"\x3f\xb7\xf8\x94\x80\x91..\x90\x91..\xa0\x91..\xb0\x91..\Z", re.DOTALL
)
_AFTER_READ = re.compile(
    re.escape(bytes.fromhex("26b5a89b05c02f3f19f00196a11db11d3fbfba2fa92f982f8827"))
    + re.escape(bytes.fromhex("bc01cd01620f711d811d911d"))
    + rb"([\x42\x43])\xe0"
    + re.escape(bytes.fromhex("660f771f881f991f4a95d1f70895"))
)
_AFTER_BYTES = 54
_BEFORE_BYTES = 20
# sub r22,a; sbc r23,b; sbc r24,c; sbc r25,d; cpi r22,0xE8; sbci r23,3; cpc r24,r1;
# cpc r25,r1; brcs: 1000 us have not passed since a to d.
_COMPARE = re.compile(
    rb"(.[\x18-\x1b])(.[\x08-\x0b])(.[\x08-\x0b])(.[\x08-\x0b])"
    rb"\x68\x3e\x73\x40\x81\x05\x91\x05(.[\xf0-\xf3])",
    re.DOTALL,
)
_COMPARE_BYTES = 18
# cp a,r1; cpc b,r1; cpc c,r1; cpc d,r1; breq; then the call of yield().
_NOT_YET = re.compile(rb"(?:.[\x14\x15]){1}(?:.[\x04\x05]){3}.[\xf0-\xf3]", re.DOTALL)
_NOT_YET_BYTES = 10
_CALL, _RET = b"\x0e\x94", b"\x08\x95"
_CALL_BYTES = 4
# From one read to the next: micros() from its read on, what compares, micros() before;
# but for the doubling.
_LONE_CYCLES = 15 + 10 + 10
_DOUBLING_CYCLES = 7
_YIELDING_CYCLES = 5
_LONGEST_CYCLES = 100
_ROUNDS_LEFT = 3


Site = tuple[int, int, tuple[int, ...]]
"""A loop: cycles of a round, us of a count, and which registers hold when it began."""
_NO_LOOP: Site = 0, 0, ()


class DelayLoop:
    """Stands between the firmware and who knows TCNT0's count."""

    def __init__(self, machine: AvrMachine) -> None:
        self._machine = machine
        self._cycle = machine.cycle_view
        # A return address of three bytes takes a cycle more, both ways.
        self._wide = int(machine.mcu.flash_bytes > 1 << 17)
        self._sites: dict[int, Site] = {}
        self._read = machine.keep(layout.IoRead(self._on_read))
        self._others: Callable[[int, int, int], int] = _nobody
        self._other: int | None = None
        self._last = self._not_before = 0
        self._fruitless = 0
        machine.readers[TCNT0] = self._in_front_of
        machine.read_by(TCNT0, machine.io(TCNT0).read)
        machine.going.append(self._arm)

    def _in_front_of(self, other: int | None) -> int | None:
        """Take the place of who tells the count, and ask that one."""
        if not other:
            return other
        self._other = other
        self._others = layout.IoRead(other)
        return self._read if self._fruitless < _FRUITLESS else other

    def _arm(self) -> None:
        if self._fruitless >= _FRUITLESS:
            self._machine.io(TCNT0).read = self._read
        self._fruitless = 0

    def _on_read(self, avr: int, address: int, param: int) -> int:
        cycle = self._cycle[0]
        since, self._last = cycle - self._last, cycle
        if cycle >= self._not_before:
            if since < _LONGEST_CYCLES and self._skip(self._machine.avr, since):
                self._fruitless = 0
                self._last = cycle = self._cycle[0]
                # There was room for no more.
                self._not_before = cycle + _ROUNDS_LEFT * since
            else:
                self._fruitless += 1
                if self._fruitless == _FRUITLESS:
                    self._machine.io(TCNT0).read = self._other
        return self._others(avr, address, param)

    def _skip(self, core: layout.Avr, since: int) -> bool:
        """Leave out rounds, if this is a loop's and nothing can come between."""
        data = self._machine.data
        top = 1 + (data[SPL] | data[SPH] << 8)
        returns_to = data[top + self._wide] << 8 | data[top + self._wide + 1]
        if self._wide:
            returns_to |= data[top] << 16
        site = self._site(core.pc, returns_to * 2)
        period_cycles = site[0]
        if since != period_cycles or not self._is_plain(core, data):
            return False
        rounds = self._rounds(core, site)
        if rounds > 0:
            core.cycle += rounds * period_cycles
            core.run_cycle_count -= rounds * period_cycles
        return True

    def _is_plain(self, core: layout.Avr, data: memoryview) -> bool:
        """Say whether the next round is going to be as the last one was."""
        if data[_ZERO] or data[_TIFR0] & 1 or core.interrupt_state:
            return False
        if data[_TCCR0B] & 0x0F != _DIVISOR_BITS or data[_TCCR0A] & 3 not in (0, 3):
            return False
        return not self._machine.lib.avr_has_pending_interrupts(self._machine.pointer)

    def _rounds(self, core: layout.Avr, site: Site) -> int:
        period_cycles, us_per_count, begun_in = site
        data = self._machine.data
        slot = self._machine.io(TCNT0)
        count = self._others(self._machine.pointer, TCNT0, slot.read_param)
        a, b, c, d = begun_in
        overflows = data[24] | data[25] << 8 | data[26] << 16 | data[27] << 24
        begun_us = data[a] | data[b] << 8 | data[c] << 16 | data[d] << 24
        now_us = (overflows << 8 | count) * us_per_count
        passed_us = (now_us - begun_us) & 0xFFFF_FFFF
        # By so much the count may grow until one of two things happens.
        room = min((_ROUND_US - 1 - passed_us) // us_per_count, _COUNTS - 2 - count)
        # And up to what simavr has to do next, with a round to spare.
        free_cycles: int = core.run_cycle_count - 2 * period_cycles
        return min(room * _DIVISOR, free_cycles) // period_cycles

    def _site(self, pc: int, returns_to: int) -> Site:
        site = self._sites.get(returns_to)
        if site is None:
            site = self._sites[returns_to] = self._looked_at(pc, returns_to)
        return site

    def _looked_at(self, pc: int, returns_to: int) -> Site:
        begins = pc - _BEFORE_BYTES
        asked = _BEFORE_READ.match(self._flash(begins, _BEFORE_BYTES))
        compare = _COMPARE.match(self._flash(returns_to, _COMPARE_BYTES))
        micros = _AFTER_READ.match(self._flash(pc, _AFTER_BYTES)) if asked else None
        if micros is None or compare is None:
            return _NO_LOOP
        operands = [_operands(compare[index]) for index in range(1, 5)]
        branch = int.from_bytes(compare[5], "little")
        if [first for first, _ in operands] != [22, 23, 24, 25] or branch & 7:
            return _NO_LOOP  # brcs tests bit 0 of SREG
        words = (branch >> 3 & 0x7F) - (branch >> 2 & 0x80)
        again = returns_to + _COMPARE_BYTES + 2 * words
        doublings = micros[1][0] & 15
        period_cycles = self._period_cycles(again, begins, returns_to)
        if period_cycles:
            period_cycles += doublings * _DOUBLING_CYCLES
        return period_cycles, 1 << doublings, tuple([each for _, each in operands])

    def _period_cycles(self, again: int, micros: int, returns_to: int) -> int:
        """Return how long a round takes but for doubling; 0 if it is none we know."""
        call_and_return = 8 + 2 * self._wide
        lone = _LONE_CYCLES + call_and_return
        call = returns_to - _CALL_BYTES
        if self._calls(call) != micros:
            return 0
        if again == call:
            return lone
        yields = call - _CALL_BYTES
        if again + _NOT_YET_BYTES == yields and self._is_empty(self._calls(yields)):
            words = self._flash(again, _NOT_YET_BYTES)
            if _NOT_YET.match(words):
                return lone + _YIELDING_CYCLES + call_and_return
        return 0

    def _is_empty(self, function: int) -> bool:
        return self._flash(function, 2) == _RET

    def _calls(self, address: int) -> int:
        code = self._flash(address, _CALL_BYTES)
        return int.from_bytes(code[2:], "little") * 2 if code[:2] == _CALL else -1

    def _flash(self, start: int, count: int) -> bytes:
        if start < 0 or start + count > self._machine.mcu.flash_bytes:
            return b""
        return ctypes.string_at(self._machine.avr.flash + start, count)


def _nobody(_avr: int, _address: int, _param: int) -> int:
    return 0


def _operands(code: bytes) -> tuple[int, int]:
    """Return the registers of an instruction with two."""
    word = int.from_bytes(code, "little")
    return word >> 4 & 0x1F, word & 0x0F | word >> 5 & 0x10
