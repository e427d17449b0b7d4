"""Register addresses of the MCUs we know, from their datasheets.

Addresses are data-space addresses. Both families share ADC, watchdog and timers 0-2.
"""

from __future__ import annotations

SMCR = 0x53
MCUSR = 0x54
WDTCSR = 0x60
ADCL, ADCH, ADCSRB, ADMUX = 0x78, 0x79, 0x7B, 0x7C
SPL, SPH = 0x5D, 0x5E

CLOCK_DIVISORS = (0, 1, 8, 64, 256, 1024, 0, 0)
TIMER2_DIVISORS = (0, 1, 8, 32, 64, 128, 256, 1024)


class Timer:
    """Where one timer is: TCCRnA (TCCRnB follows), ICRnL, and OCRnx with its pin."""

    __slots__ = ("divisors", "icr", "outputs", "tccra")

    def __init__(
        self,
        tccra: int,
        outputs: tuple[tuple[int, str], ...],
        *,
        icr: int = 0,
        divisors: tuple[int, ...] = CLOCK_DIVISORS,
    ) -> None:
        self.tccra = tccra
        self.outputs = outputs
        self.icr = icr
        self.divisors = divisors


class Mcu:
    """One MCU: memory sizes, peripherals, and what the ADC can listen to.

    ``uarts`` maps the number of a USART to its UCSRnA, ``ports`` the letter of a port
    to its PINx; ``adc_inputs`` maps the ADC multiplexer to a channel, or to
    ``-millivolts`` of an internal source; ``adc_refs_mv`` are the references by
    REFS1:0, where 0 stands for the supply. ``stack_guard`` are reserved addresses
    below RAM, which only a stack that has grown out of it writes.
    """

    __slots__ = (
        "adc_inputs",
        "adc_refs_mv",
        "adc_vector",
        "eeprom_bytes",
        "flash_bytes",
        "ports",
        "ramend",
        "ramstart",
        "stack_guard",
        "timers",
        "uarts",
    )

    def __init__(  # noqa: PLR0913  # a datasheet has that many facts
        self,
        *,
        flash_bytes: int,
        ramstart: int,
        ramend: int,
        stack_guard: range,
        eeprom_bytes: int,
        uarts: dict[int, int],
        ports: dict[str, int],
        timers: tuple[Timer, ...],
        adc_vector: int,
        adc_inputs: dict[int, int],
        adc_refs_mv: tuple[int, int, int, int],
    ) -> None:
        self.flash_bytes = flash_bytes
        self.ramstart = ramstart
        self.ramend = ramend
        self.stack_guard = stack_guard
        self.eeprom_bytes = eeprom_bytes
        self.uarts = uarts
        self.ports = ports
        self.timers = timers
        self.adc_vector = adc_vector
        self.adc_inputs = adc_inputs
        self.adc_refs_mv = adc_refs_mv


def _timer16(tccra: int, *pins: str) -> Timer:
    outputs = tuple((tccra + 8 + 2 * i, pin) for i, pin in enumerate(pins))
    return Timer(tccra, outputs, icr=tccra + 6)


MCUS = {
    "atmega328p": Mcu(
        flash_bytes=0x8000,
        ramstart=0x100,
        ramend=0x8FF,
        stack_guard=range(0xC7, 0x100),
        eeprom_bytes=0x400,
        uarts={0: 0xC0},
        ports={"B": 0x23, "C": 0x26, "D": 0x29},
        timers=(
            Timer(0x44, ((0x47, "PD6"), (0x48, "PD5"))),
            _timer16(0x80, "PB1", "PB2"),
            Timer(0xB0, ((0xB3, "PB3"), (0xB4, "PD3")), divisors=TIMER2_DIVISORS),
        ),
        adc_vector=21,
        # 8 is the temperature sensor: 314 mV at 25 degrees Celsius.
        adc_inputs={**{i: i for i in range(8)}, 8: -314, 14: -1100},
        adc_refs_mv=(0, 0, 1100, 1100),
    ),
    "atmega2560": Mcu(
        flash_bytes=0x40000,
        ramstart=0x200,
        ramend=0x21FF,
        stack_guard=range(0x10C, 0x120),
        eeprom_bytes=0x1000,
        uarts={0: 0xC0, 1: 0xC8, 2: 0xD0, 3: 0x130},
        ports={
            **{letter: 0x20 + 3 * i for i, letter in enumerate("ABCDEFG")},
            **{letter: 0x100 + 3 * i for i, letter in enumerate("HJKL")},
        },
        timers=(
            Timer(0x44, ((0x47, "PB7"), (0x48, "PG5"))),
            _timer16(0x80, "PB5", "PB6", "PB7"),
            Timer(0xB0, ((0xB3, "PB4"), (0xB4, "PH6")), divisors=TIMER2_DIVISORS),
            _timer16(0x90, "PE3", "PE4", "PE5"),
            _timer16(0xA0, "PH3", "PH4", "PH5"),
            _timer16(0x120, "PL3", "PL4", "PL5"),
        ),
        adc_vector=29,
        adc_inputs={
            **{i: i for i in range(8)},
            **{32 + i: 8 + i for i in range(8)},
            30: -1100,
        },
        adc_refs_mv=(0, 0, 1100, 2560),
    ),
}
