"""The same lines over and over, for as long as it takes: packed fast, read fast.

A controller that gets nothing new has nothing new to say. Where a rule must hold for
minutes, or for more readings than 16 bits can count, what it says is compared as bytes,
and only what differs from the step before becomes an output.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_embedbench.grading.host.calling import IDLE, IDLE_EVERY_MS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from pytest_embedbench.grading.host.calling import Row

_TIME = struct.Struct("=I")
_BATCH_STEPS = 4096


@dataclass(frozen=True, slots=True, kw_only=True)
class Hold:
    """Lines that come together every ``every_ms``, ``count`` times; none is silence.

    A line is its kind and its values: a row without the time. Steps without a line
    come every 50 ms, and before the lines.
    """

    lines: Sequence[Row] = ()
    every_ms: int = 100
    count: int

    def __str__(self) -> str:
        lines = ", ".join(" ".join(map(str, line)) for line in self.lines) or "silence"
        return f"{lines} every {self.every_ms} ms for {self.every_ms * self.count} ms"

    def rows(self, since_ms: int, *, skip: int = 0, only: int = 0) -> list[Row]:
        """Return its steps, or those of ``only`` some of its periods after ``skip``."""
        return [
            (row[0], since_ms + number * self.every_ms + int(row[1]), *row[2:])
            for number in range(skip, skip + only if only else self.count)
            for row in self.period()
        ]

    def period(self) -> list[Row]:
        """Return the steps of one period, with the time since it began."""
        looks = [*range(IDLE_EVERY_MS, self.every_ms, IDLE_EVERY_MS), self.every_ms]
        idle: list[Row] = [(IDLE, after_ms) for after_ms in looks]
        return [*idle, *((line[0], self.every_ms, *line[1:]) for line in self.lines)]


def payloads(
    hold: Hold, since_ms: int, pack: Callable[[Row], bytes], *, count: int
) -> Iterator[tuple[int, bytes]]:
    """Yield requests for ``count`` periods, each with the number of its first.

    ``pack`` makes the bytes of a step, whose second four are the time.
    """
    time = _TIME.pack
    pieces = [
        (int(row[1]), packed[:4], packed[8:])
        for row in hold.period()
        for packed in [pack(row)]
    ]
    at_once = max(1, _BATCH_STEPS // len(pieces))
    for first in range(0, count, at_once):
        numbers = range(first, min(first + at_once, count))
        starts = [since_ms + number * hold.every_ms for number in numbers]
        yield (
            first,
            b"".join(
                [
                    kind + time(start + after_ms) + values
                    for start in starts
                    for after_ms, kind, values in pieces
                ]
            ),
        )


def changes(answer: bytes, size: int, before: bytes) -> Iterator[int]:
    """Yield the numbers of the records that differ from the one before them."""
    if answer == before * (len(answer) // size):
        return
    for number in range(len(answer) // size):
        record = answer[number * size : (number + 1) * size]
        if record != before:
            yield number
            before = record
