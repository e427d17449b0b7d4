"""PWM as the timers' registers have it: period and duty of every output pin.

simavr puts fast PWM on pins edge by edge and phase-correct PWM nowhere; the
registers tell period and duty exactly, for both. So they do for a pin that each match
turns over, which is a square wave. A timer whose clock stops leaves its pins as they
are (data sheet, 10.3 to 10.5).
"""

from __future__ import annotations

from pytest_embedbench.engines.simavr.core.counter import CTC, DUAL, ICR, NORMAL, OCRA
from pytest_embedbench.engines.simavr.core.simavr_timer import TimerRegisters

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_embedbench.engines.simavr.core.machine import AvrMachine
    from pytest_embedbench.engines.simavr.core.mcus import Timer
    from pytest_embedbench.engines.simavr.core.pins import AvrPort

# WGM -> (phase correct?, top): a number, or the register that holds it.
_Modes = dict[int, tuple[bool, int | str]]
_MODES_8: _Modes = {
    1: (True, 0xFF),
    3: (False, 0xFF),
    5: (True, OCRA),
    7: (False, OCRA),
}
_MODES_16: _Modes = {
    1: (True, 0xFF),
    2: (True, 0x1FF),
    3: (True, 0x3FF),
    5: (False, 0xFF),
    6: (False, 0x1FF),
    7: (False, 0x3FF),
    8: (True, ICR),
    9: (True, OCRA),
    10: (True, ICR),
    11: (True, OCRA),
    14: (False, ICR),
    15: (False, OCRA),
}
_OFF = (0.0, 0.0)
_CONNECTED = 0xFC
_TOGGLE_ON_MATCH, _CLEAR_ON_MATCH, _SET_ON_MATCH = 1, 2, 3


class Pwm:
    """The PWM outputs of one timer; pushes ``(cycle, pin, period_us, duty)``."""

    def __init__(
        self,
        machine: AvrMachine,
        timer: Timer,
        ports: dict[str, AvrPort],
        push: Callable[[tuple[int, str, float, float]], None],
    ) -> None:
        self._machine = machine
        self._timer = timer
        self._ports = ports
        self._push = push
        self._registers = TimerRegisters(machine.data, timer)
        self._shown = {pin: _OFF for _, pin in timer.outputs}
        self._begun_at = dict.fromkeys(self._shown, 0)
        self._is_used = False
        bits = [(timer.tccra, bit) for bit in range(8)]
        bits += [(timer.tccra + 1, bit) for bit in range(5)]
        machine.on_bits(bits, self._on_register)
        machine.revive.append(self.refresh)

    def _watch(self, *addresses: int) -> None:
        machine = self._machine
        for address in addresses:
            signal = machine.lib.avr_iomem_getirq(machine.pointer, address, None, 8)
            machine.notify(signal, self._on_register)

    def _on_register(self, _irq: int, _value: int, _param: int) -> None:
        self.refresh()

    def refresh(self) -> None:
        """Work out every output again; push those that changed."""
        timer = self._timer
        if not self._is_used:
            if not self._machine.data[timer.tccra] & _CONNECTED:
                return
            # From now on. As a mere clock it may move its comparisons all the time.
            self._is_used = True
            self._watch(*(ocr for ocr, _ in timer.outputs))
            if timer.icr:
                self._watch(timer.icr)
        for index, (ocr, pin) in enumerate(timer.outputs):
            port, mask = self._ports[pin[1]], 1 << int(pin[2])
            setting = self._setting(index, ocr) if port.direction & mask else _OFF
            before = self._shown[pin]
            if setting == before:
                continue
            self._shown[pin] = setting
            cycle = self._machine.avr.cycle
            if setting[0] != before[0]:
                self._begun_at[pin] = cycle
            self._push((cycle, pin, *setting))
            if _OFF in (setting, before):
                port.hand_over(mask, to_timer=setting != _OFF)

    def running_at(self, pin: str) -> tuple[int, float, float] | None:
        """Return what it has at a pin: since when, period and duty; or ``None``."""
        setting = self._shown.get(pin, _OFF)
        return None if setting == _OFF else (self._begun_at[pin], *setting)

    def freeze(self, cycle: int) -> None:
        """Hold each pin as it is: the clock has stopped."""
        for pin, (period_us, duty) in self._running():
            period = round(period_us * self._machine.cpu_hz / 1_000_000)
            passed = (cycle - self._begun_at[pin]) % period
            self._push((cycle, pin, period_us, float(passed < round(period * duty))))

    def thaw(self, cycle: int) -> None:
        """Go on, with a new period."""
        for pin, setting in self._running():
            self._begun_at[pin] = cycle
            self._push((cycle, pin, *setting))

    def _running(self) -> list[tuple[str, tuple[float, float]]]:
        if self._registers.are_clocked_outside():
            return []
        return [(pin, shown) for pin, shown in self._shown.items() if shown != _OFF]

    def _setting(self, index: int, ocr: int) -> tuple[float, float]:
        timer, data = self._timer, self._machine.data
        control = data[timer.tccra], data[timer.tccra + 1]
        connect = control[0] >> (6 - 2 * index) & 3
        divisor = timer.divisors[control[1] & 7]
        if connect == _TOGGLE_ON_MATCH:
            return self._square(index, ocr)
        if timer.icr:
            mode = _MODES_16.get(control[0] & 3 | (control[1] >> 1 & 0b1100))
        else:
            mode = _MODES_8.get(control[0] & 3 | (control[1] >> 1 & 0b100))
        if connect not in (_CLEAR_ON_MATCH, _SET_ON_MATCH) or not divisor or not mode:
            return _OFF
        phase_correct, top = mode
        if top == OCRA:
            top = self._word(timer.outputs[0][0])
        elif top == ICR:
            top = self._word(timer.icr)
        assert isinstance(top, int)
        match = min(self._word(ocr), top)
        if phase_correct:
            counts, high = 2 * top, 2 * match
        else:
            counts, high = top + 1, match + 1
        if not counts:
            return _OFF
        duty = high / counts
        period_us = counts * divisor * 1e6 / self._machine.cpu_hz
        return period_us, duty if connect == _CLEAR_ON_MATCH else 1.0 - duty

    def _square(self, index: int, ocr: int) -> tuple[float, float]:
        """Return what a match in each round makes that turns the pin over."""
        registers = self._registers
        kind, top = registers.waveform()
        if top in (OCRA, ICR):
            in_ocra = top == OCRA
            top = self._word(self._timer.outputs[0][0] if in_ocra else self._timer.icr)
        elif kind != CTC:  # the pin is not the timer's
            return _OFF
        is_moved = kind == CTC or (kind != NORMAL and not index)
        divisor = registers.divisor()
        if not is_moved or not divisor or self._word(ocr) > int(top):
            return _OFF
        counts = 2 * max(1, 2 * int(top) if kind >= DUAL else int(top) + 1)
        return counts * divisor * 1e6 / self._machine.cpu_hz, 0.5

    def _word(self, address: int) -> int:
        data = self._machine.data
        return data[address] | (data[address + 1] << 8 if self._timer.icr else 0)
