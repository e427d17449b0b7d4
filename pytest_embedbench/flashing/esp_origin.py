"""Whether an application for an ESP chip was made of an ELF file. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_embedbench.flashing.esp_image import EspImage

_ELF_DIGEST_BYTES = 32
_DESCRIPTION_DIGEST_AT = 144


class Loadable(NamedTuple):
    """What an ELF file wants in memory, and what the file itself amounts to.

    ``segments`` are addresses with their bytes.
    """

    name: str
    sha256: bytes
    entry: int
    segments: Sequence[tuple[int, bytes]]


def problem_with(image: EspImage, elf: Loadable) -> str:
    """Return why an application was not made of an ELF file; nothing if it was.

    Its digest of the ELF file says so, or else its entry and its bytes do.
    """
    description = image.description
    if description is not None and description.elf_sha256 == elf.sha256:
        return ""
    where = f"{image.name} was not made of {elf.name}"
    advice = "take both from one build, or their symbols are not where we look for them"
    if image.entry != elf.entry:
        return (
            f"{where}: it starts at {image.entry:#x}, the ELF file at {elf.entry:#x}: "
            f"{advice}"
        )
    for address, data in elf.segments:
        differs_at = _difference(image, address, data)
        if differs_at is not None:
            return f"{where}: they differ at address {differs_at:#x}: {advice}"
    return ""


def _difference(image: EspImage, address: int, data: bytes) -> int | None:
    """Return the first address where an image holds other bytes than ``data``."""
    for number, segment in enumerate(image.segments):
        start = max(address, segment.address)
        end = min(address + len(data), segment.address + len(segment.data))
        if start >= end:
            continue
        ours = bytearray(segment.data[start - segment.address : end - segment.address])
        theirs = bytearray(data[start - address : end - address])
        if number == 0 and image.description is not None:
            # Here the image alone holds the digest of the ELF file.
            digest_at = segment.address + _DESCRIPTION_DIGEST_AT
            for held in (ours, theirs):
                _blank(held, start, digest_at)
        if ours != theirs:
            return start + next(
                at for at, (a, b) in enumerate(zip(ours, theirs, strict=True)) if a != b
            )
    return None


def _blank(held: bytearray, start: int, digest_at: int) -> None:
    first = max(digest_at - start, 0)
    last = max(digest_at + _ELF_DIGEST_BYTES - start, 0)
    held[first:last] = bytes(len(held[first:last]))
