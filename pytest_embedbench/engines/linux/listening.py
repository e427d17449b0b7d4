"""Tell what a program says from what its terminal says around it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pytest_embedbench.console.output import BOOTING, without_kernel
from pytest_embedbench.lab.ports.reader import Heard

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pytest_embedbench.console.shell import CommandLoop

_UNFINISHED_KERNEL = re.compile(
    rb"\[ *(?:\d+(?:\.(?:\d{0,5}|\d{6}(?:\](?: [^\n]*)?)?))?)?\Z"
)
_STATUS_DIGITS = 3
_BY_QUIT = 128 + 3
"""The program was ended by a key, which is a byte that it was sent."""
_LOGIN = re.compile(rb"\n[\w.-]+ login: \Z")


@dataclass(slots=True)
class Listener:
    """Hears a terminal that a program has.

    Args:
        loop: What its shell says around it.
        kernel_speaks: Whether the kernel may speak in between, as on a serial console.
    """

    loop: CommandLoop
    kernel_speaks: bool
    status: int | None = field(default=None, init=False)
    """How the program has ended, once it has."""
    restarted: bool = field(default=False, init=False)
    """Whether the target has, instead of the program."""
    _held: bytes = field(default=b"", init=False)
    _ended: re.Pattern[bytes] = field(init=False)

    def __post_init__(self) -> None:
        returned, ready = map(re.escape, (self.loop.returned, self.loop.ready))
        self._ended = re.compile(returned + rb"(\d+)\n|" + ready)

    def hear(self, heard: Iterable[Heard]) -> Iterator[Heard]:
        """Yield what the program has said, as early as that is certain."""
        for at_s, piece in heard:
            if self.status is not None:
                return
            data = self._held + piece
            if self.kernel_speaks:
                self.restarted |= bool(BOOTING.search(data) or _LOGIN.search(data))
                data = without_kernel(data)
            if ended := self._ended.search(data):
                self.status = int(ended.group(1) or _BY_QUIT)
                certain = ended.start()
            else:
                certain = self._certain(data)
            self._held = data[certain:]
            if certain:
                yield Heard(at_s, data[:certain])

    def _certain(self, data: bytes) -> int:
        """Return up to where none of it can be the beginning of something else."""
        returned = self.loop.returned
        earliest = max(0, len(data) - len(returned) - _STATUS_DIGITS)
        for start in range(earliest, len(data)):
            rest = data[start:]
            begun = returned.startswith(rest) or rest.startswith(returned)
            if begun and b"\n" not in rest:
                return start
        if self.kernel_speaks and (found := _UNFINISHED_KERNEL.search(data)):
            return found.start()
        return len(data)
