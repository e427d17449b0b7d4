"""A UART's two ways out of the emulator: a pipe in, and a file out.

Not a socket: a guest that talks faster than we listen must not wait for us, or the
load of this computer would shift its time. Nor can anybody else connect to these.
"""

from __future__ import annotations

import os
import select
from typing import TYPE_CHECKING

from pytest_embedbench.errors import BoardLost

if TYPE_CHECKING:
    from pathlib import Path

# When so much of a file has been read, its blocks are given back.
_KEPT_BYTES = 1 << 20
_READ_BYTES = 1 << 16


class QemuUart:
    """Our side of one UART.

    QEMU's ``pipe`` device opens ``PATH.in`` and ``PATH.out``; once it has, the files
    may be unlinked.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        os.mkfifo(f"{path}.in", 0o600)
        # For reading too, or opening would wait for QEMU.
        self._in = os.open(f"{path}.in", os.O_RDWR | os.O_NONBLOCK)
        self._out = os.open(f"{path}.out", os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
        self._at = 0
        self._kept_from = 0

    def put(self, data: bytes | bytearray) -> int:
        """Hand over bytes; return how many the pipe has taken."""
        try:
            return os.write(self._in, data)
        except BlockingIOError:
            return 0

    def taken(self) -> bool:
        """Say whether the emulator has taken all that was put."""
        return not select.select([self._in], [], [], 0)[0]

    def said(self) -> bytes:
        """Return what the guest has sent since the last call."""
        data = piece = os.pread(self._out, _READ_BYTES, self._at)
        while len(piece) == _READ_BYTES:
            piece = os.pread(self._out, _READ_BYTES, self._at + len(data))
            data += piece
        self._at += len(data)
        if not data:
            self._check_room()
        return data

    def forget(self) -> None:
        """Give back the room of what has been read; while the guest stands still."""
        if self._at - self._kept_from > _KEPT_BYTES:
            os.ftruncate(self._out, 0)
            self._kept_from = self._at

    def peek(self) -> bytes:
        """Return the start of what has not been read yet; the guest may be running."""
        return os.pread(self._out, _READ_BYTES, self._at)

    def _check_room(self) -> None:
        """Insist that the file can grow: else what the guest says would be lost."""
        import resource  # noqa: PLC0415  # not on every system that asks for engines

        most_bytes, _ = resource.getrlimit(resource.RLIMIT_FSIZE)
        if most_bytes != resource.RLIM_INFINITY and self._at >= most_bytes:
            raise BoardLost(
                f"a file may have {most_bytes} bytes here (ulimit -f), no room for "
                "what the guest says"
            )
        disk = os.fstatvfs(self._out)
        if disk.f_blocks and not (disk.f_bavail if os.geteuid() else disk.f_bfree):
            raise BoardLost(
                f"the disk of {self.path.parent} is full, no room for what the guest "
                "says: make some, or name another in TMPDIR"
            )

    def close(self) -> None:
        """Close our ends."""
        os.close(self._in)
        os.close(self._out)
