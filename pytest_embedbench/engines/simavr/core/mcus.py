"""Register addresses of the MCUs we know, from their datasheets.

Addresses are data-space addresses. All share those of ADC, watchdog and timers 0-2.
"""

from __future__ import annotations

PCIFR, EIFR, EIMSK = 0x3B, 0x3C, 0x3D
EECR, EEDR, EEARL = 0x3F, 0x40, 0x41
ACSR = 0x50
SMCR = 0x53
MCUSR = 0x54
WDTCSR, WDE = 0x60, 0x08
CLKPR = 0x61
PCICR, PCMSK0 = 0x68, 0x6B
ADCL, ADCH, ADCSRA, ADCSRB, ADMUX = 0x78, 0x79, 0x7A, 0x7B, 0x7C
SPL, SPH = 0x5D, 0x5E
TCNT0 = 0x46
SPCR, SPSR, SPDR = 0x4C, 0x4D, 0x4E
TWBR, TWSR, TWDR, TWCR = 0xB8, 0xB9, 0xBB, 0xBC
ASSR, AS2_BIT = 0xB6, 5

SLEEP_MODES = {
    0: "idle",
    1: "ADC noise reduction",
    2: "power-down",
    3: "power-save",
    6: "standby",
    7: "extended standby",
}
TOV, ICF = 0, 5
COMPARE_FLAGS = 1, 2, 3

_ASYNCHRONOUS = 2  # timer 2, on all
CLOCK_DIVISORS = (0, 1, 8, 64, 256, 1024, 0, 0)
TIMER2_DIVISORS = (0, 1, 8, 32, 64, 128, 256, 1024)


class Timer:
    """Where one timer is: its registers by their names, OCRnx each with its pin.

    ``vectors`` has the number of an interrupt by its flag's bit in TIFRn and TIMSKn;
    ``icr`` is 0 for a timer of 8 bits. One that ``is_asynchronous`` can have a crystal
    of its own, and no clock pin.
    """

    __slots__ = (
        "divisors",
        "icr",
        "is_asynchronous",
        "outputs",
        "tccra",
        "tccrb",
        "tcnt",
        "tifr",
        "timsk",
        "vectors",
    )

    def __init__(
        self,
        number: int,
        tccra: int,
        outputs: tuple[tuple[int, str], ...],
        vectors: dict[int, int],
        *,
        icr: int = 0,
    ) -> None:
        self.tifr, self.timsk = 0x35 + number, 0x6E + number
        self.tccra, self.tccrb = tccra, tccra + 1
        self.tcnt = tccra + (4 if icr else 2)
        self.outputs = outputs
        self.vectors = vectors
        self.icr = icr
        self.is_asynchronous = number == _ASYNCHRONOUS
        self.divisors = TIMER2_DIVISORS if self.is_asynchronous else CLOCK_DIVISORS


class Mcu:
    """One MCU: memory sizes, peripherals, and what the ADC can listen to.

    ``uarts`` maps the number of a USART to its UCSRnA, ``ports`` the letter of a port
    to its PINx; ``adc_inputs`` maps the ADC multiplexer to a channel, or to
    ``-millivolts`` of an internal source; ``adc_refs_mv`` are the references by
    REFS1:0, where 0 stands for the supply. ``stack_guard`` are reserved addresses below
    RAM, which only a stack too long writes. ``spi_pins`` are SCK, MOSI, MISO, and
    ``twi_pins`` SDA, SCL, ``comparator_pins`` AIN0, AIN1, where simavr knows them.
    ``pin_changes`` has vector and pins of flags in PCIFR that simavr does not know.
    """

    __slots__ = (
        "adc_inputs",
        "adc_refs_mv",
        "adc_vector",
        "comparator_pins",
        "comparator_vector",
        "eeprom_bytes",
        "eeprom_vector",
        "flash_bytes",
        "interrupt_pins",
        "pin_change_vectors",
        "pin_changes",
        "ports",
        "ramend",
        "ramstart",
        "spi_pins",
        "spi_vector",
        "stack_guard",
        "timers",
        "twi_pins",
        "twi_vector",
        "uarts",
        "watchdog_vector",
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
        comparator_vector: int,
        comparator_pins: tuple[str, ...],
        eeprom_vector: int,
        pin_change_vectors: range,
        pin_changes: dict[int, tuple[int, tuple[str, ...]]] | None = None,
        spi_vector: int,
        twi_vector: int,
        watchdog_vector: int,
        spi_pins: tuple[str, str, str],
        twi_pins: tuple[str, str],
        interrupt_pins: tuple[str, ...],
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
        self.comparator_vector = comparator_vector
        self.comparator_pins = comparator_pins
        self.eeprom_vector = eeprom_vector
        self.pin_change_vectors = pin_change_vectors
        self.pin_changes = pin_changes or {}
        self.spi_vector = spi_vector
        self.twi_vector = twi_vector
        self.watchdog_vector = watchdog_vector
        self.spi_pins, self.twi_pins = spi_pins, twi_pins
        self.interrupt_pins = interrupt_pins
        self.adc_inputs = adc_inputs
        self.adc_refs_mv = adc_refs_mv


def _timer8(number: int, tccra: int, vector: int, *pins: str) -> Timer:
    """Return a timer whose interrupts are, from ``vector`` on: match A, B, overflow."""
    outputs = tuple((tccra + 3 + i, pin) for i, pin in enumerate(pins))
    vectors = {1: vector, 2: vector + 1, TOV: vector + 2}
    return Timer(number, tccra, outputs, vectors)


def _timer16(number: int, tccra: int, vector: int, *pins: str) -> Timer:
    """Return one whose interrupts are: capture, one match for each pin, overflow."""
    outputs = tuple((tccra + 8 + 2 * i, pin) for i, pin in enumerate(pins))
    vectors = {ICF: vector, TOV: vector + 1 + len(pins)}
    vectors |= {COMPARE_FLAGS[i]: vector + 1 + i for i in range(len(pins))}
    return Timer(number, tccra, outputs, vectors, icr=tccra + 6)


def _mega8(kib: int, ram_bytes: int, eeprom_bytes: int) -> Mcu:
    """Return an ATmega48 to 328, A, P or PA."""
    return Mcu(
        flash_bytes=kib << 10,
        ramstart=0x100,
        ramend=0xFF + ram_bytes,
        stack_guard=range(0xC7, 0x100),
        eeprom_bytes=eeprom_bytes,
        uarts={0: 0xC0},
        ports={"B": 0x23, "C": 0x26, "D": 0x29},
        timers=(
            _timer8(0, 0x44, 14, "PD6", "PD5"),
            _timer16(1, 0x80, 10, "PB1", "PB2"),
            _timer8(2, 0xB0, 7, "PB3", "PD3"),
        ),
        adc_vector=21,
        comparator_vector=23,
        comparator_pins=("PD6", "PD7"),
        eeprom_vector=22,
        pin_change_vectors=range(3, 6),
        spi_vector=17,
        twi_vector=24,
        watchdog_vector=6,
        spi_pins=("PB5", "PB3", "PB4"),
        twi_pins=("PC4", "PC5"),
        interrupt_pins=("PD2", "PD3"),
        # 8 is the temperature sensor: 314 mV at 25 degrees Celsius.
        adc_inputs={**{i: i for i in range(8)}, 8: -314, 14: -1100},
        adc_refs_mv=(0, 0, 1100, 1100),
    )


def _mega4(kib: int, ram_bytes: int, eeprom_bytes: int, *timers: Timer) -> Mcu:
    """Return an ATmega164 to 1284, A, P or PA; those of 128 KiB have a timer 3."""
    return Mcu(
        flash_bytes=kib << 10,
        ramstart=0x100,
        ramend=0xFF + ram_bytes,
        stack_guard=range(0xCF, 0x100),
        eeprom_bytes=eeprom_bytes,
        uarts={0: 0xC0, 1: 0xC8},
        ports={"A": 0x20, "B": 0x23, "C": 0x26, "D": 0x29},
        timers=(
            _timer8(0, 0x44, 16, "PB3", "PB4"),
            _timer16(1, 0x80, 12, "PD5", "PD4"),
            _timer8(2, 0xB0, 9, "PD7", "PD6"),
            *timers,
        ),
        adc_vector=24,
        comparator_vector=23,
        comparator_pins=("PB2", "PB3"),
        eeprom_vector=25,
        pin_change_vectors=range(4, 8),
        spi_vector=19,
        twi_vector=26,
        watchdog_vector=8,
        spi_pins=("PB7", "PB5", "PB6"),
        twi_pins=("PC1", "PC0"),
        interrupt_pins=("PD2", "PD3", "PB2"),
        adc_inputs={**{i: i for i in range(8)}, 30: -1100},
        adc_refs_mv=(0, 0, 1100, 2560),
    )


_MEGA_2560 = Mcu(
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
        _timer8(0, 0x44, 21, "PB7", "PG5"),
        _timer16(1, 0x80, 16, "PB5", "PB6", "PB7"),
        _timer8(2, 0xB0, 13, "PB4", "PH6"),
        _timer16(3, 0x90, 31, "PE3", "PE4", "PE5"),
        _timer16(4, 0xA0, 41, "PH3", "PH4", "PH5"),
        _timer16(5, 0x120, 46, "PL3", "PL4", "PL5"),
    ),
    adc_vector=29,
    comparator_vector=0,
    comparator_pins=(),
    eeprom_vector=30,
    pin_change_vectors=range(9, 12),
    pin_changes={
        1: (10, ("PE0", *(f"PJ{bit}" for bit in range(7)))),
        2: (11, tuple(f"PK{bit}" for bit in range(8))),
    },
    spi_vector=24,
    twi_vector=39,
    watchdog_vector=12,
    spi_pins=("PB1", "PB2", "PB3"),
    twi_pins=("PD1", "PD0"),
    interrupt_pins=("PD0", "PD1", "PD2", "PD3", "PE4", "PE5", "PE6", "PE7"),
    adc_inputs={
        **{i: i for i in range(8)},
        **{32 + i: 8 + i for i in range(8)},
        30: -1100,
    },
    adc_refs_mv=(0, 0, 1100, 2560),
)
_TIMER_3_OF_1284 = _timer16(3, 0x90, 31, "PB6", "PB7")
MCUS = {
    "atmega48p": _mega8(4, 512, 256),
    "atmega88p": _mega8(8, 1024, 512),
    "atmega168": _mega8(16, 1024, 512),
    "atmega168p": _mega8(16, 1024, 512),
    "atmega328": _mega8(32, 2048, 1024),
    "atmega328p": _mega8(32, 2048, 1024),
    "atmega164p": _mega4(16, 1024, 512),
    "atmega324p": _mega4(32, 2048, 1024),
    "atmega644": _mega4(64, 4096, 2048),
    "atmega644p": _mega4(64, 4096, 2048),
    "atmega1284": _mega4(128, 16384, 4096, _TIMER_3_OF_1284),
    "atmega1284p": _mega4(128, 16384, 4096, _TIMER_3_OF_1284),
    "atmega2560": _MEGA_2560,
}
