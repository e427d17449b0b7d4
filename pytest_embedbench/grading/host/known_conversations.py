"""Conversations of checks that submissions have passed, from run to run, in the cache.

A file belongs to one check, a folder to all that the checks of a suite depend on. Files
are written whole, by any number of processes; one that is damaged is as good as none.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import zlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pytest_embedbench.bench.cache_use import CONVERSATIONS, kept_in
from pytest_embedbench.grading.host.conversation import packed, same_requests, unpacked
from pytest_embedbench.support.whole_files import replace_whole

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from pytest_embedbench.grading.host.conversation import Conversation

MOST_OF_ONE_CHECK = 4
"""Submissions may pass a check with different answers: so many are kept of each."""
MOST_BYTES = 64 * 1024**2
"""Of a conversation; longer ones are not kept."""
_MOST_OF_ALL_BYTES = 1024**3
_DIGEST_BYTES = hashlib.sha256().digest_size
_LEVEL = 1


@dataclass(slots=True)
class KnownConversations:
    """The conversations of one suite, with all that its checks depend on.

    Args:
        cache_dir: The cache.
        key: The digest of what they depend on.
    """

    cache_dir: Path
    key: str
    _has_begun: bool = field(default=False, init=False)

    def of(self, check: str) -> list[Conversation]:
        """Return those with the requests that came last, the latest first."""
        self._begin()
        found = self._read(check)
        return [each for each in found if same_requests(each, found[0])]

    def add(self, check: str, conversation: Conversation) -> None:
        """Keep one more; the oldest make room for it. A full disk is no error."""
        data = packed(conversation)
        if len(data) > MOST_BYTES:
            return
        others = [packed(each) for each in self._read(check)]
        if data in others[:1]:
            return
        kept = [data, *(each for each in others if each != data)][:MOST_OF_ONE_CHECK]
        body = zlib.compress(_joined(kept), _LEVEL)
        self._begin()
        with contextlib.suppress(OSError):
            replace_whole(self._file(check), hashlib.sha256(body).digest() + body)

    def _read(self, check: str) -> list[Conversation]:
        try:
            data = self._file(check).read_bytes()
            digest, body = data[:_DIGEST_BYTES], data[_DIGEST_BYTES:]
            if hashlib.sha256(body).digest() != digest:
                return []
            return [*map(unpacked, _split(zlib.decompress(body)))]
        except (OSError, ValueError, zlib.error):
            return []

    def _begin(self) -> None:
        """Say once that they are in use, and see that all together are not too many."""
        if self._has_begun:
            return
        self._has_begun = True
        with contextlib.suppress(OSError):
            self._folder.mkdir(parents=True, exist_ok=True)
            os.utime(self._folder)
        kept = kept_in(self._folder.parent)
        size_bytes = sum(each.size_bytes for each in kept)
        for each in kept:
            if size_bytes <= _MOST_OF_ALL_BYTES:
                break
            shutil.rmtree(each.path, ignore_errors=True)
            size_bytes -= each.size_bytes

    @property
    def _folder(self) -> Path:
        return self.cache_dir / CONVERSATIONS / self.key

    def _file(self, check: str) -> Path:
        name = hashlib.sha256(check.encode("utf-8", "surrogatepass")).hexdigest()[:32]
        return self._folder / name


def _joined(pieces: Sequence[bytes]) -> bytes:
    return b"".join(len(piece).to_bytes(8, "little") + piece for piece in pieces)


def _split(data: bytes) -> Iterator[bytes]:
    at = 0
    while at < len(data):
        start = at + 8
        at = start + int.from_bytes(data[at:start], "little")
        yield data[start:at]
