"""What goes over the socket: a length in four bytes, then a marshalled tuple.

Both ends are the same Python, which is what ``marshal`` asks for; it costs a tenth of
JSON and keeps bytes as they are.
"""

from __future__ import annotations

import marshal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# Small enough for malloc to keep: a bigger buffer is a system call per message.
CHUNK_BYTES = 1 << 15
_HEAD_BYTES = 4


def pack(message: tuple[Any, ...]) -> bytes:
    """Return a message as it goes over the socket."""
    body = marshal.dumps(message)
    return len(body).to_bytes(_HEAD_BYTES, "little") + body


def is_whole(received: bytearray) -> bool:
    """Say whether a message has come to its end."""
    size = int.from_bytes(received[:_HEAD_BYTES], "little")
    return len(received) >= _HEAD_BYTES and len(received) >= _HEAD_BYTES + size


def unpack(received: bytearray) -> Any:  # noqa: ANN401  # whatever was packed
    """Return the message that has been received."""
    return marshal.loads(memoryview(received)[_HEAD_BYTES:])  # noqa: S302  # our own
