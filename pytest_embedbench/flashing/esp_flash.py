"""Whether what lies in an ESP's flash can boot at all: looked at before it runs. Pure.

What a ROM and a bootloader would find out, they say in words that nobody may hear, and
then start over for ever.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_embedbench.errors import ConfigError, NotSupported
from pytest_embedbench.flashing.esp_image import (
    check_chip,
    check_kind,
    chip_id,
    is_esp_image,
    read_esp_image,
)
from pytest_embedbench.flashing.esp_origin import problem_with
from pytest_embedbench.flashing.esp_partitions import (
    TABLE_BYTES,
    is_partition_table,
    read_partitions,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from pytest_embedbench.flashing.esp_image import EspImage
    from pytest_embedbench.flashing.esp_origin import Loadable
    from pytest_embedbench.flashing.esp_partitions import Partition

_MIB = 1 << 20
# Where it lies is up to the build, but never far up.
_SECTOR, _TABLE_BEFORE = 0x1000, 0x40000
# What ESP-IDF's bootloader logs under, if it was built with that at all.
_KEYS = {b"flash_encrypt": "flash encryption", b"secure_boot": "secure boot"}


@dataclass(frozen=True, slots=True)
class FlashRegion:
    """Bytes that belong at an offset of the flash; ``name`` is the file they are of."""

    offset: int
    data: bytes
    name: str = "the image"

    @property
    def end(self) -> int:
        """The offset behind the last byte."""
        return self.offset + len(self.data)


def table_in(held: Iterable[FlashRegion]) -> tuple[Partition, ...] | None:
    """Return the partition table among what is held, if there is one."""
    for region in held:
        first = -region.offset % _SECTOR
        for at in range(first, min(len(region.data), _TABLE_BEFORE), _SECTOR):
            if is_partition_table(region.data[at : at + 2]):
                table = region.data[at : at + TABLE_BYTES]
                return read_partitions(table, region.name)
    return None


def boot_image(
    held: Sequence[FlashRegion], bootloader_offset: int, chip: str
) -> EspImage:
    """Return what the ROM loads.

    Raises:
        ConfigError, NotSupported: there is none, or it is none for this chip.
    """
    for region in held:
        if is_esp_image(region.data):  # before anything is missed at its place
            check_chip(chip_id(region.data), region.name, chip)
    for region in held:
        if region.offset <= bootloader_offset < region.end:
            data = region.data[bootloader_offset - region.offset :]
            return read_esp_image(data, region.name, chip, by_rom=True)
    raise ConfigError(
        f"there is nothing at {bootloader_offset:#x}, where the ROM of an {chip} looks "
        "for its bootloader: give the bootloader, too, or an image with all in it"
    )


def check_flash(
    held: Sequence[FlashRegion],
    *,
    chip: str,
    bootloader_offset: int,
    size_mb: int,
    elf: Loadable | None = None,
) -> None:
    """Insist that ``held``, in a flash of ``size_mb``, is something that can boot.

    With ``elf`` also that its application was made of that ELF file.

    Raises:
        ConfigError: an image, the partition table or the ELF file is not what it should
            be; one sentence says which and why.
        NotSupported: an image is encrypted or signed.
    """
    first = boot_image(held, bootloader_offset, chip)
    _check_keyless(first)
    partitions = table_in(held)
    if partitions is None:
        _check_bare(held, first, elf)
        return
    _check_rows(partitions, size_mb)
    applications = list(_applications(held, partitions, chip))
    if not applications:
        raise ConfigError(
            "no partition for applications holds one: the bootloader would find "
            "nothing to boot"
        )
    if elf is not None:
        problems = [problem_with(image, elf) for image in applications]
        if all(problems):
            raise ConfigError(problems[0])


def _check_bare(
    held: Sequence[FlashRegion], first: EspImage, elf: Loadable | None
) -> None:
    """Judge what has no partition table: the ROM's image has to be all there is."""
    others = [region for region in held if is_esp_image(region.data)]
    if len(others) > 1:
        raise ConfigError(
            f"there is no partition table beside {others[0].name} and "
            f"{others[-1].name}: the bootloader would not find the application; give "
            "that, too"
        )
    if elf is not None and (problem := problem_with(first, elf)):
        raise ConfigError(problem)


def _check_keyless(first: EspImage) -> None:
    """Refuse a bootloader that would burn keys into a chip and lock it."""
    for word, what in _KEYS.items():
        if any(word in segment.data for segment in first.segments):
            raise NotSupported(
                f"{first.name}: is a bootloader for {what}, which burns keys into its "
                "chip: the emulated one has none, so build it without"
            )


def _check_rows(partitions: Sequence[Partition], size_mb: int) -> None:
    for row in partitions:
        end = row.offset + row.size_bytes
        if end > size_mb * _MIB:
            raise ConfigError(
                f"the partition {row.label!r} ends at {end:#x}, beyond the flash of "
                f"{size_mb} MB: choose the flash it is made for (flash_mb)"
            )
    if not any(row.is_app for row in partitions):
        raise ConfigError("the partition table has no partition for an application")


def _applications(
    held: Sequence[FlashRegion], partitions: Sequence[Partition], chip: str
) -> Iterator[EspImage]:
    """Yield the applications in flash, each in its partition."""
    for row in partitions:
        region = next(
            (part for part in held if part.offset <= row.offset < part.end), None
        )
        if not row.is_app or region is None:
            continue
        data = region.data[row.offset - region.offset :]
        if region.offset == row.offset:
            check_kind(data, region.name)
        if len(data) > row.size_bytes and region.offset == row.offset:
            raise ConfigError(
                f"{region.name}: has {len(data)} bytes, more than the {row.size_bytes} "
                f"of its partition {row.label!r}"
            )
        data = data[: row.size_bytes]
        if data.strip(b"\xff"):  # or else an erased slot of a merged image
            yield read_esp_image(data, region.name, chip)
    first = min(row.offset for row in partitions)
    for region in held:
        inside = any(
            row.offset <= region.offset < row.offset + row.size_bytes
            for row in partitions
        )
        if not inside and region.offset > first and is_esp_image(region.data):
            raise ConfigError(
                f"{region.name}: lies at {region.offset:#x}, where the partition table "
                "has no partition: it is not the table that it was built with"
            )
