"""What all tests share."""

from __future__ import annotations

import contextlib
import fcntl
import socket
import struct

_SIOCGIFFLAGS, _SIOCSIFFLAGS = 0x8913, 0x8914
_IFF_UP = 0x1
_IFREQ = "16sH22x"


def pytest_configure() -> None:
    """Bring up the loopback interface of a network namespace that has just been made.

    ``unshare -n scripts/test`` is how to see that nothing needs a network; what is
    tested over 127.0.0.1 needs the machine itself all the same. Only root can, and
    where nobody can, those tests say so.
    """
    with contextlib.suppress(OSError), socket.socket(socket.AF_INET) as probe:
        answer = fcntl.ioctl(probe, _SIOCGIFFLAGS, struct.pack(_IFREQ, b"lo", 0))
        flags = struct.unpack(_IFREQ, answer)[1]
        if not flags & _IFF_UP:
            up = struct.pack(_IFREQ, b"lo", flags | _IFF_UP)
            fcntl.ioctl(probe, _SIOCSIFFLAGS, up)
