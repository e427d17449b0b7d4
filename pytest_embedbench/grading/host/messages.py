"""Messages to the keeper and its copies: a header, a payload and a token.

``keeper.c`` knows these numbers, too.
"""

from __future__ import annotations

import enum
import struct

REQUEST = struct.Struct("=II")
"""Of a request: the length of its payload, and its kind."""
ANSWER = struct.Struct("=IIQ")
"""Of an answer: the same, and its token."""
TOKEN = struct.Struct("=Q")
NUMBER = struct.Struct("=I")
ENDED = struct.Struct("=iIIII")
UNTIL_GONE = 0xFFFF_FFFF
"""Of the time that a copy has to end by itself: as long as it takes."""


class Kind(enum.IntEnum):
    """What a message is; an answer bears the kind of its request, or says why not."""

    HELLO = 1
    OPEN = 2
    INIT = 3
    STEPS = 4
    PARSE = 5
    SERIALISE = 6
    END = 7
    REFUSED = 8
    UNLOADABLE = 9
