"""Parts of a campaign for many machines: each run is in one, by its name alone."""

from __future__ import annotations

import hashlib
import re
from typing import NamedTuple

from pytest_embedbench.errors import ConfigError

_SHARD = re.compile(r"([1-9]\d{0,5})/([1-9]\d{0,5})")


class Shard(NamedTuple):
    """The ``part``-th of ``parts`` parts, from 1 on."""

    part: int = 1
    parts: int = 1

    def holds(self, name: str) -> bool:
        """Say whether a run of that name is in it."""
        digest = hashlib.sha256(name.encode()).digest()
        return int.from_bytes(digest[:8], "big") % self.parts == self.part - 1


def parse_shard(words: str) -> Shard:
    """Return what ``3/16`` means; without any words it is all.

    Raises:
        ConfigError: it means nothing.
    """
    if not words:
        return Shard()
    match = _SHARD.fullmatch(words)
    if match is None or int(match[1]) > int(match[2]):
        raise ConfigError(f"{words!r}: say I/N, such as 3/16: the third of 16 parts")
    return Shard(int(match[1]), int(match[2]))
