"""What a board was told is going to happen: times, and what is sent before them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

NOTHING: tuple[list[tuple[int, bytes | None]], tuple[bytes, ...]] = ([(-1, None)], ())
"""What is foreseen, if nothing is: nothing comes at that time."""


def sent(commands: Sequence[tuple[object, ...]]) -> bytes | None:
    """Return what the first UART is sent, if that is all that is done to a board."""
    data_sent = b""
    for word, *what in commands:
        match word, what:
            case "send", (0, bytes(data)):
                data_sent += data
            case _:
                return None
    return data_sent
