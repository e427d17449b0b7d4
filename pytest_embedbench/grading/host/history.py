"""A controller's whole history as a file: what it was called with, what it returned.

A line is a call: kind, time in ms, values, ``->`` and what came back. Steps that are
alike and come at regular times without a line are one: ``NONE 150 to 1100 every 50``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_embedbench.errors import ConfigError
from pytest_embedbench.grading.host.calling import IDLE

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from pytest_embedbench.grading.host.calling import Row

FILE = "history.txt"
UNKNOWN = "?"
"""What a call has returned that never came back."""
_ARROW = " -> "
_COMMENT = "#"
_LINE = re.compile(
    r"(?P<kind>\w+) (?P<at>\d+)(?: to (?P<until>\d+) every (?P<every>[1-9]\d*))?"
    r"(?P<values>(?: -?\d+)*)"
)


@dataclass(frozen=True, slots=True)
class TakenStep:
    """A call of ``controller_step``, and what it has returned, as text."""

    row: Row
    returned: str


@dataclass(slots=True)
class StepBatch:
    """Steps as they were sent, what came back, and how many were begun if nothing."""

    payload: bytes
    answer: bytes = b""
    begun: int = 0


def lines(steps: Iterable[TakenStep]) -> Iterator[str]:
    """Yield a history's lines."""
    group: list[TakenStep] = []
    for step in steps:
        if group and not _goes_on(group, step):
            yield _line(group)
            group = []
        group = [*group[:1], *group[1:2], step] if len(group) > 1 else [*group, step]
    if group:
        yield _line(group)


def read_history(file: Path) -> list[Row]:
    """Return the rows of a file; what they have returned is not looked at.

    Raises:
        ConfigError: it cannot be read, or a line is none of a history.
    """
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{file}: cannot be read: {error}") from error
    rows: list[Row] = []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.startswith(_COMMENT):
            continue
        matched = _LINE.fullmatch(line.partition(_ARROW)[0].strip())
        if matched is None:
            raise ConfigError(
                f"{file}:{number}: {line!r} is no step: KIND NOW_MS VALUE..., or KIND "
                "NOW_MS to NOW_MS every MS"
            )
        values = [int(word) for word in matched["values"].split()]
        at_ms = int(matched["at"])
        until_ms, every_ms = matched["until"] or at_ms, matched["every"] or 1
        rows += [
            (matched["kind"], now_ms, *values)
            for now_ms in range(at_ms, int(until_ms) + 1, int(every_ms))
        ]
    return rows


def _goes_on(group: list[TakenStep], step: TakenStep) -> bool:
    """Say whether a step is like those before it, which come at regular times."""
    first, last = group[0], group[-1]
    if any(it.row[0] != IDLE or any(it.row[2:]) for it in (first, step)):
        return False
    if step.returned != first.returned:
        return False
    gap_ms = int(step.row[1]) - int(last.row[1])
    return gap_ms > 0 and (len(group) == 1 or gap_ms == _gap_ms(group))


def _gap_ms(group: list[TakenStep]) -> int:
    return int(group[1].row[1]) - int(group[0].row[1])


def _line(group: list[TakenStep]) -> str:
    first, last = group[0], group[-1]
    if len(group) == 1:
        called = " ".join(map(str, first.row))
    else:
        called = f"{IDLE} {first.row[1]} to {last.row[1]} every {_gap_ms(group)}"
    return f"{called}{_ARROW}{first.returned}"


def fields(values: Mapping[str, object]) -> str:
    """Return named values for a message."""
    return ", ".join(f"{name}={value}" for name, value in values.items())
