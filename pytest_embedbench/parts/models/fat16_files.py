"""Put files on a card with FAT16, as a computer does before the card is in its slot.

Names are short ones (8.3), in capitals or without; folders are made as they are needed.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from pytest_embedbench.errors import ConfigError
from pytest_embedbench.parts.models.card_memory import BLOCK
from pytest_embedbench.parts.models.fat16 import (
    DELETED,
    DIRECTORY,
    END,
    ENTRY,
    ENTRY_SIZE,
    FIRST_CLUSTER,
    LAST_CLUSTER,
    volume_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pytest_embedbench.parts.models.card_memory import CardMemory
    from pytest_embedbench.parts.models.fat16 import Volume

_SHORT = re.compile(
    r"([\w~!#$%&'()@^`{}-]{1,8})(?:\.([\w~!#$%&'()@^`{}-]{1,3}))?", re.ASCII
)
_LOWER_NAME, _LOWER_SUFFIX = 0x08, 0x10
_ARCHIVE, _ATTRIBUTES, _LONG_NAME = 0x20, 0x3F, 0x0F
_LAST = 0xFFFF
_ROOT = 0
_FREE = {END, DELETED}


def put_file(card: CardMemory, path: str, content: bytes) -> None:
    """Write a file, in place of one of the same name.

    Raises:
        ConfigError: the card has no volume of FAT16, the name is no short one, or there
            is no room.
    """
    volume = volume_of(card)
    if volume is None:
        raise ConfigError("the card has no volume of FAT16 to put a file on")
    *folders, name = path.strip("/").split("/")
    writer = _Writer(card, volume)
    place = _ROOT
    for folder in folders:
        place = writer.folder(place, folder)
    writer.file(place, name, content)


class _Slot(NamedTuple):
    """Where the entry of a file or folder is, and where its content begins."""

    block: int
    offset: int
    is_folder: bool
    cluster: int


class _Writer:
    def __init__(self, card: CardMemory, volume: Volume) -> None:
        self._card, self._volume = card, volume
        data_blocks = card.blocks - volume.data
        clusters = data_blocks // volume.cluster_blocks
        per_fat = (volume.root - volume.fat) // volume.fats
        self._fat_blocks = per_fat
        self._beyond = min(FIRST_CLUSTER + clusters, per_fat * BLOCK // 2, LAST_CLUSTER)

    def folder(self, place: int, name: str) -> int:
        """Return the first cluster of a folder, which is made if it is not there."""
        found = self._find(place, name)
        if found is not None:
            if not found.is_folder:
                raise ConfigError(f"{name!r} on the card is a file, and no folder")
            return found.cluster
        (cluster,) = self._store(bytes(self._cluster_bytes))
        dots = (b".       ", cluster), (b"..      ", place)
        entries = b"".join(ENTRY.pack(n, b"   ", DIRECTORY, 0, c, 0) for n, c in dots)
        self._fill([cluster], entries)
        self._add(place, _entry(name, DIRECTORY, cluster, 0))
        return cluster

    def file(self, place: int, name: str, content: bytes) -> None:
        """Write a file in a folder."""
        entry = _entry(name, _ARCHIVE, 0, 0)
        found = self._find(place, name)
        if found is not None:
            if found.is_folder:
                raise ConfigError(f"{name!r} on the card is a folder, and no file")
            for cluster in list(self._chain(found.cluster)):
                self._link(cluster, 0)
            self._patch(found.block, found.offset, entry)
        clusters = self._store(content)
        first = clusters[0] if clusters else 0
        entry = _entry(name, _ARCHIVE, first, len(content))
        if found is not None:
            self._patch(found.block, found.offset, entry)
        else:
            self._add(place, entry)

    # ----------------------------------------------------------------- directories
    def _find(self, place: int, name: str) -> _Slot | None:
        wanted = _entry(name, 0, 0, 0)[:11]
        for block, offset, raw in self._entries(place):
            name_of, suffix, attributes, _, cluster, _ = ENTRY.unpack(raw)
            is_long = attributes & _ATTRIBUTES == _LONG_NAME
            if name_of + suffix == wanted and not is_long:
                return _Slot(block, offset, bool(attributes & DIRECTORY), cluster)
            if raw[0] == END:
                return None
        return None

    def _add(self, place: int, entry: bytes) -> None:
        for block, offset, raw in self._entries(place):
            if raw[0] in _FREE:
                self._patch(block, offset, entry)
                return
        if place == _ROOT:
            raise ConfigError("the top folder of the card is full")
        last = list(self._chain(place))[-1]
        (more,) = self._store(entry.ljust(self._cluster_bytes, b"\0"))
        self._link(last, more)

    def _entries(self, place: int) -> Iterator[tuple[int, int, bytes]]:
        volume = self._volume
        if place == _ROOT:
            blocks = list(range(volume.root, volume.root + volume.root_blocks))
        else:
            blocks = [it for cluster in self._chain(place) for it in self._of(cluster)]
        for block in blocks:
            for offset in range(0, BLOCK, ENTRY_SIZE):
                yield (
                    block,
                    offset,
                    self._card.read(block)[offset : offset + ENTRY_SIZE],
                )

    # -------------------------------------------------------------------- clusters
    @property
    def _cluster_bytes(self) -> int:
        return self._volume.cluster_blocks * BLOCK

    def _of(self, cluster: int) -> range:
        first = self._volume.data + (cluster - FIRST_CLUSTER) * (
            self._volume.cluster_blocks
        )
        return range(first, first + self._volume.cluster_blocks)

    def _chain(self, cluster: int) -> Iterator[int]:
        seen = set[int]()
        while FIRST_CLUSTER <= cluster < self._beyond and cluster not in seen:
            seen.add(cluster)
            yield cluster
            cluster = self._linked(cluster)

    def _linked(self, cluster: int) -> int:
        block, offset = divmod(2 * cluster, BLOCK)
        link = self._card.read(self._volume.fat + block)[offset : offset + 2]
        return int.from_bytes(link, "little")

    def _link(self, cluster: int, to: int) -> None:
        block, offset = divmod(2 * cluster, BLOCK)
        for fat in range(self._volume.fats):
            where = self._volume.fat + fat * self._fat_blocks + block
            self._patch(where, offset, to.to_bytes(2, "little"))

    def _store(self, content: bytes) -> Sequence[int]:
        """Write into free clusters, and return these."""
        count = -(-len(content) // self._cluster_bytes)
        free: list[int] = []
        cluster = FIRST_CLUSTER
        while len(free) < count and cluster < self._beyond:
            if not self._linked(cluster):
                free.append(cluster)
            cluster += 1
        if len(free) < count:
            raise ConfigError(f"no room on the card for {len(content)} bytes more")
        for one, following in zip(free, [*free[1:], _LAST], strict=False):
            self._link(one, following)
        self._fill(free, content)
        return free

    def _fill(self, clusters: Sequence[int], content: bytes) -> None:
        blocks = [block for cluster in clusters for block in self._of(cluster)]
        for index, block in enumerate(blocks):
            part = content[index * BLOCK : (index + 1) * BLOCK]
            self._card.write(block, part.ljust(BLOCK, b"\0"))

    def _patch(self, block: int, offset: int, data: bytes) -> None:
        before = self._card.read(block)
        self._card.write(block, before[:offset] + data + before[offset + len(data) :])


def _entry(name: str, attributes: int, cluster: int, size: int) -> bytes:
    """Return the entry of a directory."""
    matched = _SHORT.fullmatch(name)
    if matched is None:
        raise ConfigError(
            f"{name!r} is no name for a card: give up to 8 letters, and 3 behind a dot"
        )
    stem, suffix = matched[1], matched[2] or ""
    case = _LOWER_NAME * (stem == stem.lower() != stem.upper())
    case |= _LOWER_SUFFIX * (suffix == suffix.lower() != suffix.upper())
    names = stem.upper().ljust(8).encode(), suffix.upper().ljust(3).encode()
    return ENTRY.pack(*names, attributes, case, cluster, size)
