"""What goes over the socket: a length in four bytes, then a marshalled tuple.

Both ends are the same Python, which is what ``marshal`` asks for; it costs a tenth of
JSON and keeps bytes as they are.
"""

from __future__ import annotations

import marshal
from struct import Struct

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

HEADER = Struct("=I")


def encode(message: tuple[Any, ...]) -> bytes:
    """Return a message as bytes, which go behind a header with their number."""
    return marshal.dumps(message)


def decode(payload: bytes | memoryview) -> Any:  # noqa: ANN401  # whatever was packed
    """Return the message that has been received."""
    return marshal.loads(payload)  # noqa: S302  # our own
