"""The ADC's results: ours, because simavr's are one step low and know 8 channels."""

from __future__ import annotations

from pytest_embedbench.engines.simavr.core import layout
from pytest_embedbench.engines.simavr.core.flags import FlagAmongControls
from pytest_embedbench.engines.simavr.core.mcus import (
    ACSR,
    ADCH,
    ADCL,
    ADCSRA,
    ADCSRB,
    ADMUX,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_embedbench.engines.simavr.core.machine import AvrMachine

_STARTED = 18
_COMPARED = 2  # the comparator's signal of channel 0
_ADLAR, _MUX5 = 0x20, 0x08
_ADEN, _ADSC, _ADATE, _TRIGGERS = 0x80, 0x40, 0x20, 0x07
_ADIF = _ACI = 4
_ACO = 0x20


class Adc:
    """Samples when a conversion starts, shows the result when simavr says it is done.

    A channel nobody has put a voltage on reads 0.
    """

    def __init__(self, machine: AvrMachine) -> None:
        self._millivolts: dict[int, int] = {}
        self.wired: dict[int, Callable[[], float]] = {}
        """Who says what voltage is on a channel, in mV."""
        self.measured: set[int] = set()
        """The channels that have been converted, by their pins."""
        self._machine = machine
        self._sample = 0
        self._result = 0
        self._locked: int | None = None
        lib = machine.lib
        started = lib.avr_io_getirq(machine.pointer, layout.ioctl("adc "), _STARTED)
        machine.notify(started, self._on_start)
        machine.notify(machine.vector_irq(machine.mcu.adc_vector), self._on_done)
        FlagAmongControls(machine, ADCSRA, _ADIF, machine.mcu.adc_vector)
        if machine.mcu.comparator_vector:
            vector = machine.mcu.comparator_vector
            FlagAmongControls(machine, ACSR, _ACI, vector, shown=_ACO)
        self._again = machine.keep(layout.CycleTimer(self._on_again))
        machine.going_on.add(self._again)
        for address, read in ((ADCL, self._read_low), (ADCH, self._read_high)):
            machine.io(address).read = machine.keep(layout.IoRead(read))

    def put(self, channel: int, millivolts: int) -> None:
        """Put a voltage on a channel, which the comparator may listen to as well."""
        self._millivolts[channel] = millivolts
        self.compare(_COMPARED + channel, millivolts)

    def compare(self, signal: int, millivolts: int) -> None:
        """Put a voltage on AIN0 (0), AIN1 (1), or what else the comparator hears."""
        machine = self._machine
        if machine.mcu.comparator_vector:
            signals = layout.ioctl("acmp"), signal
            irq = machine.lib.avr_io_getirq(machine.pointer, *signals)
            machine.lib.avr_raise_irq(irq, millivolts)

    def _on_start(self, _irq: int, _mux: int, _param: int) -> None:
        data, mcu = self._machine.data, self._machine.mcu
        select = data[ADMUX] & 0x1F | (0x20 if data[ADCSRB] & _MUX5 else 0)
        source = mcu.adc_inputs.get(select)
        if source is not None and source >= 0:
            self.measured.add(source)
        if source is None:
            millivolts: float = 0
        elif source in self.wired:
            millivolts = self.wired[source]()
        else:
            millivolts = -source if source < 0 else self._millivolts.get(source, 0)
        reference_mv = mcu.adc_refs_mv[data[ADMUX] >> 6] or self._machine.vcc_mv
        self._sample = min(1023, int(millivolts * 1024 // reference_mv))

    def _on_done(self, _irq: int, raised: int, _param: int) -> None:
        if raised:
            self._result = self._sample
        if self._runs_freely():
            self._machine.at(self._machine.avr.cycle, self._again)

    def _runs_freely(self) -> bool:
        data = self._machine.data
        wanted = data[ADCSRA] & (_ADEN | _ADATE) == _ADEN | _ADATE
        return wanted and not data[ADCSRB] & _TRIGGERS

    def _on_again(self, _avr: int, _when: int, _param: int) -> int:
        """Begin the next one, where simavr does not know of free running."""
        machine = self._machine
        control = machine.data[ADCSRA]
        if self._runs_freely() and not control & _ADSC:
            slot = machine.io(ADCSRA)
            started = control & ~(1 << _ADIF) | _ADSC
            layout.IoWrite(slot.write)(
                machine.pointer, ADCSRA, started, slot.write_param
            )
        return 0

    def _read_low(self, _avr: int, _address: int, _param: int) -> int:
        self._locked = self._result
        return self._aligned(self._result) & 0xFF

    def _read_high(self, _avr: int, _address: int, _param: int) -> int:
        result = self._result if self._locked is None else self._locked
        self._locked = None
        return self._aligned(result) >> 8

    def _aligned(self, result: int) -> int:
        return result << 6 if self._machine.data[ADMUX] & _ADLAR else result
