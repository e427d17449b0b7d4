"""Read from or copy to a UF2 drive: ``uf2_drive.py DRIVE identify|copy FILE``.

A program of its own, imports nothing of ours: a drive that goes away in the middle can
block whoever writes to it, and a program can be given up.
"""

from __future__ import annotations

import contextlib
import os
import sys
from pathlib import Path

_INFO = "INFO_UF2.TXT"


def main(drive: Path, action: str, files: list[Path]) -> int:
    """Print the drive's own words, or copy files to it."""
    info = drive / _INFO
    if not info.is_file():
        sys.stderr.write(f"{drive}: no UF2 drive here: it has no {_INFO}\n")
        return 1
    if action == "identify":
        sys.stdout.write(info.read_text(encoding="ascii", errors="replace"))
        return 0
    for file in files:
        copied = _copy(file.read_bytes(), drive / file.name)
        sys.stdout.write(f"{copied} bytes copied to {drive}\n")
    return 0


def _copy(data: bytes, to: Path) -> int:
    """Write and sync; the board resets, drive and all, once it has the last block."""
    copy = os.open(to, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    written = 0
    try:
        while written < len(data):
            written += os.write(copy, data[written:])
        with contextlib.suppress(OSError):
            os.fsync(copy)
    finally:
        with contextlib.suppress(OSError):
            os.close(copy)
    return written


if __name__ == "__main__":
    where, what, *names = sys.argv[1:]
    sys.exit(main(Path(where), what, [Path(name) for name in names]))
