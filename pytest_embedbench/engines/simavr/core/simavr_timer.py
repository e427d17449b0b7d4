"""What ours finds in the place of a timer: its registers, and simavr's own timer."""

from __future__ import annotations

from pytest_embedbench.engines.simavr.core import layout
from pytest_embedbench.engines.simavr.core.counter import WAVEFORMS_8, WAVEFORMS_16
from pytest_embedbench.engines.simavr.core.mcus import AS2_BIT, ASSR

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pytest_embedbench.engines.simavr.core.counter import Waveform
    from pytest_embedbench.engines.simavr.core.machine import AvrMachine
    from pytest_embedbench.engines.simavr.core.mcus import Timer

_CLOCK, _CLOCKS_OUTSIDE = 7, (6, 7)


class TimerRegisters:
    """What the firmware has set a timer to."""

    def __init__(self, data: memoryview, timer: Timer) -> None:
        self._data = data
        self._timer = timer

    def waveform(self) -> Waveform:
        """Return the way of counting, and TOP or what holds it."""
        data, timer = self._data, self._timer
        low, high = data[timer.tccra] & 3, data[timer.tccrb]
        if timer.icr:
            return WAVEFORMS_16.get(low | high >> 1 & 0b1100, WAVEFORMS_16[0])
        return WAVEFORMS_8.get(low | high >> 1 & 0b100, WAVEFORMS_8[0])

    def turn_pins_over(self) -> bool:
        """Say whether a match turns one of the timer's pins over."""
        connected = self._data[self._timer.tccra]
        bits = range(6, 6 - 2 * len(self._timer.outputs), -2)
        return any(connected >> bit & 3 == 1 for bit in bits)

    def divisor(self) -> int:
        """Return the CPU cycles per count; 0 without a clock."""
        return self._timer.divisors[self._data[self._timer.tccrb] & _CLOCK]

    def are_clocked_outside(self) -> bool:
        """Say whether it counts edges of a pin, or a crystal of its own."""
        if self._timer.is_asynchronous:
            return bool(self._data[ASSR] & 1 << AS2_BIT)
        return self._data[self._timer.tccrb] & _CLOCK in _CLOCKS_OUTSIDE

    def word(self, address: int) -> int:
        """Return a register of all the timer's bits."""
        data = self._data
        return data[address] | (data[address + 1] << 8 if self._timer.icr else 0)

    def store(self, address: int, count: int) -> None:
        """Let such a register be read."""
        self._data[address] = count & 0xFF
        if self._timer.icr:
            self._data[address + 1] = count >> 8


class SimavrTimer:
    """What simavr does at the registers of a timer, before ours takes their place."""

    def __init__(self, machine: AvrMachine, timer: Timer) -> None:
        self._machine = machine
        self._tccrb = timer.tccrb
        self._tcnt = timer.tcnt
        written = [timer.tccrb, timer.tcnt, *(ocr for ocr, _ in timer.outputs)]
        self._writes = {
            address: (layout.IoWrite(slot.write), slot.write_param)
            for address, slot in ((each, machine.io(each)) for each in written)
        }
        self.read_count = machine.io(timer.tcnt).read

    def write(self, address: int, value: int) -> None:
        """Have it see the firmware write a register."""
        write, param = self._writes[address]
        write(self._machine.pointer, address, value, param)

    def stop(self) -> None:
        """Have it see its clock go; the register stays what it is."""
        data = self._machine.data
        control = data[self._tccrb]
        if control & _CLOCK:
            self.write(self._tccrb, control & ~_CLOCK)
            data[self._tccrb] = control

    def start(self, count: int) -> None:
        """Have it see its clock come, and count on from ``count``."""
        data = self._machine.data
        control = data[self._tccrb]
        data[self._tccrb] = control & ~_CLOCK
        self.write(self._tccrb, control)
        if count:
            self.write(self._tcnt, count & 0xFF)

    def reset(self) -> None:
        """Have it stand still at 0, or it counts on from before a reset."""
        self._machine.data[self._tccrb] = 1
        self.write(self._tccrb, 0)
