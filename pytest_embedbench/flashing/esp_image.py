"""What is in an image that an ESP chip boots: header, segments, description. Pure.

Formats as Espressif's esptool documents them under "Firmware Image Format", and ESP-IDF
under "App Image Format".
"""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from dataclasses import dataclass
from struct import Struct
from typing import TYPE_CHECKING, NamedTuple

from pytest_embedbench.errors import ConfigError, NotSupported

if TYPE_CHECKING:
    from collections.abc import Iterator

CHIPS = {
    0: "esp32",
    2: "esp32s2",
    5: "esp32c3",
    9: "esp32s3",
    12: "esp32c2",
    13: "esp32c6",
    16: "esp32h2",
    18: "esp32p4",
    20: "esp32c61",
    23: "esp32c5",
}
"""What an image's chip id means."""
MAGIC = 0xE9
_HEADER = Struct("<BBBBI BBBBHBHHIB")
_SEGMENT = Struct("<II")
_CHECKSUM_SEED = 0xEF
_DIGEST_BYTES = 32
_MOST_SEGMENTS = 16
_DESCRIPTION = Struct("<I 12x 32s 32s 16s 16s 32s 32s")
_DESCRIPTION_MAGIC = 0xABCD5432
_SIGNATURE = b"\xe7\x02"
"""How a signature of Secure Boot V2 begins, at the next multiple of 4096 bytes."""
_SIGNATURE_AT = 4096
# A cipher's output has 8 bits a byte; compiled code has 7 at the very most.
_CIPHER_BITS, _CIPHER_BYTES = 7.5, 1024
_OTHERS = {
    b"\x7fELF": "it is an ELF file",
    b":": "it is an Intel HEX file",
    b"UF2\n": "it is a UF2 file",
    b"\xff\xff\xff\xff": "it is empty flash",
    b"\0\0\0\0": "it is all zeros",
    b"version https://git-lfs": "it is a Git LFS pointer: run `git lfs pull`",
}


class EspSegment(NamedTuple):
    """Bytes of an image and the address that they are loaded or mapped to."""

    address: int
    data: bytes


class AppDescription(NamedTuple):
    """What ESP-IDF writes into an application about itself.

    ``elf_sha256`` is that of the ELF file it was made of; zeros if the build did not
    say.
    """

    version: str
    project: str
    idf_version: str
    elf_sha256: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class EspImage:
    """An image that a ROM or bootloader can load, whole and undamaged."""

    name: str
    chip: str
    flash_size_code: int
    """The flash is 1 MB times 2 to the power of this, by the header."""
    entry: int
    segments: tuple[EspSegment, ...]
    length_bytes: int
    """All of it, without a signature."""
    has_digest: bool

    @property
    def description(self) -> AppDescription | None:
        """What the application says of itself; bootloaders and old ones say nothing."""
        data = self.segments[0].data if self.segments else b""
        if len(data) < _DESCRIPTION.size:
            return None
        magic, version, project, _, _, idf, digest = _DESCRIPTION.unpack_from(data)
        if magic != _DESCRIPTION_MAGIC:
            return None
        return AppDescription(_text(version), _text(project), _text(idf), digest)


def is_esp_image(data: bytes) -> bool:
    """Say whether bytes begin as an image for an ESP chip does."""
    return data[:1] == bytes([MAGIC]) and 0 < data[1] <= _MOST_SEGMENTS


def read_esp_image(
    data: bytes, name: str, chip: str, *, by_rom: bool = False
) -> EspImage:
    """Read the image at the start of ``data``, for the chip called ``chip``.

    A ROM looks at the checksum alone, and flashers that change a header leave the
    digest as it was.

    Args:
        data: A file, or what flash holds from the image on.
        name: What to call it in errors.
        chip: The microcontroller that has to run it.
        by_rom: Whether it is a ROM that loads it, and no bootloader.

    Raises:
        ConfigError: it is no image, or cut short, damaged, or for another chip.
        NotSupported: it is encrypted or signed.
    """
    check_kind(data, name)
    if len(data) < _HEADER.size:
        raise ConfigError(f"{name}: is cut short: it ends within its header")
    _, count, _, size_speed, entry, *more, has_digest = _HEADER.unpack_from(data)
    check_chip(more[4], name, chip)
    segments = tuple(_segments(data, count, name))
    end = _HEADER.size + sum(_SEGMENT.size + len(part.data) for part in segments)
    end += 16 - end % 16  # its last byte is the checksum
    length = end + _DIGEST_BYTES * bool(has_digest)
    if len(data) < length:
        raise _cut_short(name, "checksum or digest", length, len(data))
    digest = data[end:length]
    if by_rom or not digest:
        _check_sum(data[end - 1], segments, name)
    elif hashlib.sha256(data[:end]).digest() != digest:
        raise ConfigError(f"{name}: is damaged: its SHA-256 is another than it says")
    signed_at = -(-length // _SIGNATURE_AT) * _SIGNATURE_AT
    if data[signed_at : signed_at + 2] == _SIGNATURE:
        raise NotSupported(
            f"{name}: is signed for Secure Boot V2, which the emulated chip has no "
            "key for: build it without CONFIG_SECURE_BOOT"
        )
    return EspImage(
        name=name,
        chip=chip,
        flash_size_code=size_speed >> 4,
        entry=entry,
        segments=segments,
        length_bytes=length,
        has_digest=bool(has_digest),
    )


def for_flash_of(data: bytes, image: EspImage, size_mb: int) -> bytes:
    """Return ``data`` with a header that says how big the flash is, as flashers do."""
    code = size_mb.bit_length() - 1
    if code == image.flash_size_code:
        return data
    changed = bytearray(data)
    changed[3] = code << 4 | data[3] & 0x0F
    if image.has_digest:
        end = image.length_bytes - _DIGEST_BYTES
        digest = hashlib.sha256(changed[:end]).digest()
        changed[end : image.length_bytes] = digest
    return bytes(changed)


def chip_id(data: bytes) -> int:
    """Return the number of the chip that an image says it is made for."""
    return int.from_bytes(data[12:14], "little")


def check_chip(made_for: int, name: str, chip: str) -> None:
    """Insist that ``made_for`` is the number of a chip; raises as above."""
    if CHIPS.get(made_for) != chip:
        raise ConfigError(
            f"{name}: is made for {CHIPS.get(made_for, 'an unknown chip')} (chip id "
            f"{made_for}), but this board has an {chip}: build it for this board or "
            "choose another"
        )


def check_kind(data: bytes, name: str) -> None:
    """Insist that bytes begin as an image does; raises as ``read_esp_image`` does."""
    if not data:
        raise ConfigError(f"{name}: is empty")
    if is_esp_image(data):
        return
    what = next((text for start, text in _OTHERS.items() if data.startswith(start)), "")
    if not what and _bits_per_byte(data[: 1 << 16]) > _CIPHER_BITS:
        raise NotSupported(
            f"{name}: is encrypted, it seems (no image starts with {data[0]:#04x}): "
            "the emulated chip has no key, so give it the image from before encryption"
        )
    raise ConfigError(
        f"{name}: is no image for an ESP chip: it starts with {data[0]:#04x}, not with "
        f"{MAGIC:#04x}{what and f'; {what}'}"
    )


def _bits_per_byte(data: bytes) -> float:
    """Return the entropy of a long text; 0 for one too short to say."""
    if len(data) < _CIPHER_BYTES:
        return 0.0
    shares = (count / len(data) for count in Counter(data).values())
    return -sum(share * math.log2(share) for share in shares)


def _segments(data: bytes, count: int, name: str) -> Iterator[EspSegment]:
    at = _HEADER.size
    for number in range(count):
        start = at + _SEGMENT.size
        if len(data) < start:
            raise _cut_short(name, f"segment {number}", start, len(data))
        address, length = _SEGMENT.unpack_from(data, at)
        at = start + length
        if len(data) < at:
            raise _cut_short(name, f"segment {number}", at, len(data))
        yield EspSegment(address, data[start:at])


def _cut_short(name: str, what: str, needed_bytes: int, had_bytes: int) -> ConfigError:
    return ConfigError(
        f"{name}: is cut short or damaged: its {what} ends at {needed_bytes:#x}, and "
        f"there are {had_bytes:#x} bytes"
    )


def _check_sum(said: int, parts: tuple[EspSegment, ...], name: str) -> None:
    checksum = _CHECKSUM_SEED
    for part in parts:
        for byte in part.data:
            checksum ^= byte
    if checksum != said:
        raise ConfigError(
            f"{name}: is damaged: its checksum is {checksum:#04x}, and it says "
            f"{said:#04x}"
        )


def _text(field: bytes) -> str:
    return field.partition(b"\0")[0].decode(errors="replace")
