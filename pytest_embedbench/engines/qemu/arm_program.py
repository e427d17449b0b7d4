"""What an STM32 starts with: an ELF file, or a HEX or BIN file as its flash."""

from __future__ import annotations

import struct
import tempfile
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pytest_embedbench.engines.qemu.elf import read_loadable
from pytest_embedbench.errors import DoesNotFit, FirmwareFault
from pytest_embedbench.support.image_kinds import ImageKind, image_kind, read_segments
from pytest_embedbench.support.symbols import elf_machine

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path

    from pytest_embedbench.model import FirmwareImage

FLASH_AT = 0x0800_0000
FLASH_BYTES = 1 << 20
_ERASED = b"\xff"
_THUMB = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class ArmProgram:
    """What QEMU is given as ``kernel``, with the open ``files`` that it speaks of.

    ``image`` has the ELF file that tells names, if there is one.
    """

    image: FirmwareImage
    kernel: str
    files: tuple[int, ...] = ()


@contextmanager
def arm_program(image: FirmwareImage) -> Generator[ArmProgram]:
    """Yield what QEMU loads of an image.

    Raises:
        FirmwareFault: it is damaged, or not made for the chip's flash.
    """
    path = image.named_path
    if image_kind(path) is ImageKind.ELF:
        yield ArmProgram(image=image, kernel=str(path))
        return
    contents = flash_contents(path)
    elf_path = image.symbols_path
    if elf_path is not None:
        _check_same_build(path, contents, elf_path)
        image = replace(image, elf_path=elf_path)
    with tempfile.TemporaryFile(buffering=0) as file:
        file.write(contents)
        number = file.fileno()
        # What is no ELF file goes to address 0, where the chip sees its flash at reset.
        yield ArmProgram(image=image, kernel=f"/dev/fd/{number}", files=(number,))


def check_fits(path: Path) -> None:
    """Insist that a file is a program for the chip.

    Raises:
        FirmwareFault: it is damaged, for another machine, or not made for the flash.
        DoesNotFit: it puts something where there is no flash.
    """
    if image_kind(path) is not ImageKind.ELF:
        flash_contents(path)
    elif (machine := elf_machine(path)) != "EM_ARM":
        raise FirmwareFault(f"{path}: is a program for {machine}, not for an ARM")


def flash_contents(path: Path) -> bytes:
    """Return the flash from its start on, as a HEX or BIN file fills it.

    Raises:
        FirmwareFault: the file is damaged, or does not begin as a program does.
        DoesNotFit: it puts something where there is no flash.
    """
    kind = image_kind(path)
    if kind is ImageKind.BIN and path.suffix == ".elf":
        raise FirmwareFault(
            f"{path}: not a readable ELF file: it does not begin as one; if it is the "
            "flash's contents, call it .bin"
        )
    pieces = read_segments(path)
    if kind is ImageKind.BIN:  # it says no address
        pieces = [(FLASH_AT + at, data) for at, data in pieces]
    contents = bytearray()
    for address, data in pieces:
        at = address - FLASH_AT
        if at < 0 or at + len(data) > FLASH_BYTES:
            raise DoesNotFit(
                f"{path}: puts {len(data)} bytes at {address:#x}, but the flash is "
                f"{FLASH_BYTES >> 10} KiB at {FLASH_AT:#x}"
            )
        contents += _ERASED * (at - len(contents))
        contents[at : at + len(data)] = data
    _check_vectors(path, bytes(contents))
    return bytes(contents)


def _check_vectors(path: Path, contents: bytes) -> None:
    if len(contents) >= 8:  # noqa: PLR2004  # two words
        stack, reset = struct.unpack_from("<2I", contents)
        if reset & _THUMB and 0 <= reset - FLASH_AT < FLASH_BYTES and stack % 4 == 0:
            return
    raise FirmwareFault(
        f"{path}: does not begin with a stack and a reset vector in the flash at "
        f"{FLASH_AT:#x}: it is for another chip, or to be put behind a bootloader"
    )


def _check_same_build(path: Path, contents: bytes, elf_path: Path) -> None:
    elf = read_loadable(elf_path)
    for address, data in elf.segments if elf else ():
        at = address - FLASH_AT
        if 0 <= at < FLASH_BYTES and contents[at : at + len(data)] != data:
            raise FirmwareFault(
                f"{path}: is of another build than {elf_path.name} beside it: they "
                f"differ in the {len(data)} bytes at {address:#x}"
            )
