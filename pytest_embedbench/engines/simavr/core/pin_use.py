"""What a firmware does with pins, by the registers that it touches.

Nothing of it is there before somebody asks to watch.
"""

from __future__ import annotations

from pytest_embedbench.engines.simavr.core import layout
from pytest_embedbench.engines.simavr.core.bit_reads import (
    ALL_BITS,
    BitsRead,
    bits_read,
)
from pytest_embedbench.engines.simavr.core.mcus import (
    EIMSK,
    PCMSK0,
    SPCR,
    TWCR,
)
from pytest_embedbench.engines.simavr.core.uart_pins import uart_pins

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_embedbench.engines.simavr.core.adc import Adc
    from pytest_embedbench.engines.simavr.core.machine import AvrMachine
    from pytest_embedbench.engines.simavr.core.pins import AvrPort

_TWEN, _SPE = 2, 6
_RXEN, _TXEN = 4, 3
_DIRECTION, _PORT = 9, 10
# ATmega640/1280/1281/2560/2561 data sheet: alternate functions.
_PIN_CHANGES_BIG: dict[int, tuple[str, ...]] = {
    0: tuple(f"PB{bit}" for bit in range(8)),
    1: ("PE0", *(f"PJ{bit}" for bit in range(7))),
    2: tuple(f"PK{bit}" for bit in range(8)),
}


class PinWatch:
    """Watches from when it is made; ports have the MCU's names, such as ``PB5``."""

    def __init__(
        self, machine: AvrMachine, ports: dict[str, AvrPort], adc: Adc
    ) -> None:
        self._machine = machine
        self._adc = adc
        self._jobs: set[tuple[str, str]] = set()
        self._whole: set[str] = set()
        self._is_big = "L" in machine.mcu.ports
        for letter, port in ports.items():
            self._watch_port(letter, port)
            self._watch_reads(letter, port)
        for register, bits, pins, job in self._peripherals():
            self._watch_bits(register, bits, pins, job)

    def report(self) -> tuple[list[tuple[str, str]], list[int], list[str]]:
        """Return jobs by port pin, ADC channels, and ports that are read whole."""
        return sorted(self._jobs), sorted(self._adc.measured), sorted(self._whole)

    # ----------------------------------------------------------------- registers
    def _watch_port(self, letter: str, port: AvrPort) -> None:
        machine = self._machine

        def note(direction: int, output: int) -> None:
            for bit in range(8):
                if direction >> bit & 1:
                    self._jobs.add((f"P{letter}{bit}", "output"))
                elif output >> bit & 1:
                    self._jobs.add((f"P{letter}{bit}", "pull-up"))

        # Both come before the port itself hears of it.
        def on_direction(_irq: int, value: int, _param: int) -> None:
            note(value, port.output)

        def on_port(_irq: int, value: int, _param: int) -> None:
            if value & ~port.direction:
                note(port.direction, value)

        signal = layout.ioctl(f"iog{letter}")
        for index, call in ((_DIRECTION, on_direction), (_PORT, on_port)):
            irq = machine.lib.avr_io_getirq(machine.pointer, signal, index)
            machine.notify(irq, call)

    def _watch_reads(self, letter: str, port: AvrPort) -> None:
        slot = self._machine.io(self._machine.mcu.ports[letter])

        def wrap(before: int | None) -> int:
            read = layout.IoRead(before) if before else None
            look = self._looker(letter, read, slot.read_param)
            return self._machine.keep(layout.IoRead(look))

        if port.floating_reads is not None:
            port.floating_reads.put_under(wrap)
        else:
            slot.read = wrap(slot.read)

    def _looker(
        self, letter: str, read: Callable[..., int] | None, param: int
    ) -> Callable[[int, int, int], int]:
        machine = self._machine
        places: dict[int, BitsRead] = {}
        noted: set[int] = set()

        def on_read(avr: int, address: int, _param: int) -> int:
            value = read(avr, address, param) if read else machine.data[address]
            pc = machine.avr.pc
            bits = places.get(pc)
            if bits is None:
                bits = places[pc] = bits_read(machine.word, pc)
            mask = bits.mask
            if bits.register is not None:
                mask = machine.data[bits.register] or ALL_BITS
            if mask not in noted:
                noted.add(mask)
                self._note_read(letter, mask)
            return value

        return on_read

    def _note_read(self, letter: str, mask: int) -> None:
        if mask == ALL_BITS:
            self._whole.add(letter)
            return
        for bit in range(8):
            if mask >> bit & 1:
                self._jobs.add((f"P{letter}{bit}", "read"))

    # --------------------------------------------------------------- peripherals
    def _peripherals(self) -> list[tuple[int, tuple[int, ...], tuple[str, ...], str]]:
        """Return registers, the bits in them that switch on, the pins, and the job."""
        mcu = self._machine.mcu
        found: list[tuple[int, tuple[int, ...], tuple[str, ...], str]] = [
            (TWCR, (_TWEN,), mcu.twi_pins, "i2c"),
            (SPCR, (_SPE,), mcu.spi_pins, "spi"),
        ]
        rx_and_tx = uart_pins(mcu)
        for number, ucsra in mcu.uarts.items():
            for bit, pin in zip((_RXEN, _TXEN), rx_and_tx[number], strict=True):
                found.append((ucsra + 1, (bit,), (pin,), "uart"))
        found += [
            (EIMSK, (bit,), (pin,), "interrupt")
            for bit, pin in enumerate(mcu.interrupt_pins)
            if pin
        ]
        for number, letter in enumerate("ABC" if "A" in mcu.ports else "BCD"):
            pins = tuple(f"P{letter}{bit}" for bit in range(8))
            if self._is_big:
                pins = _PIN_CHANGES_BIG[number]
            found += [
                (PCMSK0 + number, (bit,), (pin,), "interrupt")
                for bit, pin in enumerate(pins)
            ]
        return found

    def _watch_bits(
        self, register: int, bits: tuple[int, ...], pins: tuple[str, ...], job: str
    ) -> None:
        def on_bit(_irq: int, value: int, _param: int) -> None:
            if value:
                self._jobs.update((pin, job) for pin in pins)

        self._machine.on_bits([(register, bit) for bit in bits], on_bit)
