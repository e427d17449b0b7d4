"""What is inside an ESP chip when it is switched on: its flash and its efuses."""

from __future__ import annotations

import os
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING

from pytest_embedbench.engines.qemu import flash
from pytest_embedbench.engines.qemu.options import USUAL
from pytest_embedbench.errors import BoardBusy, ConfigError

if TYPE_CHECKING:
    from collections.abc import Generator

    from pytest_embedbench.engines.qemu.machines import QemuMachine
    from pytest_embedbench.engines.qemu.options import EspOptions
    from pytest_embedbench.model import FirmwareImage

_MIB = 1 << 20
_ENTRY_POINT_AT = 4


@contextmanager
def flash_file(
    image: FirmwareImage, machine: QemuMachine, options: EspOptions
) -> Generator[IO[bytes]]:
    """Yield a flash chip of our own that holds ``image``, as an open file.

    Raises:
        ConfigError: an option does not fit the image.
        FirmwareFault: the build has made no image for a flash of this size.
        BoardBusy: another board runs from the same ``flash_file``.
    """
    pieces = flash.pieces(image)
    if options.nvs_file:
        pieces.append(flash.nvs_piece(pieces, _read(options.nvs_file)))
    size_mb = flash.size_mb(pieces, machine.bootloader_offset, options.flash_mb)
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
