"""The same sequences for the host stage, step by step and to the millisecond."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_embedbench.grading.checks.protocol_checks import meaning

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_embedbench.grading.host.controller import Row
    from pytest_embedbench.grading.properties.sequences import Sequence
    from pytest_embedbench.grading.task import Task

IDLE_MS = 50
"""How far apart the firmware's steps without a line are."""
_IDLE = "NONE"


def host_rows(sequence: Sequence, task: Task) -> Iterator[Row]:
    """Yield the steps that a controller takes when a firmware is told a sequence.

    Steps without a line come every 50 ms, and just before each line.
    """
    names = task.controller.values if task.controller else ()
    now_ms = 0
    for after_ms, lines in sequence:
        sent_ms = now_ms + after_ms
        yield from ((_IDLE, at_ms) for at_ms in range(now_ms, sent_ms, IDLE_MS))
        now_ms = sent_ms
        yield (_IDLE, now_ms)
        for line in lines:
            told = meaning(line, task.sensors)
            if told is not None:
                values = (told.number if name == told.value else 0 for name in names)
                yield (told.kind, now_ms, *values)
    yield from ((_IDLE, at_ms) for at_ms in range(now_ms, now_ms + 2000, IDLE_MS))
