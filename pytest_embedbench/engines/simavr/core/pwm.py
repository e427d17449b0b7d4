"""PWM as the timers' registers have it: period and duty of every output pin.

simavr puts fast PWM on pins edge by edge and phase-correct PWM nowhere; the
registers tell period and duty exactly, for both.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_embedbench.engines.simavr.core.machine import AvrMachine
    from pytest_embedbench.engines.simavr.core.mcus import Timer
    from pytest_embedbench.engines.simavr.core.pins import AvrPort

# WGM -> (phase correct?, top): a number, or the register that holds it.
_OCRA, _ICR = "ocra", "icr"
_Modes = dict[int, tuple[bool, int | str]]
_MODES_8: _Modes = {
    1: (True, 0xFF),
    3: (False, 0xFF),
    5: (True, _OCRA),
    7: (False, _OCRA),
}
_MODES_16: _Modes = {
    1: (True, 0xFF),
    2: (True, 0x1FF),
    3: (True, 0x3FF),
    5: (False, 0xFF),
    6: (False, 0x1FF),
    7: (False, 0x3FF),
    8: (True, _ICR),
    9: (True, _OCRA),
    10: (True, _ICR),
    11: (True, _OCRA),
    14: (False, _ICR),
    15: (False, _OCRA),
}
_OFF = (0.0, 0.0)
_CONNECTED = 0xFC
_CLEAR_ON_MATCH, _SET_ON_MATCH = 2, 3


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
        self._shown = {pin: _OFF for _, pin in timer.outputs}
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
            self._push((self._machine.avr.cycle, pin, *setting))
            if _OFF in (setting, before):
                port.hand_over(mask, to_timer=setting != _OFF)

    def _setting(self, index: int, ocr: int) -> tuple[float, float]:
        timer, data = self._timer, self._machine.data
        control = data[timer.tccra], data[timer.tccra + 1]
        connect = control[0] >> (6 - 2 * index) & 3
        divisor = timer.divisors[control[1] & 7]
        if timer.icr:
            mode = _MODES_16.get(control[0] & 3 | (control[1] >> 1 & 0b1100))
        else:
            mode = _MODES_8.get(control[0] & 3 | (control[1] >> 1 & 0b100))
        if connect not in (_CLEAR_ON_MATCH, _SET_ON_MATCH) or not divisor or not mode:
            return _OFF
        phase_correct, top = mode
        if top == _OCRA:
            top = self._word(timer.outputs[0][0])
        elif top == _ICR:
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

    def _word(self, address: int) -> int:
        data = self._machine.data
        return data[address] | (data[address + 1] << 8 if self._timer.icr else 0)
