"""STM32 on QEMU: prebuilt files of each kind, and faults that come before any tick."""

from __future__ import annotations

import shutil
import struct
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

from pytest_embedbench.builders.prebuilt import PrebuiltImage
from pytest_embedbench.errors import DoesNotFit, FirmwareCrash, FirmwareFault
from pytest_embedbench.model import FirmwareImage
from pytest_embedbench.support.projects import prebuilt_source
from tests.e2e.qemu_boards import (
    Workshop,
    built,
    lines,
    said,
    skip_unless_installed,
    workshop,
)

__all__ = ["built", "workshop"]

NAME = "qemu-stm32f405"
FLASH_AT, HARD_FAULT = 0x0800_0000, 12
FORMATS = {"hex": "ihex", "bin": "binary"}


@pytest.fixture(autouse=True)
def _installed() -> None:
    skip_unless_installed(NAME)


@pytest.fixture
def elf(workshop: Workshop, tmp_path: Path) -> Path:
    """The tank's solution, where somebody else has built it."""
    return Path(shutil.copy(workshop.image(NAME).elf_path, tmp_path / "tank.elf"))


def converted(elf: Path, suffix: str) -> Path:
    path = elf.with_suffix(f".{suffix}")
    words = ["arm-none-eabi-objcopy", "-O", FORMATS[suffix], str(elf), str(path)]
    subprocess.run(words, check=True, timeout=60)
    return path


def prebuilt(path: Path) -> FirmwareImage:
    return PrebuiltImage().build(prebuilt_source(path), path.parent / "out")


@pytest.mark.parametrize("suffix", FORMATS)
def test_a_hex_and_a_bin_run_as_their_elf_does(
    workshop: Workshop, elf: Path, suffix: str
) -> None:
    spec = workshop.spec(NAME)

    def heard(path: Path) -> list[object]:
        board = workshop.boot_image(spec, prebuilt(path))
        board.link().send(b"SENSE LEVEL 20\n")
        board.advance(1500)
        return [*said(board)]

    path = converted(elf, suffix)
    assert heard(path) == heard(elf)
    assert heard(path)


def test_a_hex_alone_runs_in_real_time(workshop: Workshop, elf: Path) -> None:
    path = converted(elf, "hex")
    elf.unlink()
    with pytest.raises(FirmwareFault, match=r"real time .*lockstep = false"):
        workshop.boot_image(workshop.spec(NAME), prebuilt(path))
    board = workshop.boot_image(workshop.spec(NAME, lockstep=False), prebuilt(path))
    heard: list[bytes] = []
    for _ in range(1000):
        board.advance(10)
        heard += lines(board)
        if heard:
            break
    assert heard[0] == b"DBG BOOTED\n"


def test_files_of_two_builds_are_told_apart(workshop: Workshop, elf: Path) -> None:
    path = converted(elf, "bin")
    other = workshop.image(NAME, 'void firmware_main(void) { for (;;) say("x"); }')
    shutil.copy(other.elf_path, elf)
    with pytest.raises(FirmwareFault, match=r"is of another build than tank\.elf"):
        workshop.boot_image(workshop.spec(NAME), prebuilt(path))


@pytest.mark.parametrize(
    ("text", "error", "says"),
    [
        (b":020000040000FA\n:0400000001020304F2\n:00000001FF\n", DoesNotFit, "at 0x0,"),
        (b":020000042000DA\n:0400000001020304F2\n:00000001FF\n", DoesNotFit, "0x20000"),
        (bytes(64), FirmwareFault, "does not begin with a stack and a reset vector"),
        (b"\xe9\x03\x02\x20", FirmwareFault, "it is for another chip"),
    ],
)
def test_what_is_for_no_such_flash_is_refused(
    workshop: Workshop,
    tmp_path: Path,
    text: bytes,
    error: type[FirmwareFault],
    says: str,
) -> None:
    path = tmp_path / "foreign.bin"
    path.write_bytes(text)
    with pytest.raises(error, match=says):
        workshop.boot_image(workshop.spec(NAME), prebuilt(path))


FAULTS = {
    "nothing there": ("*(volatile int *)0x70000000 = 1;", "there is nothing"),
    "no instruction": ('__asm volatile("udf #0");', "an undefined instruction"),
    "nowhere": ("((void (*)(void))0x70000001)();", ""),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_before_the_first_tick_is_the_firmwares(
    workshop: Workshop, name: str
) -> None:
    # The bench's after 120 s before, for its tick never came.
    code, cause = FAULTS[name]
    board = workshop.boot(NAME, f'void firmware_main(void) {{ say("hi\\n"); {code} }}')
    with pytest.raises(FirmwareCrash, match=f"before its first tick.*{cause}"):
        board.advance(10)
    assert lines(board) == [b"hi\n"]


SKIPS = """
__attribute__((naked)) static void skip(void)
{
    __asm volatile("ldr r0, [sp, #24]\\n\\tadds r0, #2\\n\\tstr r0, [sp, #24]");
    __asm volatile("bx lr");
}
void (*volatile handler)(void) = skip; /* or it would be left out */
void firmware_main(void)
{
    say("before\\n");
    __asm volatile("udf #0");
    say(handler ? "after\\n" : "");
    for (;;)
        port_delay_ms(1000);
}
"""


def test_a_firmware_that_makes_up_for_an_early_fault_goes_on(
    workshop: Workshop, tmp_path: Path
) -> None:
    image = workshop.image(NAME, SKIPS)
    elf_path = Path(shutil.copy(image.elf_path, tmp_path / "firmware.elf"))
    with elf_path.open("r+b") as file:
        elf = ELFFile(file)
        (text,) = (part for part in elf.iter_segments() if part["p_vaddr"] == FLASH_AT)
        symbols = elf.get_section_by_name(".symtab")
        assert isinstance(symbols, SymbolTableSection)
        found = symbols.get_symbol_by_name("skip")
        assert found is not None
        file.seek(text["p_offset"] + HARD_FAULT)
        file.write(struct.pack("<I", found[0]["st_value"]))
    board = workshop.boot_image(workshop.spec(NAME), replace(image, elf_path=elf_path))
    board.advance(100)
    assert lines(board) == [b"before\n", b"after\n"]
