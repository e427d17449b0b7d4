"""The ADC's results: ours, because simavr's are one step low and know 8 channels."""

from __future__ import annotations

from pytest_embedbench.engines.simavr.core import layout
from pytest_embedbench.engines.simavr.core.mcus import ADCH, ADCL, ADCSRB, ADMUX

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pytest_embedbench.engines.simavr.core.machine import AvrMachine

_STARTED = 18
_ADLAR, _MUX5 = 0x20, 0x08


class Adc:
    """Samples when a conversion starts, shows the result when simavr says it is done.

    ``millivolts`` is by channel; a channel nobody has set reads 0.
    """

    def __init__(self, machine: AvrMachine) -> None:
        self.millivolts: dict[int, int] = {}
        self._machine = machine
        self._sample = 0
        self._result = 0
        self._locked: int | None = None
        lib = machine.lib
        started = lib.avr_io_getirq(machine.pointer, layout.ioctl("adc "), _STARTED)
        machine.notify(started, self._on_start)
        done = lib.avr_get_interrupt_irq(machine.pointer, machine.mcu.adc_vector)
        machine.notify(done, self._on_done)
        for address, read in ((ADCL, self._read_low), (ADCH, self._read_high)):
            machine.io(address).read = machine.keep(layout.IoRead(read))

    def _on_start(self, _irq: int, _mux: int, _param: int) -> None:
        data, mcu = self._machine.data, self._machine.mcu
        select = data[ADMUX] & 0x1F | (0x20 if data[ADCSRB] & _MUX5 else 0)
        source = mcu.adc_inputs.get(select)
        if source is None:
            millivolts = 0
        else:
            millivolts = -source if source < 0 else self.millivolts.get(source, 0)
        reference_mv = mcu.adc_refs_mv[data[ADMUX] >> 6] or self._machine.vcc_mv
        self._sample = min(1023, millivolts * 1024 // reference_mv)

    def _on_done(self, _irq: int, raised: int, _param: int) -> None:
        if raised:
            self._result = self._sample

    def _read_low(self, _avr: int, _address: int, _param: int) -> int:
        self._locked = self._result
        return self._aligned(self._result) & 0xFF

    def _read_high(self, _avr: int, _address: int, _param: int) -> int:
        result = self._result if self._locked is None else self._locked
        self._locked = None
        return self._aligned(result) >> 8

    def _aligned(self, result: int) -> int:
        return result << 6 if self._machine.data[ADMUX] & _ADLAR else result
