"""What a program is asked to go through by itself, and has not been asked for yet."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pytest_embedbench.engines.native import protocol
from pytest_embedbench.errors import BoardLost

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_embedbench.engines.native.control import Control


@dataclass(slots=True)
class Ahead:
    """Stretches of time, as moments in us and what is sent before."""

    left: deque[tuple[int, bytes]] = field(
        default_factory=deque[tuple[int, bytes]], init=False
    )
    """Those that the program goes through."""
    _foreseen: tuple[list[tuple[int, bytes]], bytes] = field(
        default=([], b""), init=False
    )

    def foresee(
        self,
        now_us: int,
        stretches: Sequence[tuple[bytes, int]],
        expected: Sequence[bytes],
    ) -> None:
        """Take note of what will be asked; see ``RunsAhead``."""
        foreseen: list[tuple[int, bytes]] = []
        for data, duration_ms in stretches:
            now_us += duration_ms * 1000
            foreseen.append((now_us, data))
        self._foreseen = foreseen, b"".join(expected)

    def ask(self, control: Control, stretch: tuple[int, bytes]) -> None:
        """Have a stretch of time run, unless that has been done.

        Raises:
            BoardLost: what has been done is another one.
        """
        if self.left:
            if self.left.popleft() != stretch:
                raise BoardLost(
                    "the board has run ahead, and what comes now is something else: is "
                    "the plant no pure function of its state?"
                )
            return
        foreseen, expected = self._foreseen
        if foreseen[:1] != [stretch]:
            control.send(protocol.ADVANCE, *stretch)
            return
        body = expected + protocol.join_stretches(foreseen)
        control.send(protocol.AHEAD, len(expected), body)
        self.left.extend(foreseen[1:])
        self._foreseen = [], b""
