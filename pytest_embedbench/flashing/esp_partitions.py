"""The partition table of an ESP's flash, as ESP-IDF writes it. Pure."""

from __future__ import annotations

import hashlib
from struct import Struct
from typing import NamedTuple

from pytest_embedbench.errors import ConfigError

TABLE_BYTES = 0xC00
"""What a table takes up at most."""
_ROW = Struct("<HBBII16sI")
_ROW_MAGIC = 0x50AA
_SUMS_MAGIC = b"\xeb\xeb"
_APP, _DATA, _NVS = 0, 1, 2
_FAT, _SPIFFS, _LITTLEFS = 0x81, 0x82, 0x83


class Partition(NamedTuple):
    """A row of a partition table."""

    label: str
    kind: int
    subtype: int
    offset: int
    size_bytes: int
    flags: int

    @property
    def is_app(self) -> bool:
        """Whether it is there for an application."""
        return self.kind == _APP

    @property
    def is_nvs(self) -> bool:
        """Whether it is where NVS keeps its values."""
        return (self.kind, self.subtype) == (_DATA, _NVS)

    @property
    def holds_files(self) -> bool:
        """Whether a file system is kept there."""
        return self.kind == _DATA and self.subtype in (_FAT, _SPIFFS, _LITTLEFS)


def is_partition_table(data: bytes) -> bool:
    """Say whether bytes begin as a partition table does."""
    return data[:2] == _ROW_MAGIC.to_bytes(2, "little")


def read_partitions(data: bytes, name: str) -> tuple[Partition, ...]:
    """Return the rows of a partition table.

    Raises:
        ConfigError: it is none, or its MD5 is another than it says.
    """
    if not is_partition_table(data):
        raise ConfigError(
            f"{name}: is no partition table: it starts with "
            f"{data[:2].hex() or 'nothing'}, not with aa50"
        )
    rows: list[Partition] = []
    for at in range(0, min(len(data), TABLE_BYTES), _ROW.size):
        row = data[at : at + _ROW.size]
        if row[:2] == _SUMS_MAGIC:
            if hashlib.md5(data[:at], usedforsecurity=False).digest() != row[16:]:
                raise ConfigError(
                    f"{name}: the partition table is damaged: its MD5 is another than "
                    "it says"
                )
            break
        if len(row) < _ROW.size or row == b"\xff" * _ROW.size:
            break
        magic, kind, subtype, offset, size, label, flags = _ROW.unpack(row)
        if magic != _ROW_MAGIC:
            raise ConfigError(
                f"{name}: the partition table is damaged: its row {len(rows)} starts "
                f"with {row[:2].hex()}, not with aa50"
            )
        text = label.partition(b"\0")[0].decode(errors="replace")
        rows.append(Partition(text, kind, subtype, offset, size, flags))
    return tuple(rows)
