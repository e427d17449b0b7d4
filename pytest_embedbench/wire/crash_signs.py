"""How a dying firmware says so, by family: the lines that begin it and that end it.

Formats as ESP-IDF's guide "Fatal Errors", the ESP ROMs, Zephyr, Mbed OS, the nRF SDK,
CmBacktrace and the handlers that most Cortex-M projects copy have them.
"""

from __future__ import annotations

import enum
import re
from dataclasses import dataclass


class CrashKind(enum.Enum):
    """What has happened, in words that fit after ``the firmware``."""

    PANIC = "panicked"
    ABORT = "aborted"
    ASSERT = "failed an assertion"
    STACK_OVERFLOW = "overflowed a stack"
    HEAP = "corrupted its heap"
    HARD_FAULT = "took a CPU fault"
    TASK_WATCHDOG = "starved a task watched by the task watchdog"
    INTERRUPT_WATCHDOG = "held interrupts off until the interrupt watchdog bit"
    WATCHDOG_RESET = "was reset by a watchdog"
    BOOT_LOOP = "restarts over and over"
    BROWNOUT = "was stopped by the brownout detector"
    DOWNLOAD_MODE = "is not running: the chip waits in its ROM's download mode"
    NO_PROGRAM = "is not running: the flash holds no program"

    @property
    def is_firmware(self) -> bool:
        """Whether the firmware is to blame, and not its supply or its flashing."""
        return self not in _NOT_FIRMWARE


_NOT_FIRMWARE = {CrashKind.BROWNOUT, CrashKind.DOWNLOAD_MODE, CrashKind.NO_PROGRAM}


@dataclass(frozen=True, slots=True, kw_only=True)
class Sign:
    """A line that means a crash.

    The first group of ``pattern``, if it has one, is the detail that is reported. A
    sign with a ``dump`` is followed by more lines that belong to it. One with
    ``times`` has to come that often; one with ``boots`` means something only when
    the chip has booted that often before, in the last ``within_us`` if given.
    """

    pattern: re.Pattern[str]
    kind: CrashKind
    dump: bool = True
    times: int = 1
    boots: int = 0
    within_us: int | None = None


def _sign(pattern: str, kind: CrashKind, *, dump: bool = True, times: int = 1) -> Sign:
    return Sign(pattern=re.compile(pattern), kind=kind, dump=dump, times=times)


def _boot(pattern: str, kind: CrashKind, *, boots: int, within_us: int | None) -> Sign:
    return Sign(
        pattern=re.compile(pattern),
        kind=kind,
        dump=False,
        boots=boots,
        within_us=within_us,
    )


LOOP_US = 30_000_000
"""A firmware that restarts itself three times in that long is in a loop."""

_ANY = (
    _sign(r"[Aa]ssertion [\"'](.+)[\"'] failed: file .*", CrashKind.ASSERT),
    _sign(r"panicked at (.+)", CrashKind.PANIC),
    _sign(r">>> ZEPHYR FATAL ERROR \d+: (.+)", CrashKind.PANIC),
    _sign(r"\*{3}\s?stack smashing detected\s?\*{3}", CrashKind.STACK_OVERFLOW),
)

ESP = (
    _sign(
        r"Guru Meditation Error: Core\s+\d\s+panic'ed \((Interrupt wdt[^)]*)\)",
        CrashKind.INTERRUPT_WATCHDOG,
    ),
    _sign(
        r"Guru Meditation Error: Core\s+\d\s+panic'ed \((Stack protection[^)]*)\)",
        CrashKind.STACK_OVERFLOW,
    ),
    _sign(r"Guru Meditation Error: Core\s+\d\s+panic'ed \((.*?)\)", CrashKind.PANIC),
    _sign(r"Guru Meditation Error of type (\w+)", CrashKind.PANIC),
    _sign(r"^assert failed: (.+)", CrashKind.ASSERT),
    _sign(r"ESP_ERROR_CHECK failed: (.+)", CrashKind.ABORT),
    _sign(r"(abort\(\) was called at PC 0x[0-9a-f]+)", CrashKind.ABORT),
    _sign(
        r"\*{3}ERROR\*{3} A (stack overflow in task .+) has been detected",
        CrashKind.STACK_OVERFLOW,
    ),
    _sign(r"(Stack smashing protect failure!)", CrashKind.STACK_OVERFLOW),
    _sign(r"CORRUPT HEAP: (.+)", CrashKind.HEAP),
    _sign(r"task_wdt: (Task watchdog got triggered)", CrashKind.TASK_WATCHDOG),
    _sign(r"Brownout detector was triggered", CrashKind.BROWNOUT, dump=False),
    _sign(r"[Ww]aiting for download", CrashKind.DOWNLOAD_MODE, dump=False),
    _boot(
        r"\brst:0x\w+ \((\w*(?:WDT|WATCHDOG)\w*)\)",
        CrashKind.WATCHDOG_RESET,
        boots=1,
        within_us=None,
    ),
    _boot(
        r"\brst:0x\w+ \((?!DEEPSLEEP)(\w+)\)",
        CrashKind.BOOT_LOOP,
        boots=2,
        within_us=LOOP_US,
    ),
    _boot(
        r"\brst cause:([^5]), ?boot mode",
        CrashKind.BOOT_LOOP,
        boots=2,
        within_us=LOOP_US,
    ),
    _sign(r"invalid header: (0x[0-9a-f]+)", CrashKind.NO_PROGRAM, dump=False, times=3),
    # ESP8266.
    _sign(r"^(?:Fatal e|E)xception (\(?\d+\)?[^:]*):", CrashKind.PANIC),
    _sign(r"(Soft WDT reset)", CrashKind.TASK_WATCHDOG),
)

CORTEX_M = (
    _sign(r"\*{5} ((?:[A-Z]+ )?FAULT) \*{5}", CrashKind.HARD_FAULT),
    _sign(r"MbedOS Fault Handler", CrashKind.HARD_FAULT),
    _sign(
        # At the start of a line, past a log's prefix: a plant may have faults too.
        r"(?i)^\W*(?:in |<\w+> |\[[\d:.,]+\] |\w+: )*"
        r"((?:hard|bus|usage|mem(?:ory)? ?manage(?:ment)?|mpu) ?fault)\b",
        CrashKind.HARD_FAULT,
    ),
    _sign(r"(?i)^\W*(?:\w+: )*(stack overflow.*)", CrashKind.STACK_OVERFLOW),
    _sign(r"(\*{3} RIOT kernel panic.*)", CrashKind.PANIC),
    _sign(r"(?:up_|_)assert: (.+)", CrashKind.ASSERT),
)

AVR = (
    _sign(
        r"\bMCUSR *[=:] *(0x[01]?[89A-Fa-f]|[01]?[89A-F])\b",
        CrashKind.WATCHDOG_RESET,
        dump=False,
    ),
    _sign(
        r"(?i)\breset (?:cause|reason) *[=:] *(watchdog|wdt)\b",
        CrashKind.WATCHDOG_RESET,
        dump=False,
    ),
    _sign(
        r"(?i)\breset (?:cause|reason) *[=:] *(brown-?out|bor)\b",
        CrashKind.BROWNOUT,
        dump=False,
    ),
)

BOOTS = re.compile(r"\brst:0x\w+ \((?!DEEPSLEEP)|\brst cause:[^5]")
"""What an ESP's ROM says first; to wake from deep sleep (5) is no restart."""

DUMP_ENDS = re.compile(
    r"^(?:Rebooting\.\.\.|CPU halted|Entering gdb stub|-- MbedOS Fault Handler --"
    r"|<<<stack<<<|ELF file SHA256: \w+)|\brst:0x|Halting system"
)
"""What is said last; an ELF digest comes right before ``Rebooting...``."""

_BY_MCU = (
    ("esp", ESP),
    ("stm32", CORTEX_M),
    ("nrf", CORTEX_M),
    ("rp2", CORTEX_M),
    ("sam", CORTEX_M),
    ("lpc", CORTEX_M),
    ("imxrt", CORTEX_M),
    ("mk", CORTEX_M),
    ("at", AVR),
)


def signs_of(mcu: str) -> tuple[Sign, ...]:
    """Return the signs to look out for on a chip; none for one we do not know."""
    name = mcu.lower()
    for prefix, signs in _BY_MCU:
        if name.startswith(prefix):
            return (*signs, *_ANY)
    return ()
