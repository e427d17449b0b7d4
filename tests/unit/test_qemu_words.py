"""What an ESP chip says when it cannot boot, or dies of what QEMU does not have."""

from __future__ import annotations

import pytest

from pytest_embedbench.engines.qemu.boot_words import is_refused_by_rom, refusal
from pytest_embedbench.engines.qemu.not_modelled import PERIPHERALS, unmodelled

BANNER = b"rst:0x1 (POWERON_RESET),boot:0x12 (SPI_FAST_FLASH_BOOT)\r\n"
AGAIN = b"ets Jul 29 2019\r\nrst:0x3 (SW_RESET),boot:0x12 (SPI_FAST_FLASH_BOOT)\r\n"
RED, PLAIN = b"\x1b[0;31m", b"\x1b[0m\r\n"
NO_TABLE = (
    RED + b"E (64) flash_parts: partition 3 invalid - offset 0x150000" + PLAIN
    + RED + b"E (65) boot: Failed to verify partition table" + PLAIN
)  # fmt: skip
XTENSA = (
    b"Guru Meditation Error: Core  0 panic'ed (LoadStorePIFAddrError). Exception was "
    b"unhandled.\r\nPC      : 0x400d2653\r\nEXCVADDR: %s  LBEG    : 0x00000000\r\n"
)
RISC_V = (
    b"Guru Meditation Error: Core  0 panic'ed (Load access fault). Exception was "
    b"unhandled.\r\nMCAUSE  : 0x00000005  MTVAL   : %s  MHARTID : 0x00000000\r\n"
)


def test_the_bootloaders_own_sentence_is_quoted() -> None:
    words = (
        "flash_parts: partition 3 invalid - offset 0x150000; "
        "boot: Failed to verify partition table"
    )
    assert refusal(BANNER + NO_TABLE) == words
    assert refusal(BANNER + NO_TABLE + AGAIN) == words
    assert refusal(BANNER + NO_TABLE + AGAIN + NO_TABLE) == words


@pytest.mark.parametrize(
    "line",
    [b"invalid header: 0xffffffff", b"csum err:0x9e!=0x9f", b"flash read err, 1000"],
)
def test_so_is_the_roms(line: bytes) -> None:
    said = BANNER + line + b"\r\n" + line + b"\r\n"
    assert refusal(said) == line.decode()
    assert is_refused_by_rom(said)


def test_what_an_application_logs_is_no_refusal_to_boot() -> None:
    application = b"I (780) cpu_start: Pro cpu up.\r\nE (900) wifi: no\r\n"
    assert refusal(BANNER + application + AGAIN) == ""
    assert refusal(BANNER + AGAIN) == ""
    assert refusal(b"") == ""
    assert not is_refused_by_rom(BANNER + application)


@pytest.mark.parametrize(
    ("machine", "said", "peripheral"),
    [
        ("esp32", XTENSA % b"0x3ff5e000", "MCPWM0 (0x3ff5e000)"),
        ("esp32", XTENSA % b"0x3ff7a004", "the peripheral at 0x3ff7a004"),
        ("esp32c3", RISC_V % b"0x6002b010", "TWAI (0x6002b010)"),
        ("esp32", XTENSA % b"0x00000010", None),
        ("esp32c3", RISC_V % b"0x3fc80000", None),
        ("netduinoplus2", XTENSA % b"0x3ff5e000", None),
        ("esp32", b"EXCVADDR: 0x3ff5e000", None),
        ("esp32", XTENSA[:40], None),
    ],
)
def test_a_panic_over_a_peripheral_that_is_not_there_names_it(
    machine: str, said: bytes, peripheral: str | None
) -> None:
    assert unmodelled(said, PERIPHERALS.get(machine)) == peripheral
