"""How a firmware calls a controller: time goes on, and steps tell it so.

The briefs promise that steps without a line come about every 50 ms, and that time never
goes back. A check gives the steps that it is about; those between them are made here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_embedbench.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    Row = Sequence[str | int]

IDLE = "NONE"
"""The kind of a step without a line, and of a line that is ignored."""
IDLE_EVERY_MS = 50
LATE_MS = 10_000
"""A first step that is later comes first: nobody waits for so many before it."""


class Between(tuple["str | int", ...]):
    """A line that comes between two steps without one: none comes just before it."""

    __slots__ = ()


def moved(row: Row, by_ms: int) -> Row:
    """Return the same step at another time."""
    kind, at_ms, *values = row
    later: Row = (kind, int(at_ms) + by_ms, *values)
    return Between(later) if isinstance(row, Between) else later


@dataclass(slots=True)
class Calling:
    """Who calls one controller, from ``controller_init`` on: knows what time it is."""

    now_ms: int = 0
    has_begun: bool = False

    def filled(self, rows: Iterable[Row]) -> Iterator[tuple[Row, bool]]:
        """Yield steps with those between them, and whether each was asked for.

        A step without a line comes at least every 50 ms, and one before each line that
        lets time pass, if it is not ``Between``: who takes a line may rely on that.

        Raises:
            ConfigError: a row is earlier than the one before it.
        """
        for row in rows:
            kind, at_ms = row[0], int(row[1])
            if at_ms < self.now_ms:
                raise ConfigError(
                    f"step {tuple(row)}: now_ms was {self.now_ms} in the step before; "
                    "the brief says that it never goes back"
                )
            if self.has_begun or at_ms <= LATE_MS:
                for between_ms in range(
                    self.now_ms + IDLE_EVERY_MS, at_ms, IDLE_EVERY_MS
                ):
                    yield (IDLE, between_ms), False
            announced = kind != IDLE and not isinstance(row, Between)
            if announced and at_ms > self.now_ms:
                yield (IDLE, at_ms), False
            self.now_ms, self.has_begun = at_ms, True
            yield row, True


def called(rows: Iterable[Row]) -> Iterator[Row]:
    """Yield a whole history from ``controller_init`` on, as a firmware has it.

    Raises:
        ConfigError: as ``Calling.filled``.
    """
    return (row for row, _ in Calling().filled(rows))
