"""FAT16 on a card: a blank volume, and the files of one.

By Microsoft's "FAT: General Overview of On-Disk Format" (version 1.03), with long
names. A card of 8 MB has a partition table and one volume of clusters of 1 kB.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, NamedTuple

from pytest_embedbench.parts.models.card_memory import BLOCK, CardMemory

if TYPE_CHECKING:
    from collections.abc import Iterator

_BLOCKS = 16_384
_FIRST = 32  # block of the volume
_VOLUME_BLOCKS = _BLOCKS - _FIRST
_RESERVED, _FATS, _FAT_BLOCKS = 1, 2, 32
_ROOT_ENTRIES, _CLUSTER_BLOCKS = 512, 2
_MEDIUM = 0xF8
_SIGNATURE = b"\x55\xaa"
_SIGNATURE_AT, _PARTITION_AT, _PARTITION_KIND = 510, 446, 0x04
_BPB = struct.Struct("<11xHBHBHHBH")
_BPB_TAIL = struct.Struct("<HHIIBBBI11s8s")
ENTRY = struct.Struct("<8s3sBB13xHI")
ENTRY_SIZE = 32
END, DELETED, _KANJI, _DOT = 0x00, 0xE5, 0x05, 0x2E
_LABEL, DIRECTORY, _LONG_NAME, _ATTRIBUTES = 0x08, 0x10, 0x0F, 0x3F
_LOWER_NAME, _LOWER_SUFFIX = 0x08, 0x10
FIRST_CLUSTER, LAST_CLUSTER = 2, 0xFFF6
_LONG_NAME_PARTS = ((1, 11), (14, 26), (28, 32))
_DEEPEST = 16


class Volume(NamedTuple):
    """Where things are on a volume, in blocks of the card."""

    fat: int
    fats: int
    root: int
    root_blocks: int
    data: int
    cluster_blocks: int


class _DirectoryEntry(NamedTuple):
    """An entry of a directory."""

    name: str
    is_directory: bool
    cluster: int
    size: int


def blank_card() -> CardMemory:
    """Return a card of 8 MB with an empty volume."""
    fat = struct.pack("<HH", 0xFF00 | _MEDIUM, 0xFFFF).ljust(BLOCK, b"\0")
    written = {0: _partition_table(), _FIRST: _boot_block()}
    for index in range(_FATS):
        written[_FIRST + _RESERVED + index * _FAT_BLOCKS] = fat
    return CardMemory(_BLOCKS, written)


def files_of(card: CardMemory) -> tuple[tuple[str, bytes], ...]:
    """Return paths and contents, in the order of the directories.

    A path has ``/`` between its names. What is damaged is left out, or cut off where
    the damage is; a card without a volume of FAT16 has no files.
    """
    volume = volume_of(card)
    if volume is None:
        return ()
    root = card.read_blocks(volume.root, volume.root_blocks)
    return tuple(_Walk(card, volume).files(root, "", 0))


def _partition_table() -> bytes:
    # Cylinders, heads and sectors are those that mean "see the block numbers".
    partition = struct.pack(
        "<B3sB3sII",
        *(0, b"\xfe\xff\xff", _PARTITION_KIND, b"\xfe\xff\xff"),
        *(_FIRST, _VOLUME_BLOCKS),
    )
    head = bytes(_PARTITION_AT) + partition
    return head.ljust(_SIGNATURE_AT, b"\0") + _SIGNATURE


def _boot_block() -> bytes:
    head = bytearray(
        _BPB.pack(
            *(BLOCK, _CLUSTER_BLOCKS, _RESERVED, _FATS, _ROOT_ENTRIES),
            *(_VOLUME_BLOCKS, _MEDIUM, _FAT_BLOCKS),
        )
    )
    head[:11] = b"\xeb\x3c\x90EMBEDBEN"
    tail = _BPB_TAIL.pack(
        *(63, 255, _FIRST, 0, 0x80, 0, 0x29, 0x20200101),
        *(b"NO NAME    ", b"FAT16   "),
    )
    return bytes(head + tail).ljust(_SIGNATURE_AT, b"\0") + _SIGNATURE


def volume_of(card: CardMemory) -> Volume | None:
    """Return the first partition, or all of a card that has none."""
    first = 0
    table = card.read(0)
    kind, start = table[_PARTITION_AT + 4], table[_PARTITION_AT + 8 :][:4]
    if table.endswith(_SIGNATURE) and table[0] not in (0xEB, 0xE9) and kind:
        first = int.from_bytes(start, "little")
    boot = card.read(first)
    block, per_cluster, reserved, fats, entries, _, _, per_fat = _BPB.unpack_from(boot)
    if not boot.endswith(_SIGNATURE) or block != BLOCK or not (per_cluster and per_fat):
        return None
    fat = first + reserved
    root = fat + fats * per_fat
    root_blocks = -(-entries * ENTRY_SIZE // BLOCK)
    return Volume(fat, fats, root, root_blocks, root + root_blocks, per_cluster)


class _Walk:
    """A way through all directories, each of them once."""

    def __init__(self, card: CardMemory, volume: Volume) -> None:
        self._card, self._volume = card, volume
        self._seen: set[int] = set()

    def files(
        self, directory: bytes, path: str, depth: int
    ) -> Iterator[tuple[str, bytes]]:
        """Yield the files of a directory and below."""
        for entry in _entries(directory):
            if not entry.is_directory:
                yield path + entry.name, self._content(entry.cluster)[: entry.size]
            elif depth < _DEEPEST and entry.cluster not in self._seen:
                self._seen.add(entry.cluster)
                content = self._content(entry.cluster)
                yield from self.files(content, f"{path}{entry.name}/", depth + 1)

    def _content(self, cluster: int) -> bytes:
        """Return what is in a chain of clusters, to where it ends or bites itself."""
        card, volume = self._card, self._volume
        seen: dict[int, bytes] = {}
        while FIRST_CLUSTER <= cluster <= LAST_CLUSTER and cluster not in seen:
            block = volume.data + (cluster - FIRST_CLUSTER) * volume.cluster_blocks
            if block >= card.blocks:
                break
            seen[cluster] = card.read_blocks(block, volume.cluster_blocks)
            fat_block, place = divmod(2 * cluster, BLOCK)
            link = card.read(volume.fat + fat_block)[place : place + 2]
            cluster = int.from_bytes(link, "little")
        return b"".join(seen.values())


def _entries(directory: bytes) -> Iterator[_DirectoryEntry]:
    long_name = ""
    for start in range(0, len(directory) - ENTRY_SIZE + 1, ENTRY_SIZE):
        raw = directory[start : start + ENTRY_SIZE]
        if raw[0] == END:
            return
        name, suffix, attributes, case, cluster, size = ENTRY.unpack(raw)
        if raw[0] == DELETED:
            long_name = ""
        elif attributes & _ATTRIBUTES == _LONG_NAME:
            long_name = _long_part(raw) + long_name
        else:
            if not attributes & _LABEL and raw[0] != _DOT:
                known_as = long_name or _short_name(name, suffix, case)
                is_directory = bool(attributes & DIRECTORY)
                yield _DirectoryEntry(known_as, is_directory, cluster, size)
            long_name = ""


def _long_part(raw: bytes) -> str:
    letters = b"".join(raw[first:last] for first, last in _LONG_NAME_PARTS)
    return letters.decode("utf-16-le", "replace").partition("\0")[0]


def _short_name(name: bytes, suffix: bytes, case: int) -> str:
    if name[0] == _KANJI:
        name = bytes([DELETED]) + name[1:]
    stem, end = (part.decode("cp437").rstrip() for part in (name, suffix))
    stem = stem.lower() if case & _LOWER_NAME else stem
    end = end.lower() if case & _LOWER_SUFFIX else end
    return f"{stem}.{end}" if end else stem
