"""Files that whoever reads them sees as they were, or as they are to be."""

from __future__ import annotations

import os
import secrets
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


def replace_whole(file: Path, data: bytes) -> None:
    """Write a file, and its folder, whole or not at all; any number may at once."""
    file.parent.mkdir(parents=True, exist_ok=True)
    draft = file.with_name(f".{file.name}.{os.getpid()}-{secrets.token_hex(4)}")
    try:
        draft.write_bytes(data)
        draft.replace(file)
    except OSError:
        draft.unlink(missing_ok=True)
        raise
