"""Pictures as PNG files, by the W3C's recommendation (third edition).

Written are 8 bits each of red, green, blue and opacity, as Wokwi has them. Read is
what others make of such: greys, palettes, fewer bits; no 16 bits, and nothing that is
interlaced.
"""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_embedbench.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterator

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_HEAD = struct.Struct(">IIBBBBB")
_GREY, _RGB, _PALETTE, _GREY_ALPHA, _RGBA = 0, 2, 3, 4, 6
_CHANNELS = {_GREY: 1, _RGB: 3, _PALETTE: 1, _GREY_ALPHA: 2, _RGBA: 4}
_OPAQUE = 255
_MOST_PIXELS = 1 << 24


@dataclass(frozen=True, slots=True)
class Picture:
    """Pixels in rows from the top: red, green, blue and opacity, 0 to 255 each."""

    width: int
    height: int
    rgba: bytes

    def pixel(self, x: int, y: int) -> tuple[int, int, int, int]:
        """Return one of them."""
        at = 4 * (y * self.width + x)
        red, green, blue, alpha = self.rgba[at : at + 4]
        return red, green, blue, alpha


def encode_png(picture: Picture) -> bytes:
    """Return a picture as a file; equal pictures give equal bytes."""
    size = 4 * picture.width
    rows = (
        b"\0" + picture.rgba[at : at + size] for at in range(0, len(picture.rgba), size)
    )
    head = _HEAD.pack(picture.width, picture.height, 8, _RGBA, 0, 0, 0)
    chunks = (
        (b"IHDR", head),
        (b"IDAT", zlib.compress(b"".join(rows), 9)),
        (b"IEND", b""),
    )
    return _SIGNATURE + b"".join(_chunk(name, data) for name, data in chunks)


def decode_png(data: bytes, file: str) -> Picture:
    """Return the picture in a file.

    Args:
        data: What is in it.
        file: What messages call it.

    Raises:
        ConfigError: it is no PNG, damaged, or of a kind that is not read.
    """
    if not data.startswith(_SIGNATURE):
        raise ConfigError(f"{file}: is no PNG: it begins with {data[:8]!r}")
    try:
        return _decode(dict(_chunks(data)), file)
    except (struct.error, zlib.error, KeyError, IndexError, ValueError) as error:
        raise ConfigError(f"{file}: is a damaged PNG ({error})") from error


def _decode(chunks: dict[bytes, bytes], file: str) -> Picture:
    width, height, depth, kind, _, _, interlaced = _HEAD.unpack(chunks[b"IHDR"])
    if interlaced or depth > 8 or kind not in _CHANNELS:  # noqa: PLR2004  # bits
        told = "interlaced" if interlaced else f"of {depth} bits a channel"
        raise ConfigError(f"{file}: is {told}; save it plainly, with 8 bits a channel")
    if not 0 < width * height <= _MOST_PIXELS:
        raise ConfigError(f"{file}: is {width} x {height} pixels large")
    bits = depth * _CHANNELS[kind]
    rows = _unfiltered(zlib.decompress(chunks[b"IDAT"]), height, width * bits, bits)
    samples = (_samples(row, depth, width * _CHANNELS[kind]) for row in rows)
    palette = _palette(chunks) if kind == _PALETTE else []
    most = (1 << depth) - 1
    rgba = b"".join(_rgba(row, kind, most, palette) for row in samples)
    return Picture(width, height, rgba)


def _chunk(name: bytes, body: bytes) -> bytes:
    checksum = zlib.crc32(name + body)
    return struct.pack(">I", len(body)) + name + body + struct.pack(">I", checksum)


def _chunks(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Yield what the chunks of each name hold together."""
    found: dict[bytes, bytes] = {}
    at = len(_SIGNATURE)
    while at < len(data):
        length, name = struct.unpack_from(">I4s", data, at)
        body = data[at + 8 : at + 8 + length]
        (checksum,) = struct.unpack_from(">I", data, at + 8 + length)
        if zlib.crc32(name + body) != checksum:
            raise ValueError(f"the checksum of its {name.decode('latin-1')} is wrong")
        found[name] = found.get(name, b"") + body
        at += 12 + length
    yield from found.items()


def _unfiltered(data: bytes, height: int, row_bits: int, bits: int) -> list[bytearray]:
    size, back = -(-row_bits // 8), max(1, bits // 8)
    if len(data) != height * (size + 1):
        raise ValueError(f"it has {len(data)} bytes of pixels")
    rows: list[bytearray] = []
    above = bytearray(size)
    for at in range(0, len(data), size + 1):
        row = bytearray(data[at + 1 : at + 1 + size])
        _unfilter(data[at], row, above, back)
        rows.append(row)
        above = row
    return rows


def _unfilter(kind: int, row: bytearray, above: bytearray, back: int) -> None:
    if kind not in range(5):
        raise ValueError(f"no filter is of type {kind}")
    for at in range(len(row) if kind else 0):
        left = row[at - back] if at >= back else 0
        corner = above[at - back] if at >= back else 0
        foretold = (0, left, above[at], (left + above[at]) // 2, 0)[kind]
        if kind == 4:  # noqa: PLR2004  # Paeth's
            foretold = _paeth(left, above[at], corner)
        row[at] = (row[at] + foretold) & 0xFF


def _paeth(left: int, above: int, corner: int) -> int:
    by = left + above - corner
    return min((left, above, corner), key=lambda near: abs(by - near))


def _samples(row: bytearray, depth: int, count: int) -> list[int]:
    if depth == 8:  # noqa: PLR2004  # bits
        return list(row)
    per_byte, most = 8 // depth, (1 << depth) - 1
    return [
        row[at // per_byte] >> (8 - depth * (1 + at % per_byte)) & most
        for at in range(count)
    ]


def _palette(chunks: dict[bytes, bytes]) -> list[bytes]:
    colours, alphas = chunks[b"PLTE"], chunks.get(b"tRNS", b"")
    return [
        colours[3 * at : 3 * at + 3] + (alphas[at : at + 1] or bytes([_OPAQUE]))
        for at in range(len(colours) // 3)
    ]


def _rgba(row: list[int], kind: int, most: int, palette: list[bytes]) -> bytes:
    if kind == _PALETTE:
        return b"".join(palette[index] for index in row)
    if kind == _RGBA:
        return bytes(row)
    if kind == _RGB:
        return b"".join(
            bytes((*row[at : at + 3], _OPAQUE)) for at in range(0, len(row), 3)
        )
    if kind == _GREY_ALPHA:
        return b"".join(
            bytes((grey, grey, grey, alpha))
            for grey, alpha in zip(row[::2], row[1::2], strict=True)
        )
    greys = (grey * 255 // most for grey in row)
    return b"".join(bytes((grey, grey, grey, _OPAQUE)) for grey in greys)
