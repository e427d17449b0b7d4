"""Lines of UARTs while they are said, for whoever asks for them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_embedbench.wire.transcript import printable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from pytest_embedbench.model import Line

_listeners: list[Callable[[str], None]] = []


def listen(listener: Callable[[str], None]) -> Callable[[], None]:
    """Have a function given each line of all benches to come; return what ends that.

    A line is ``uno 0.012345 s fw-> text``: board time, direction and text are as in the
    transcript.
    """
    _listeners.append(listener)
    return lambda: _listeners.remove(listener)


def listener_for(name: str) -> Callable[[Iterable[Line]], None] | None:
    """Return what passes the lines of a board's UART on; none, if nobody listens."""
    if not _listeners:
        return None

    def pass_on(lines: Iterable[Line]) -> None:
        for at_us, direction, payload in lines:
            said = f"{direction.value:<4} {printable(payload)}"
            for listener in _listeners:
                listener(f"{name} {at_us / 1e6:.6f} s {said}")

    return pass_on
