"""A timer that counts as the chip's does, where simavr's own does not.

simavr has no phase-correct modes (their counters overflow with every clock), never
looks at ICR, forgets the count when the clock starts, does not start at OCRA = 0, and
clears all flags when one is cleared. Ours only works something out when it is asked,
or when an interrupt is due. Where simavr's gives the same it goes on, as it costs less.
"""

from __future__ import annotations

from pytest_embedbench.engines.simavr.core import layout
from pytest_embedbench.engines.simavr.core.capture import InputCapture
from pytest_embedbench.engines.simavr.core.counter import (
    CTC,
    FAST,
    ICR,
    NORMAL,
    OCRA,
    Counter,
)
from pytest_embedbench.engines.simavr.core.mcus import AS2_BIT, ASSR, TOV
from pytest_embedbench.engines.simavr.core.simavr_timer import (
    SimavrTimer,
    TimerRegisters,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pytest_embedbench.engines.simavr.core.machine import AvrMachine
    from pytest_embedbench.engines.simavr.core.mcus import Timer

_ENABLES_COMPARES, _EVERY_FLAG = 0x0E, 0xFF


class AvrTimer:
    """One timer of the MCU.

    ``_compares`` is what it compares with: the registers are buffers in PWM modes. Up
    to the cycle ``_seen`` all flags are set in TIFR; before ``_quiet_until`` no other.
    """

    def __init__(self, machine: AvrMachine, timer: Timer) -> None:
        self._machine, self._timer = machine, timer
        self._lib, self._data = machine.lib, machine.data
        self._cycle = machine.cycle_view
        self._ocrs = [ocr for ocr, _ in timer.outputs]
        self._vectors = {f: machine.vector(v) for f, v in timer.vectors.items()}
        self._event = machine.keep(layout.CycleTimer(self._on_event))
        self._read_count = machine.keep(layout.IoRead(self._on_read_count))
        self._read_flags = machine.keep(layout.IoRead(self._on_read_flags))
        self._capture: InputCapture | None = None
        self._registers = TimerRegisters(machine.data, timer)
        self._simavrs = SimavrTimer(machine, timer)
        self._hook()
        self._start_over()
        machine.revive.append(self._on_reset)

    def _start_over(self) -> None:
        self._counter = Counter(0xFFFF if self._timer.icr else 0xFF)
        self._compares = [0] * len(self._ocrs)
        self._top_in: str | None = None
        self._seen = self._blocked = self._quiet_until = 0
        self._frozen_at: int | None = None
        self._is_ours = False

    def _hook(self) -> None:
        machine, timer = self._machine, self._timer
        for ocr in self._ocrs:
            machine.on_write(ocr, self._on_compare)
        machine.on_write(timer.tcnt, self._on_count)
        machine.on_write(timer.tifr, self._on_flags)
        machine.on_write(timer.timsk, self._on_mask)
        if timer.icr:
            machine.on_write(timer.icr, self._on_icr)
            self._capture = InputCapture(machine, timer, self._keep_captured)
        bits = [(timer.tccra, bit) for bit in (0, 1, 2, 4, 6)]
        bits += [(timer.tccrb, bit) for bit in range(5)]
        if timer.is_asynchronous:
            bits.append((ASSR, AS2_BIT))
        machine.on_bits(bits, self._on_mode)

    # ---------------------------------------------------------------- what it is set to
    def _on_mode(self, _irq: int, _value: int, _param: int) -> None:
        """Read the registers; give the work to whoever does it right."""
        counter, registers = self._counter, self._registers
        cycle = self._machine.avr.cycle
        self._sync(cycle)
        kind, top = registers.waveform()
        self._top_in = top if isinstance(top, str) else None
        if kind < FAST or not counter.divisor:
            self._take_compares()
        if top == OCRA:
            top = self._compares[0]
        elif top == ICR:
            top = registers.word(self._timer.icr)
        outside = registers.are_clocked_outside()
        divisor = 0 if outside else registers.divisor()
        counter.change(cycle, divisor, kind, int(top))
        self._seen = cycle
        differs = counter.count(cycle) or (divisor and not self._is_simple())
        self._give(to_us=bool(differs) and not outside)

    def _is_simple(self) -> bool:
        """Say whether simavr's counter does what the chip's does, begun at 0."""
        counter = self._counter
        if counter.kind != NORMAL and self._registers.turn_pins_over():
            return False  # simavr would write that into PORT
        if counter.kind == CTC:
            lasts = (counter.top + 1) * counter.divisor > 1
            overflows = self._data[self._timer.timsk] & 1 << TOV
            return self._top_in == OCRA and lasts and not overflows
        return counter.kind in (NORMAL, FAST) and self._top_in is None

    def _give(self, *, to_us: bool) -> None:
        """Let this counter work, or simavr's, which has been set to the same."""
        if to_us:
            self._simavrs.stop()
        self._is_ours = to_us
        if self._capture:
            self._capture.is_on = to_us
        machine, timer = self._machine, self._timer
        reads = self._read_count if to_us else self._simavrs.read_count
        machine.read_by(timer.tcnt, reads)
        machine.io(timer.tifr).read = self._read_flags if to_us else None
        self._plan(machine.avr.cycle)

    # --------------------------------------------------------------- what has happened
    def _due(self, since: int) -> list[tuple[int, int]]:
        """Return the next cycle of each event after ``since``, and its flag."""
        counter, compares = self._counter, self._compares
        return counter.due(
            since, compares, self._blocked, marks_top=self._top_in == ICR
        )

    def _sync(self, cycle: int) -> None:
        """Set the flags of all that has happened up to ``cycle``."""
        if self._capture:
            self._capture.settle()
        if not self._is_ours or self._frozen_at is not None:
            return
        while self._seen < cycle:
            update = self._next_update(self._seen)
            until = cycle if update is None else min(cycle, update)
            for at, flag in self._due(self._seen):
                if at <= until:
                    self._raise(flag)
            self._seen = until
            if until == update:
                self._take_compares()
                if self._top_in == OCRA:
                    self._change_top(until, self._compares[0])

    def _next_update(self, cycle: int) -> int | None:
        """Return when what has been written to compare registers takes effect."""
        if self._compares == [self._registers.word(ocr) for ocr in self._ocrs]:
            return None
        return self._counter.next_update(cycle)

    def _take_compares(self) -> None:
        self._compares = [self._registers.word(ocr) for ocr in self._ocrs]

    def _change_top(self, cycle: int, top: int) -> None:
        counter = self._counter
        counter.change(cycle, counter.divisor, counter.kind, top)

    def _raise(self, flag: int) -> None:
        self._lib.avr_raise_interrupt(self._machine.pointer, self._vectors[flag])

    def _plan(self, cycle: int) -> None:
        """Come back when the next interrupt is due that the firmware has asked for."""
        self._quiet_until = 0
        if at := self._next_event(cycle):
            self._machine.at(at, self._event)

    def _next_event(self, cycle: int) -> int:
        mask = self._data[self._timer.timsk]
        is_on = mask and self._is_ours and self._frozen_at is None
        return self._next_of(mask, cycle) if is_on else 0

    def _next_of(self, mask: int, cycle: int) -> int:
        due = [at for at, flag in self._due(cycle) if mask >> flag & 1]
        update = self._next_update(cycle)
        return min(due if update is None else [*due, update], default=0)

    def _on_event(self, _avr: int, when: int, _param: int) -> int:
        self._sync(when)
        return self._next_event(when)

    # ------------------------------------------------------------- what firmware does
    def _on_compare(self, _avr: int, address: int, value: int, _param: int) -> None:
        cycle, counter = self._machine.avr.cycle, self._counter
        self._sync(cycle)
        is_buffer = bool(counter.divisor) and counter.kind >= FAST
        if is_buffer and self._data[self._timer.timsk] & _ENABLES_COMPARES:
            self._take_over(cycle)
        if not self._is_ours:
            self._simavrs.write(address, value)
        self._data[address] = value
        if not is_buffer or not self._is_ours:
            self._take_compares()
            if self._top_in == OCRA:
                passed = counter.count(cycle) > self._compares[0]
                self._change_top(cycle, self._compares[0])
                if passed or not self._is_simple():
                    self._take_over(cycle)
        self._plan(cycle)

    def _on_icr(self, _avr: int, address: int, value: int, _param: int) -> None:
        cycle = self._machine.avr.cycle
        self._sync(cycle)
        self._data[address] = value
        if self._top_in == ICR:
            self._change_top(cycle, self._registers.word(address))
            self._plan(cycle)

    def _on_count(self, _avr: int, address: int, value: int, _param: int) -> None:
        if self._registers.are_clocked_outside():
            self._simavrs.write(address, value)
            return
        cycle = self._machine.avr.cycle
        self._sync(cycle)
        self._data[address] = value
        self._counter.write(cycle, self._registers.word(address))
        # What it is written to is not compared with anything.
        self._blocked = cycle + self._counter.divisor
        self._take_over(cycle)
        self._plan(cycle)

    def _on_mask(self, _avr: int, address: int, value: int, _param: int) -> None:
        """Raise an interrupt whose flag is up: simavr forgets it."""
        cycle = self._machine.avr.cycle
        self._sync(cycle)
        ready = value & ~self._data[address] & self._data[self._timer.tifr]
        self._data[address] = value
        for flag in self._vectors:
            if ready >> flag & 1:
                self._raise(flag)
        if self._counter.divisor and not self._is_simple():
            self._take_over(cycle)
        self._plan(cycle)

    def _on_flags(self, _avr: int, address: int, value: int, _param: int) -> None:
        """Clear the flags that are written as 1, and no others."""
        self._sync(self._machine.avr.cycle)
        value = self._machine.written_bits(value)
        for flag, vector in self._vectors.items():
            if value & self._data[address] & 1 << flag:
                self._lib.avr_clear_interrupt(self._machine.pointer, vector)
                self._data[address] &= ~(1 << flag)

    def _keep_captured(self, cycle: int) -> None:
        if self._top_in != ICR:
            self._registers.store(self._timer.icr, self._counter.count(cycle))

    def _on_read_count(self, _avr: int, address: int, _param: int) -> int:
        cycle = self._machine.avr.cycle
        self._sync(cycle)
        self._registers.store(address, self._counter.count(cycle))
        return self._data[address]

    def _on_read_flags(self, _avr: int, address: int, _param: int) -> int:
        """Tell the flags; who polls them is told those of before until one is due."""
        cycle = self._cycle[0]
        if cycle >= self._quiet_until:
            self._sync(cycle)
            self._quiet_until = self._next_of(_EVERY_FLAG, cycle)
        return self._data[address]

    def _take_over(self, cycle: int) -> None:
        if not self._is_ours:
            self._seen = cycle
            self._give(to_us=True)

    def _on_reset(self) -> None:
        self._simavrs.reset()
        self._start_over()
        self._give(to_us=False)

    # -------------------------------------------------------------------------- asleep
    def freeze(self, cycle: int) -> None:
        """Stand still: the clock of the I/O has stopped."""
        if self._counter.divisor and self._frozen_at is None:
            self._sync(cycle)
            if not self._is_ours:
                self._simavrs.stop()
            self._frozen_at = cycle

    def thaw(self, cycle: int) -> None:
        """Go on from where it stood."""
        if self._frozen_at is None:
            return
        self._counter.delay(cycle - self._frozen_at)
        self._frozen_at = None
        self._seen = cycle
        if self._is_ours:
            self._plan(cycle)
        else:
            count = self._counter.count(cycle)
            self._registers.store(self._timer.tcnt, count)
            self._simavrs.start(count)
