"""One digest of all that an evaluator has of a task: it tells what was touched."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


def suite_digest(task: Path) -> str:
    """Return a digest of the names and bytes of a package's files, but byte code."""
    digest = hashlib.sha256()
    for file in sorted(task.rglob("*")):
        if file.is_file() and "__pycache__" not in file.parts:
            digest.update(f"{file.relative_to(task)}\n".encode())
            digest.update(hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()
