"""What is inside an ESP chip when it is switched on: its flash and its efuses."""

from __future__ import annotations

import os
import tempfile
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import IO, TYPE_CHECKING

from pytest_embedbench.engines.qemu import flash
from pytest_embedbench.engines.qemu.elf import read_loadable
from pytest_embedbench.engines.qemu.options import USUAL
from pytest_embedbench.errors import BoardBusy, ConfigError
from pytest_embedbench.flashing.esp_config import check_not_secure, read_sdkconfig
from pytest_embedbench.flashing.esp_flash import boot_image, check_flash
from pytest_embedbench.flashing.esp_image import for_flash_of

if TYPE_CHECKING:
    from collections.abc import Generator

    from pytest_embedbench.engines.qemu.machines import QemuMachine
    from pytest_embedbench.engines.qemu.options import EspOptions
    from pytest_embedbench.flashing.esp_flash import FlashRegion
    from pytest_embedbench.flashing.esp_image import EspImage
    from pytest_embedbench.model import FirmwareImage

_MIB = 1 << 20
_ENTRY_POINT_AT = 4


def contents(
    image: FirmwareImage, machine: QemuMachine, options: EspOptions
) -> tuple[list[FlashRegion], int]:
    """Return what the flash holds at first, and how many MB it has.

    Where the option or the board's manifest says how many, the image that the ROM
    loads is told, as by a flasher.

    Raises:
        ConfigError: an option does not fit the image, or it is none that can boot.
        NotSupported: an image is signed or encrypted.
        FirmwareFault: the build has made no image for a flash of this size.
    """
    held = flash.pieces(image)
    first = boot_image(held, machine.bootloader_offset, machine.name)
    told_mb = options.flash_mb or flash.manifest_mb(image, "flash_size")
    size_mb = flash.size_mb(held, told_mb or 1 << first.flash_size_code, told_mb)
    check_not_secure(read_sdkconfig(image), image.elf_path.name)
    check_flash(
        held,
        chip=machine.name,
        bootloader_offset=machine.bootloader_offset,
        size_mb=size_mb,
        elf=read_loadable(image.elf_path),
    )
    if told_mb:
        at = machine.bootloader_offset
        held = [_resized(piece, at, first, size_mb) for piece in held]
    if options.nvs_file:
        held.append(flash.nvs_piece(held, _read(options.nvs_file)))
    return held, size_mb


def _resized(
    piece: FlashRegion, offset: int, first: EspImage, size_mb: int
) -> FlashRegion:
    """Return a piece whose image at ``offset``, if it is there, knows the size."""
    at = offset - piece.offset
    if not 0 <= at < len(piece.data):
        return piece
    changed = for_flash_of(piece.data[at:], first, size_mb)
    return replace(piece, data=piece.data[:at] + changed)


@contextmanager
def flash_file(
    image: FirmwareImage, machine: QemuMachine, options: EspOptions
) -> Generator[IO[bytes]]:
    """Yield a flash chip of our own that holds ``image``, as an open file.

    Raises:
        BoardBusy: another board runs from the same ``flash_file``.
        EmbedbenchError: as ``contents`` does.
    """
    pieces, size_mb = contents(image, machine, options)
    with _opened(options.flash_file) as file:
        held_bytes = file.seek(0, os.SEEK_END)
        if held_bytes == 0:
            file.seek(0)
            file.write(flash.erased(size_mb))
        elif held_bytes != size_mb * _MIB:
            raise ConfigError(
                f"option flash_file: {options.flash_file} is a chip of {held_bytes} "
                f"bytes, but the firmware needs one of {size_mb} MB"
            )
        for piece in pieces:
            file.seek(piece.offset)
            file.write(piece.data)
        file.flush()
        yield file


def entry_point(flash: IO[bytes], machine: QemuMachine) -> int:
    """Return where the ROM jumps to, by the image that it loads."""
    at = machine.bootloader_offset + _ENTRY_POINT_AT
    return int.from_bytes(os.pread(flash.fileno(), 4, at), "little")


def psram_mb(image: FirmwareImage, machine: QemuMachine, options: EspOptions) -> int:
    """Return the size of the external RAM by option, manifest or build."""
    if options.psram_mb != USUAL:
        return options.psram_mb
    if not machine.usual_psram_mb:
        return 0
    if listed_mb := flash.manifest_mb(image, "psram_size"):
        return min(listed_mb, machine.usual_psram_mb)  # QEMU has no bigger ones
    wanted = read_sdkconfig(image).get("SPIRAM") is True
    return machine.usual_psram_mb * wanted


@contextmanager
def efuse_file(machine: QemuMachine, options: EspOptions) -> Generator[IO[bytes]]:
    """Yield the chip's efuses, as an open file."""
    revision = options.chip_revision
    if revision == USUAL:
        revision = machine.usual_revision
    with tempfile.TemporaryFile(buffering=0) as file:
        file.write(flash.efuses(machine.name, revision))
        yield file


@contextmanager
def _opened(path: str) -> Generator[IO[bytes]]:
    """Yield the file of a flash chip, which nobody else has: a new one by default."""
    if not path:
        with tempfile.TemporaryFile() as file:
            yield file
        return
    import fcntl  # noqa: PLC0415  # POSIX only, and so are these boards

    number = os.open(Path(path).expanduser(), os.O_RDWR | os.O_CREAT, 0o644)
    with os.fdopen(number, "r+b") as file:
        try:
            fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise BoardBusy(f"another board runs from the flash in {path}") from None
        yield file


def _read(path: str) -> bytes:
    try:
        return Path(path).expanduser().read_bytes()
    except OSError as error:
        raise ConfigError(f"option nvs_file: {error}") from error
