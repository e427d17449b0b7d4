"""A constant that is a pin, and the places where it is written."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from pytest_embedbench.esr.sources.counted import Place
    from pytest_embedbench.esr.sources.sinks import ArgumentRole


class PinToken(NamedTuple):
    """A number or a name in a file that says a pin.

    ``bound`` is the other end of a loop over pins, which goes along with it.
    """

    file: str
    start: int
    end: int
    text: str
    bound: tuple[int, int, int] | None = None
    """Its first byte, the byte behind it, and the number there."""
    is_inclusive: bool = False
    """Whether the loop goes on to its bound: ``<=``."""
    over: int = 0
    """By how much it is beyond the pin: 1 for ``END`` of ``i < END``."""
    before: str = ""
    """What has to be written before another value."""
    bases: tuple[Place, ...] = ()
    """Where that is written which it is counted from, the nearest first."""
    argument: tuple[str, int] = ("", 0)
    """Of which call it is an argument, and the which: ``pinMode``, 0."""

    line: int = 0
    reach: tuple[int, int] | None = None
    """What a loop adds to it: 0 to 9 of ``FIRST + i``."""
    is_python: bool = False
    row: str = ""
    """What its number counts, if not what a board's numbers do: ``BOARD``."""

    @property
    def place(self) -> Place:
        """Where it is written."""
        return self.file, self.start


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceConstant:
    """A constant that is a pin: ``SERVO_PIN`` is ``9`` in ``src/main.cpp``, line 3.

    All ``tokens`` say the same pin; those of a number that is written again and again
    in calls are one constant. ``name`` is that of what is called, then.
    """

    name: str
    pin: str
    roles: frozenset[ArgumentRole]
    calls: frozenset[str]
    tokens: tuple[PinToken, ...]
    file: str
    line: int
    span: tuple[str, ...] = ()
    """The pins that a loop goes over from it on, itself among them."""

    @property
    def bases(self) -> tuple[Place, ...]:
        """Where that is written which it is counted from, the nearest first."""
        return self.tokens[0].bases

    @property
    def group(self) -> str:
        """What it is an element of; ``""`` if it stands alone."""
        array, index, _ = re.split(r"([\[(]\d+[\])])", f"{self.name}[0]", maxsplit=1)
        return array if index and array != self.name else ""

    @property
    def words(self) -> str:
        """Its name without the number of an element, which says nothing."""
        return re.sub(r"[\[(]\d*[\])]", " ", self.name)
