"""A processor core for an emulator and whoever talks with it.

They take turns, thousands of times a second: on one core a turn costs half of what it
costs across two. Each board gets a core that no other board of this user has, as long
as there are enough; the rest are left to the scheduler.
"""

from __future__ import annotations

import contextlib
import os
import socket
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Generator


@dataclass(slots=True)
class Core:
    """A core that is ours, or none in particular; also until ``release``."""

    number: int | None = None
    _claim: socket.socket | None = None

    @contextlib.contextmanager
    def used(self) -> Generator[None]:
        """Keep the calling thread, and what it starts meanwhile, on this core."""
        if self.number is None:
            yield
            return
        before = os.sched_getaffinity(0)
        if self.number not in before:  # somebody has moved us elsewhere
            yield
            return
        os.sched_setaffinity(0, {self.number})
        try:
            yield
        finally:
            os.sched_setaffinity(0, before)

    def release(self) -> None:
        """Let another board have it."""
        self.number = None
        if self._claim is not None:
            self._claim.close()


def claim_core() -> Core:
    """Return a core that no other board has; none in particular if there is none."""
    if sys.platform != "linux":
        return Core()
    for number in sorted(os.sched_getaffinity(0)):
        claim = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        try:
            # A name without a file: it is free again when its holder is gone.
            claim.bind(f"\0embedbench-core-{os.getuid()}-{number}")
        except OSError:
            claim.close()
        else:
            return Core(number, claim)
    return Core()
