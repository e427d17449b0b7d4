"""Programs of ours that are the same for all submissions, kept in the cache.

Whoever can write there can have them exchanged, as images. One that is damaged is as
good as none.
"""

from __future__ import annotations

import contextlib
import hashlib
from typing import TYPE_CHECKING

from pytest_embedbench.support.whole_files import replace_whole

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

_DIGEST_BYTES = hashlib.sha256().digest_size


def recall_program(cache_dir: Path, key: Sequence[str]) -> bytes | None:
    """Return what has been kept of a key, which is all that a program comes from."""
    try:
        data = _file(cache_dir, key).read_bytes()
    except OSError:
        return None
    digest, program = data[:_DIGEST_BYTES], data[_DIGEST_BYTES:]
    return program if hashlib.sha256(program).digest() == digest else None


def keep_program(cache_dir: Path, key: Sequence[str], program: bytes) -> None:
    """Keep a program; a full disk is no error."""
    with contextlib.suppress(OSError):
        data = hashlib.sha256(program).digest() + program
        replace_whole(_file(cache_dir, key), data)


def _file(cache_dir: Path, key: Sequence[str]) -> Path:
    text = "".join(f"{len(each)}\n{each}" for each in key)
    name = hashlib.sha256(text.encode()).hexdigest()[:32]
    return cache_dir / "drivers" / f"{name}.program"
