"""What a dying firmware says, recognised line by line."""

from __future__ import annotations

import pytest

from pytest_embedbench.wire.crash import LONGEST_US, QUIET_US, Crash, CrashWatch
from pytest_embedbench.wire.crash_dump import stack
from pytest_embedbench.wire.crash_signs import CrashKind

XTENSA_PANIC = """\
Guru Meditation Error: Core  1 panic'ed (StoreProhibited). Exception was unhandled.

Core  1 register dump:
PC      : 0x400d31a6  PS      : 0x00060330  A0      : 0x800d4c71  A1      : 0x3ffb2740
A2      : 0x00000000  A3      : 0x00000007  A4      : 0x3ffb8058  A5      : 0x00000001
SAR     : 0x0000001c  EXCCAUSE: 0x0000001d  EXCVADDR: 0x00000010  LBEG    : 0x4000c2e0

Backtrace: 0x400d31a3:0x3ffb2740 0x400d4c6e:0x3ffb2760 0x40086a2d:0x3ffb2790 |<-

ELF file SHA256: 5f1c0d9be

Rebooting...
"""
RISCV_PANIC = """\
Guru Meditation Error: Core  0 panic'ed (Load access fault). Exception was unhandled.

Core  0 register dump:
MEPC    : 0x420067f4  RA      : 0x42006822  SP      : 0x3fc927b0  GP      : 0x3fc8b400
TP      : 0x3fc8a114  T0      : 0x4005890e  S0/FP   : 0x3fc927c0  S1      : 0x00000000
MSTATUS : 0x00001881  MTVEC   : 0x40380001  MCAUSE  : 0x00000005  MTVAL   : 0x00000014

Stack memory:
3fc927b0: 0x00000000 0x00000000 0x3fc927d0 0x42006840 0x00000000 0x00000000
3fc927c8: 0x3fc927e0 0x42006852
ELF file SHA256: 0a1b2c3d4
"""
MBED_FAULT = """\
++ MbedOS Fault Handler ++

FaultType: HardFault

Context:
R0   : 20000310
R12  : 00000000
SP   : 20001F98
LR   : 08002C51
PC   : 08002C2E
xPSR : 61000000
CFSR : 00008200
BFAR : 40100004
-- MbedOS Fault Handler --
"""


def crash_of(mcu: str, text: str) -> Crash:
    """Return the one crash that ``text`` is, told 1 ms apart per line."""
    watch = CrashWatch.of(mcu)
    lines = text.splitlines()
    found = [
        crash
        for number, line in enumerate(lines)
        if (crash := watch.feed(line, number * 1000)) is not None
    ]
    if not found and (rest := watch.settle(len(lines) * 1000 + LONGEST_US)):
        found = [rest]
    assert len(found) == 1
    return found[0]


def test_an_xtensa_panic_tells_cause_and_backtrace() -> None:
    # X8
    crash = crash_of("esp32", XTENSA_PANIC)
    assert crash.kind is CrashKind.PANIC
    assert crash.detail == "StoreProhibited, address 0x00000010"
    assert crash.addresses == (0x400D31A3, 0x400D4C6E, 0x40086A2D)
    assert crash.elf_sha256 == "5f1c0d9be"


def test_an_xtensa_panic_without_a_backtrace_gives_pc_and_caller() -> None:
    text = "\n".join(
        line for line in XTENSA_PANIC.splitlines() if "Backtrace" not in line
    )
    assert crash_of("esp32", text).addresses == (0x400D31A6, 0x400D4C6E)


def test_a_riscv_panic_tells_pc_caller_and_stack() -> None:
    # X8
    crash = crash_of("esp32c3", RISCV_PANIC)
    assert crash.detail == "Load access fault, address 0x00000014"
    assert crash.addresses == (0x420067F4, 0x42006821)
    words = stack(crash.lines)
    assert words[0x3FC927BC] == 0x42006840
    assert words[0x3FC927CC] == 0x42006852


def test_a_hard_fault_tells_what_the_status_bits_mean() -> None:
    # X8
    crash = crash_of("stm32f405", MBED_FAULT)
    assert crash.kind is CrashKind.HARD_FAULT
    assert crash.detail == "HardFault, precise data bus error, address 0x40100004"
    assert crash.addresses == (0x08002C2E, 0x08002C4E)


@pytest.mark.parametrize(
    ("mcu", "text", "kind", "detail", "addresses"),
    [
        pytest.param(
            "esp32",
            "abort() was called at PC 0x40083c9d on core 0\n\n"
            "Backtrace:0x40083c9a:0x3ffb5e10 0x400d1f2f:0x3ffb5e30\n\nRebooting...",
            CrashKind.ABORT,
            "abort() was called at PC 0x40083c9d",
            (0x40083C9A, 0x400D1F2F),
            id="abort",
        ),
        pytest.param(
            "esp32c3",
            "assert failed: xQueueSend queue.c:832 (pxQueue)\n"
            "Core  0 register dump:\nMEPC    : 0x40380a3e  RA      : 0x40386d40",
            CrashKind.ASSERT,
            "xQueueSend queue.c:832 (pxQueue)",
            (0x40380A3E, 0x40386D3F),
            id="assert",
        ),
        pytest.param(
            "esp32",
            'assertion "len > 0" failed: file "main.c", line 41, function: app_main\n'
            "abort() was called at PC 0x400d2a11 on core 0",
            CrashKind.ASSERT,
            "len > 0",
            (0x400D2A11,),
            id="assert of newlib",
        ),
        pytest.param(
            "esp32",
            "\x1b[0;31mE (5341) task_wdt: Task watchdog got triggered. The following "
            "tasks did not reset the watchdog in time:\x1b[0m\n"
            "\x1b[0;31mE (5341) task_wdt:  - IDLE0 (CPU 0)\x1b[0m\n"
            "Backtrace: 0x400D2B74:0x3FFB0E90 0x40082C5D:0x3FFB0EB0",
            CrashKind.TASK_WATCHDOG,
            "Task watchdog got triggered: IDLE0 (CPU 0)",
            (0x400D2B74, 0x40082C5D),
            id="task watchdog",
        ),
        pytest.param(
            "esp32",
            "Guru Meditation Error: Core  0 panic'ed (Interrupt wdt timeout on CPU0).\n"
            "Rebooting...",
            CrashKind.INTERRUPT_WATCHDOG,
            "Interrupt wdt timeout on CPU0",
            (),
            id="interrupt watchdog",
        ),
        pytest.param(
            "esp32",
            "***ERROR*** A stack overflow in task sensor has been detected.\n"
            "Backtrace: 0x40081f66:0x3ffb5b00\n\nRebooting...",
            CrashKind.STACK_OVERFLOW,
            "stack overflow in task sensor",
            (0x40081F66,),
            id="stack overflow",
        ),
        pytest.param(
            "esp32",
            "Guru Meditation Error: Core  0 panic'ed (Unhandled debug exception).\n"
            "Debug exception reason: Stack canary watchpoint triggered (main)\n"
            "Rebooting...",
            CrashKind.STACK_OVERFLOW,
            "Stack canary watchpoint triggered (main)",
            (),
            id="stack canary",
        ),
        pytest.param(
            "esp32s3",
            "Brownout detector was triggered",
            CrashKind.BROWNOUT,
            "",
            (),
            id="brownout",
        ),
        pytest.param(
            "nrf52840",
            "[00:00:01.250,000] <err> os: ***** BUS FAULT *****\n"
            "[00:00:01.250,000] <err> os:   Precise data bus error\n"
            "[00:00:01.250,000] <err> os: r3/a4:  0x00000000 r12/ip:  0x00000001 "
            "r14/lr:  0x00000c1d\n"
            "[00:00:01.250,000] <err> os: Faulting instruction address (r15/pc): "
            "0x00000bf8\n"
            "[00:00:01.250,000] <err> os: >>> ZEPHYR FATAL ERROR 25: Unknown error\n"
            "[00:00:01.250,000] <err> os: Halting system",
            CrashKind.HARD_FAULT,
            "BUS FAULT",
            (0xBF8, 0xC1A),
            id="zephyr",
        ),
        pytest.param(
            "stm32f401",
            "[Hard fault handler - all numbers in hex]\nR0 = 0x00000000\n"
            "LR [R14] = 0x08000a35  subroutine call return address\n"
            "PC [R15] = 0x080009f2  program counter\nCFSR = 0x00010000",
            CrashKind.HARD_FAULT,
            "Hard fault, undefined instruction",
            (0x080009F2, 0x08000A32),
            id="copied handler",
        ),
        pytest.param(
            "stm32f401",
            "Fault on thread main\nHardFault: firmware name: tank\n"
            "Show more call stack info by run: addr2line -e tank.elf -afpiC "
            "08000bd4 080010c2",
            CrashKind.HARD_FAULT,
            "HardFault",
            (0x08000BD4, 0x080010C2),
            id="CmBacktrace",
        ),
        pytest.param(
            "atmega328p",
            "boot, MCUSR=0x08",
            CrashKind.WATCHDOG_RESET,
            "0x08",
            (),
            id="AVR watchdog",
        ),
        pytest.param(
            "esp32c3",
            "thread 'main' panicked at src/main.rs:12:5:\nindex out of bounds",
            CrashKind.PANIC,
            "src/main.rs:12:5:",
            (),
            id="Rust",
        ),
    ],
)
def test_each_way_to_die_is_known(
    mcu: str, text: str, kind: CrashKind, detail: str, addresses: tuple[int, ...]
) -> None:
    crash = crash_of(mcu, text)
    assert (crash.kind, crash.detail, crash.addresses) == (kind, detail, addresses)


def test_a_chip_in_download_mode_is_known_at_once() -> None:
    # B17
    watch = CrashWatch.of("esp32s3")
    assert watch.feed("rst:0x15 (USB_UART_CHIP_RESET),boot:0x3", 0) is None
    crash = watch.feed("waiting for download", 1000)
    assert crash is not None
    assert crash.kind is CrashKind.DOWNLOAD_MODE
    assert not crash.kind.is_firmware


def test_the_third_boot_in_a_row_is_a_loop() -> None:
    # X8: a boot loop does not burn the whole window.
    watch = CrashWatch.of("esp32")
    line = "rst:0xc (SW_CPU_RESET),boot:0x13 (SPI_FAST_FLASH_BOOT)"
    assert [watch.feed(line, at_us) for at_us in (0, 1000)] == [None, None]
    crash = watch.feed(line, 2000)
    assert crash is not None
    assert crash.summary == (
        "the firmware restarts over and over (SW_CPU_RESET) at 0.002000 s"
    )


def test_boots_that_were_asked_for_are_no_loop() -> None:
    watch = CrashWatch.of("esp32")
    for number in range(9):
        watch.pressed()
        assert watch.feed("rst:0x1 (POWERON_RESET),boot:0x13", number) is None


@pytest.mark.parametrize(
    ("line", "every_us"),
    [
        ("rst:0x5 (DEEPSLEEP_RESET),boot:0x13 (SPI_FAST_FLASH_BOOT)", 1_000_000),
        (" ets Jan  8 2013,rst cause:5, boot mode:(3,7)", 1_000_000),
        ("rst:0xc (SW_CPU_RESET),boot:0x13 (SPI_FAST_FLASH_BOOT)", 20_000_000),
    ],
)
def test_to_wake_up_or_to_restart_now_and_then_is_no_loop(
    line: str, every_us: int
) -> None:
    watch = CrashWatch.of("esp32")
    assert not any(watch.feed(line, number * every_us) for number in range(9))


def test_a_watchdog_reset_that_is_not_the_first_boot_is_a_crash() -> None:
    # E10
    watch = CrashWatch.of("esp32")
    assert watch.feed("rst:0x1 (POWERON_RESET),boot:0x13", 0) is None
    crash = watch.feed("rst:0x7 (TG0WDT_SYS_RESET),boot:0x13", 1000)
    assert crash is not None
    assert crash.kind is CrashKind.WATCHDOG_RESET


def test_a_first_boot_may_come_from_a_watchdog() -> None:
    # That is how a flash tool restarts a chip whose port has no RTS.
    watch = CrashWatch.of("esp32s3")
    assert watch.feed("rst:0x10 (RTCWDT_RTC_RESET),boot:0x8", 0) is None


def test_empty_flash_is_not_blamed_on_the_firmware() -> None:
    watch = CrashWatch.of("esp32")
    crashes = [watch.feed("invalid header: 0xffffffff", at_us) for at_us in range(3)]
    assert [crash and crash.kind for crash in crashes] == [
        None,
        None,
        CrashKind.NO_PROGRAM,
    ]


def test_a_dump_that_stops_half_way_is_reported_in_under_a_second() -> None:
    # X8
    watch = CrashWatch.of("esp32")
    first, _, third, *_ = XTENSA_PANIC.splitlines()
    watch.feed(first, 5_000_000)
    watch.feed(third, 5_010_000)
    assert watch.settle(5_010_000 + QUIET_US - 1) is None
    crash = watch.settle(5_010_000 + QUIET_US)
    assert crash is not None
    assert crash.at_us == 5_000_000


def test_a_dump_without_end_is_not_waited_for() -> None:
    watch = CrashWatch.of("esp32")
    watch.feed(XTENSA_PANIC.splitlines()[0], 0)
    for at_us in range(10_000, LONGEST_US, 10_000):
        assert watch.feed("more and more", at_us) is None
        assert watch.settle(at_us) is None
    assert watch.settle(LONGEST_US) is not None


@pytest.mark.parametrize("mcu", ["esp32", "stm32f401", "atmega328p", "native"])
@pytest.mark.parametrize(
    "line",
    [
        "ACT PUMP ON",
        "ALARM BUS FAULT ON VALVE 3",
        "I (312) main: rebooting into new partition",
        "no panic",
        "MCUSR=0x02",
        "checking stack overflow protection",
    ],
)
def test_ordinary_talk_is_no_crash(mcu: str, line: str) -> None:
    watch = CrashWatch.of(mcu)
    assert watch.feed(line, 0) is None
    assert not watch.gathering
