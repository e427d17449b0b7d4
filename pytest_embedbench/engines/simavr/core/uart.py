"""One USART: real byte times out, real byte times and real overruns in."""

from __future__ import annotations

from bisect import bisect_right
from ctypes import addressof, c_uint16, c_uint64

from pytest_embedbench.engines.simavr.core import layout

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pytest_embedbench.engines.simavr.core.machine import AvrMachine

_INPUT, _OUTPUT = 0, 1
_FLAGS_AT_START = 3
# UCSRnA, UCSRnB, UCSRnC, then UBRRnL, UBRRnH and UDRnL, seen from UCSRnA.
_A, _B, _C, _BAUD_LOW, _BAUD_HIGH, _UDR = 0, 1, 2, 4, 5, 6
_U2X, _DOR, _UDRE = 0x02, 0x08, 0x20
_RXEN, _TXEN, _UDRIE, _NINE_BITS = 0x10, 0x08, 0x20, 0x04
_TXEN_BIT = 3
_PARITY, _TWO_STOPS = 0x20, 0x08
# The receiver holds two bytes in its buffer and one in its shift register.
_RECEIVER_BYTES = 3
# How often per byte time we look whether there is room for the next byte.
_BACKLOG_LOOKS = 16
# Ten bits sampled in their middle: half a bit may be missed at the last one.
_TOLERANCE = 0.05


class Usart:
    """The wire of one USART, whose other end speaks as fast as the firmware.

    If it is ``told``, it speaks at ``baud_bps``, whatever the firmware does.

    Since the last report: ``overruns`` are bytes lost because the firmware had not
    read, ``unheard`` those that came while the receiver was off; ``odd_bps`` is a baud
    rate of the firmware that the other end would not understand. ``line_free_at`` is
    when the last byte is out; ``on_begun`` is called with start, end, value of each.
    """

    def __init__(
        self, machine: AvrMachine, number: int, baud_bps: int, *, told: bool
    ) -> None:
        self.overruns = self.unheard = self.odd_bps = 0
        self.on_begun: Callable[[int, int, int], None] | None = None
        self._machine = machine
        self._cycle, self._data = machine.cycle_view, machine.data
        self._base = machine.mcu.uarts[number]
        self._baud_bps = baud_bps
        self._told = told
        self._registers = machine.data[self._base : self._base + _UDR].tobytes
        self._spans: dict[bytes, int] = {}
        self._nominal_cycles = 10 * machine.cpu_hz // baud_bps
        self._said = bytearray()
        self._said_at: list[int] = []
        self._sought: dict[bytes, int] = {}
        self._on_sought: Callable[[int, bytes], None] | None = None
        self._found: list[tuple[int, bytes]] = []
        self._tail = bytearray()
        self.line_free_at = 0
        self._wire = bytearray()
        self._byte_end = 0
        self._frozen_at: int | None = None
        self._connect(number)

    def _connect(self, number: int) -> None:
        machine, base = self._machine, self._base
        slot = machine.io(base + _UDR)
        self._uart = uart = layout.Uart.from_address(slot.read_param)
        seen = (uart.name, uart.r_udr, uart.r_ucsra, uart.flags)
        if seen != (b"%d" % number, base + _UDR, base, _FLAGS_AT_START):
            raise layout.LayoutMismatch(f"avr_uart_t {number} is not laid out as known")
        uart.flags = 0  # do not print to stdout, do not sleep when polled
        self._look_into(addressof(uart))
        signals = layout.ioctl(f"uar{number}")
        getirq = machine.lib.avr_io_getirq
        self._raise = machine.lib.avr_raise_irq
        self._input = getirq(machine.pointer, signals, _INPUT)
        machine.notify(getirq(machine.pointer, signals, _OUTPUT), self._on_output)
        self._received = addressof(uart) + layout.Uart.vectors.offset
        self._control = machine.io(base + _B)
        self._simavrs_control = self._control.write
        self._simavrs_write = layout.IoWrite(self._simavrs_control)
        self._simavrs_param = self._control.write_param
        self._our_control = machine.keep(layout.IoWrite(self._on_control))
        self._control.write = self._our_control
        machine.on_bits([(base + _B, _TXEN_BIT)], self._on_transmitter)
        self._timer = machine.keep(layout.CycleTimer(self._on_byte_end))
        self._backlog_timer = machine.keep(layout.CycleTimer(self._on_backlog))
        self._found_timer = machine.keep(layout.CycleTimer(self._on_found))
        machine.going_on |= {self._timer, self._found_timer}
        machine.revive.append(self._on_reset)
        machine.started.append(self._on_started)
        machine.busy_until.append(lambda: self.line_free_at)

    def _look_into(self, uart_at: int) -> None:
        """See single numbers of simavr's as items: fields take three times as long."""
        fifo = c_uint16 * 2
        ends = fifo.from_address(uart_at + layout.Uart.fifo_read.offset)
        self._fifo = memoryview(ends).cast("B").cast("H")
        span = c_uint64.from_address(uart_at + layout.Uart.cycles_per_byte.offset)
        self._byte_time = memoryview(span).cast("B").cast("Q")

    def byte_cycles(self) -> int:
        """Return how long one byte takes with the registers as they are."""
        registers = self._registers()
        span = self._spans.get(registers)
        if span is None:
            span = self._spans[registers] = self._byte_cycles(registers)
        return span

    def _byte_cycles(self, registers: bytes) -> int:
        divisor = 1 + registers[_BAUD_LOW] + ((registers[_BAUD_HIGH] & 15) << 8)
        bit_cycles = divisor * (8 if registers[_A] & _U2X else 16)
        bps = self._machine.cpu_hz / bit_cycles
        if self._told and abs(bps - self._baud_bps) > _TOLERANCE * self._baud_bps:
            self.odd_bps = round(bps)
        bits = 7 + (registers[_C] >> 1 & 3)  # start, five to eight data bits, stop
        bits += bool(registers[_C] & _PARITY) + bool(registers[_C] & _TWO_STOPS)
        bits += bool(registers[_B] & _NINE_BITS)
        return bits * bit_cycles

    # ------------------------------------------------------------------- firmware ->
    def _on_output(self, _irq: int, byte: int, _param: int) -> None:
        """Put a byte on the line behind the one before it.

        simavr has no transmit buffer: it asks for the next byte when the line is
        free, the chip asks one byte earlier. A byte that comes within one bit of that
        is taken to have been waiting. simavr's own byte time is one bit too long.
        """
        now = self._cycle[0]
        span = self._spans.get(self._registers()) or self.byte_cycles()
        end = self.line_free_at
        if now - end > span // 10:
            end = now
        end += span
        self.line_free_at = end
        self._said.append(byte)
        self._said_at.append(end)
        if self.on_begun is not None:
            self.on_begun(end - span, end, byte)
        if self._sought:
            self._look(byte, end)
        if self._data[self._base + _B] & _UDRIE:
            self._byte_time[0] = span
        else:
            self._byte_time[0] = end - now if end > now else 1

    def look_for(
        self,
        sought: Sequence[bytes],
        call: Callable[[int, bytes], None] | None = None,
    ) -> None:
        """Have called, when they have just been said, which bytes, and the cycle.

        What was said before somebody looked out for them does not count.
        """
        self._sought = {said: self._sought.get(said, 0) for said in sought}
        self._on_sought = call

    def _look(self, byte: int, end: int) -> None:
        tail, sought = self._tail, self._sought
        tail.append(byte)
        del tail[: -max(map(len, sought))]
        for said, heard_count in sought.items():
            sought[said] = heard_count + 1
            if heard_count + 1 >= len(said) and tail.endswith(said):
                self._found.append((end, said))
                self._machine.at(self._found[0][0], self._found_timer)

    def _on_found(self, _avr: int, when: int, _param: int) -> int:
        found = self._found
        while found and found[0][0] <= when:
            _, said = found.pop(0)
            if self._on_sought is not None:
                self._on_sought(when, said)
        return found[0][0] if found else 0

    def _on_control(self, avr: int, address: int, value: int, _param: int) -> None:
        """Leave room for a byte where the transmitter is off: simavr takes it away."""
        self._simavrs_write(avr, address, value, self._simavrs_param)
        if not value & _TXEN:
            self._data[self._base] |= _UDRE

    def _on_transmitter(self, _irq: int, is_on: int, _param: int) -> None:
        """Leave the register to simavr while the transmitter is on: it costs less."""
        if is_on:
            self._control.write = self._simavrs_control
        else:
            self._control.write = self._our_control
            self._data[self._base] |= _UDRE

    def take(self, cycle: int) -> list[tuple[int, bytes]]:
        """Return what is fully out by ``cycle``, cut behind newlines, with its end."""
        if self._frozen_at is not None:
            cycle = min(cycle, self._frozen_at)
        count = bisect_right(self._said_at, cycle)
        if not count:
            return []
        said, ends = bytes(self._said[:count]), self._said_at
        chunks: list[tuple[int, bytes]] = []
        start = 0
        while start < count:
            newline = said.find(b"\n", start)
            end = count if newline < 0 else newline + 1
            chunks.append((ends[end - 1], said[start:end]))
            start = end
        del self._said[:count], ends[:count]
        return chunks

    # ------------------------------------------------------------------- -> firmware
    def send(self, data: bytes) -> None:
        """Put bytes on the wire, behind those that are still on it."""
        idle = not self._wire
        self._wire += data
        if idle and data:
            self._begin_byte(self._cycle[0])
            self._machine.at(self._byte_end, self._timer)

    def _begin_byte(self, cycle: int) -> None:
        self.make_room()
        span = self.byte_cycles() if self.is_listening() else self._nominal_cycles
        self._byte_end = cycle + span

    def is_listening(self) -> bool:
        """Say whether the receiver is on."""
        return bool(self._data[self._base + _B] & _RXEN)

    def make_room(self) -> None:
        """For a byte that comes: if nothing has been read, the one before is lost."""
        if self._backlog() >= _RECEIVER_BYTES:
            self._uart.fifo_write = (self._uart.fifo_write - 1) & 63
            self._data[self._base] |= _DOR
            self.overruns += 1

    def _on_byte_end(self, _avr: int, when: int, _param: int) -> int:
        self.take_in(self._wire[0], when)
        del self._wire[0]
        if not self._wire:
            return 0
        self._begin_byte(when)
        return self._byte_end

    def take_in(self, byte: int, when: int) -> None:
        """Hear a byte whose stop bit is out now, if anybody listens."""
        data, base = self._data, self._base
        if self.is_listening() and self._frozen_at is None:
            # The byte is here now, not in one byte time as simavr has it; and the
            # chip takes bytes after an overrun, simavr does not.
            self._byte_time[0] = 0
            status = data[base]
            data[base] = status & ~_DOR
            self._raise(self._input, byte)
            if status & _DOR:
                data[base] |= _DOR
            self._byte_time[0] = span = self.byte_cycles()
            if self._backlog() > 1:
                self._machine.at(when + span // _BACKLOG_LOOKS, self._backlog_timer)
        else:
            self.unheard += 1

    def _on_backlog(self, _avr: int, when: int, _param: int) -> int:
        """Offer the next byte as soon as one is read; simavr waits for a byte time."""
        if not self._backlog():
            return 0
        self._machine.lib.avr_raise_interrupt(self._machine.pointer, self._received)
        return when + self.byte_cycles() // _BACKLOG_LOOKS

    def _backlog(self) -> int:
        return (self._fifo[1] - self._fifo[0]) & 63

    def _on_reset(self) -> None:
        """A reset cuts the byte that is going out; the other side keeps sending."""
        now = self._cycle[0]
        count = bisect_right(self._said_at, now)
        del self._said[count:], self._said_at[count:]
        self.line_free_at = now if self.on_begun is None else self.line_free_at
        self._found.clear()
        self._frozen_at = None
        if self._wire:
            self._machine.at(self._byte_end, self._timer)

    def freeze(self, cycle: int) -> None:
        """Stop in the middle of a byte, and hear none: its clock has stopped."""
        self._frozen_at = cycle

    def thaw(self, cycle: int) -> None:
        """Go on with the byte."""
        frozen_at = cycle if self._frozen_at is None else self._frozen_at
        slept_cycles, self._frozen_at = cycle - frozen_at, None
        count = bisect_right(self._said_at, frozen_at)
        self._said_at[count:] = [end + slept_cycles for end in self._said_at[count:]]
        if self.line_free_at > frozen_at:
            self.line_free_at += slept_cycles

    def _on_started(self) -> None:
        """Switch the transmitter off, which simavr has on after a reset."""
        self._data[self._base + _B] &= ~_TXEN
