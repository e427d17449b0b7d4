"""What is wrong with a circuit, one sentence per mistake."""

from __future__ import annotations

import difflib
import enum
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable


class FindingKind(enum.Enum):
    """What a finding is about; the value is the word for it in reports."""

    MALFORMED = "malformed"
    """The file is no diagram of version 1."""
    UNKNOWN_KEY = "unknown-key"
    DUPLICATE_ID = "duplicate-id"
    UNKNOWN_TYPE = "unknown-type"
    DECORATION = "decoration"
    """Nobody here knows what it is, and nothing is wired to it."""
    NO_MODEL = "no-model"
    """It is there elsewhere, but does not run here."""
    UNKNOWN_PART = "unknown-part"
    """A wire leads to a part that the diagram does not have."""
    UNKNOWN_PIN = "unknown-pin"
    UNKNOWN_ATTRIBUTE = "unknown-attribute"
    BAD_ATTRIBUTE = "bad-attribute"
    NO_BOARD = "no-board"
    SEVERAL_BOARDS = "several-boards"
    OTHER_BOARD = "other-board"
    USELESS_WIRE = "useless-wire"
    SHORT_CIRCUIT = "short-circuit"
    CONTENTION = "contention"
    LED_WITHOUT_RESISTOR = "led-without-resistor"
    DARK_LED = "dark-led"
    """It can never light: it is the wrong way round, or in series with another one."""
    FLOATING_INPUT = "floating-input"
    MISSING_GROUND = "missing-ground"
    MISSING_SUPPLY = "missing-supply"

    @property
    def is_error(self) -> bool:
        """Whether a circuit with it cannot be run as it was meant."""
        return self not in _WARNINGS


_WARNINGS = {
    FindingKind.DECORATION,
    FindingKind.UNKNOWN_KEY,
    FindingKind.UNKNOWN_ATTRIBUTE,
    FindingKind.USELESS_WIRE,
    FindingKind.CONTENTION,
    FindingKind.LED_WITHOUT_RESISTOR,
    FindingKind.DARK_LED,
    FindingKind.FLOATING_INPUT,
    FindingKind.MISSING_GROUND,
    FindingKind.MISSING_SUPPLY,
}


class CircuitFinding(NamedTuple):
    """One mistake: what it is, in which line of the file, at which part and pin.

    A ``line`` of 0 means the file as a whole, an empty ``part`` or ``pin`` none.
    """

    kind: FindingKind
    line: int
    text: str
    part: str = ""
    pin: str = ""

    def told_of(self, file: str) -> str:
        """Return it as one line, as compilers write theirs."""
        place = f"{file}:{self.line}" if self.line else file
        severity = "error" if self.kind.is_error else "warning"
        return f"{place}: {severity}: {_plain(self.text)} [{self.kind.value}]"


def _plain(text: str) -> str:
    """Return text on one line, and with nothing that a terminal would obey."""
    return "".join(it if it.isprintable() else repr(it)[1:-1] for it in text)


def nearest(name: str, known: Iterable[str]) -> str:
    """Return a hint at the known name that is most like ``name``, or ``""``."""
    by_folded = {other.casefold(): other for other in known}
    near = difflib.get_close_matches(name.casefold(), by_folded, n=1, cutoff=0.5)
    return f"; do you mean {by_folded[near[0]]!r}?" if near else ""


def listed(names: Iterable[str], count: int = 24) -> str:
    """Return names as text, ``count`` of them if there are more."""
    every = tuple(names)
    shown = ", ".join(every[:count]) or "none"
    more = len(every) - count
    return f"{shown} and {more} more" if more > 0 else shown
