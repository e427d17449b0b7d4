"""Time slices: how long a thread may run before another that waits has its turn.

Whoever runs for microseconds and then hands over is served sooner, on a busy computer,
if it asks for short slices; its share of the processor stays the same, so nobody needs
a privilege. Linux has this since 6.12; elsewhere nothing happens.
"""

from __future__ import annotations

import ctypes
import platform
import sys
from struct import Struct

SHORT_NS = 100_000
"""The shortest slice that there is."""
_USUAL_NS = 0
_CALLS = {"x86_64": (314, 315), "aarch64": (274, 275)}
_SCHED_OTHER = 0
# struct sched_attr: size, policy, flags, nice, priority, runtime, deadline, period.
_ATTRIBUTES = Struct("=IIQiIQQQ")
_libc: ctypes.CDLL | None = ctypes.CDLL(None) if sys.platform == "linux" else None


def shorten_slices() -> None:
    """Give this thread, and whatever it starts from now on, short slices."""
    _set_slice(SHORT_NS)


def restore_slices() -> None:
    """Give this thread slices as everybody has them."""
    _set_slice(_USUAL_NS)


def slice_ns() -> int:
    """Return this thread's slice; 0 where that cannot be known."""
    attributes = _attributes()
    return attributes[5] if attributes is not None else 0


def _set_slice(duration_ns: int) -> None:
    attributes = _attributes()
    if _libc is None or attributes is None or attributes[1] != _SCHED_OTHER:
        return  # a policy of the user's own has no slices
    wanted = _ATTRIBUTES.pack(*attributes[:5], duration_ns, *attributes[6:])
    _libc.syscall(_CALLS[platform.machine()][0], 0, wanted, 0)


def _attributes() -> tuple[int, ...] | None:
    if _libc is None or platform.machine() not in _CALLS:
        return None
    held = ctypes.create_string_buffer(_ATTRIBUTES.size)
    number = _CALLS[platform.machine()][1]
    if _libc.syscall(number, 0, held, _ATTRIBUTES.size, 0) != 0:
        return None
    return _ATTRIBUTES.unpack(held.raw)
