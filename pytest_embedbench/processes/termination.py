"""SIGTERM as Ctrl-C: whatever a server has opened is closed by either."""

from __future__ import annotations

import signal
from contextlib import contextmanager
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from collections.abc import Generator


@contextmanager
def sigterm_as_interrupt() -> Generator[None]:
    """Raise ``KeyboardInterrupt`` in the main thread for SIGTERM, within the context.

    Outside of the main thread Python takes no handlers (``ValueError``).
    """
    before = signal.signal(signal.SIGTERM, _interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _interrupt(_signal: int, _frame: object) -> NoReturn:
    raise KeyboardInterrupt
