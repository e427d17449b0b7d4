"""What a test waits for: one line at a time, and never for ever.

A pattern is looked for in single lines, so ``.*`` cannot cross a line end and the
work grows with the log, not with its square. A backtracking pattern can still take
years over forty bytes; ``cpu_budget`` cuts it off.
"""

from __future__ import annotations

import re
import reprlib
import signal
import threading
from collections.abc import Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pytest_embedbench.errors import ConfigError
from pytest_embedbench.model import Direction, Line
from pytest_embedbench.support.validation import line_text
from pytest_embedbench.wire.transcript import decoded

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable
    from types import FrameType

LINE_BUDGET_S = 1.0
"""CPU seconds that one pattern may spend on one line."""
_WHAT_IS_ONE = "give text, bytes, a compiled pattern, exact(), or a list of these"
_REPEATS = frozenset("*+?{")
_LINE_END = re.compile(r"(?:[\r\n]|(?<!\\)(?:\\\\)*\\[rn])\$?\Z")
"""The end of a pattern that wants a line end, as a character or as an escape."""


@dataclass(frozen=True, slots=True)
class Exactly:
    """A line that is ``text`` and nothing else."""

    text: str

    def __repr__(self) -> str:
        return f"exactly {self.text!r}"


def exact(text: str) -> Exactly:
    """Return a pattern for a line that is ``text`` and nothing else.

    Raises:
        ConfigError: it is no text.
    """
    return Exactly(line_text("exact", text))


Regex = re.Pattern[str] | re.Pattern[bytes]
PatternLike = str | bytes | Regex | Exactly
Patterns = PatternLike | Sequence[PatternLike]
"""What a line is looked for by: one pattern, or several of which any will do."""


@dataclass(frozen=True, slots=True)
class Match:
    """A line that was waited for.

    ``index`` is the place of the pattern in the list that was asked for.
    ``match[1]`` and ``group(1)`` are text, whatever the pattern was written in;
    the bytes are in ``line.payload`` and in ``found``.
    """

    line: Line
    found: re.Match[str] | re.Match[bytes]
    index: int = 0

    def __repr__(self) -> str:
        found, text = reprlib.repr(self.group()), reprlib.repr(self.text)
        return f"<Match of {found} in {text} at {self.at_us / 1e6:.6f} s>"

    @property
    def text(self) -> str:
        """The whole line."""
        return decoded(self.line.payload)

    @property
    def at_us(self) -> int:
        """When the line was out, in simulated microseconds since boot."""
        return self.line.at_us

    def group(self, key: int | str = 0) -> str:
        """Return one group as text; empty if it took no part in the match."""
        value = self.found.group(key)
        if isinstance(value, bytes):
            return decoded(value)
        return value or ""

    def __getitem__(self, key: int | str) -> str:
        return self.group(key)


@dataclass(frozen=True, slots=True)
class LinePatterns:
    """One or more compiled patterns; the first in order wins on a line."""

    regexes: tuple[Regex, ...]
    shown: str
    """As a caller wrote them, for messages."""
    may_run_away: bool
    """Whether one repeats anything: only such a pattern can backtrack without end."""

    def search(self, lines: Iterable[tuple[int, Line]]) -> tuple[int, Match] | None:
        """Return the first line that matches and its number.

        Raises:
            ConfigError: a pattern backtracks without end.
        """
        if not self.may_run_away:
            return self._first(lines, _no_budget)
        with cpu_budget(LINE_BUDGET_S) as renew:
            return self._first(lines, renew)

    def found_in(self, payload: bytes) -> bool:
        """Say whether one of the patterns is in ``payload``."""
        line = Line(0, Direction.FROM_FIRMWARE, payload)
        return self.search([(0, line)]) is not None

    def _first(
        self, lines: Iterable[tuple[int, Line]], renew: Callable[[], None]
    ) -> tuple[int, Match] | None:
        for number, line in lines:
            renew()
            for index, regex in enumerate(self.regexes):
                if (found := search(regex, line.payload)) is not None:
                    return number, Match(line, found, index)
        return None

    def __str__(self) -> str:
        return self.shown


def search(regex: Regex, payload: bytes) -> re.Match[str] | re.Match[bytes] | None:
    """Look for ``regex`` in a line: as bytes, or as the text that it decodes to.

    Raises:
        ConfigError: a ``cpu_budget`` around it ran out.
    """
    subject: Any = payload if isinstance(regex.pattern, bytes) else decoded(payload)
    try:
        return regex.search(subject)
    except OutOfTime:
        raise ConfigError(
            f"pattern {regex.pattern!r} took more than {LINE_BUDGET_S} s of CPU on "
            f"one line of {len(payload)} bytes: it backtracks without end; write it "
            "without a repeat inside a repeat"
        ) from None


def compiled(patterns: Patterns) -> LinePatterns:
    """Compile what a caller waits for.

    Text and bytes are regular expressions, searched anywhere in a line.

    Raises:
        ConfigError: one of them is not a valid regular expression, or there is none.
    """
    if isinstance(patterns, str | bytes | re.Pattern | Exactly):
        patterns = [patterns]
    if not isinstance(patterns, list | tuple):
        raise ConfigError(f"{patterns!r} is no pattern: {_WHAT_IS_ONE}")
    if not patterns:
        raise ConfigError("no pattern to wait for: the list is empty")
    regexes = tuple(_compile(pattern) for pattern in patterns)
    repeats = any(not _REPEATS.isdisjoint(repr(regex.pattern)) for regex in regexes)
    shown = " or ".join(map(_shown, patterns))
    return LinePatterns(regexes, shown, may_run_away=repeats)


def _shown(pattern: PatternLike) -> str:
    return repr(pattern.pattern if isinstance(pattern, re.Pattern) else pattern)


def _compile(pattern: PatternLike) -> Regex:
    if isinstance(pattern, Exactly):
        _refuse_line_end(pattern, re.escape(pattern.text))
        return re.compile(rb"\A%b\Z" % re.escape(pattern.text.encode()))
    try:
        regex = re.compile(pattern)
    except TypeError:
        raise ConfigError(f"{pattern!r} is no pattern: {_WHAT_IS_ONE}") from None
    except re.error as error:
        raise ConfigError(
            f"{pattern!r} is not a regular expression: {error}; "
            "for a line that is just this text use exact()"
        ) from None
    if not regex.flags & re.VERBOSE:
        _refuse_line_end(pattern, regex.pattern)
    return regex


def _refuse_line_end(pattern: PatternLike, source: str | bytes) -> None:
    """Refuse what ends in a line end: it would match nothing, and forbid nothing."""
    text = source if isinstance(source, str) else source.decode("latin-1")
    if _LINE_END.search(text):
        raise ConfigError(
            f"{_shown(pattern)} can match no line, for lines are looked at without "
            "their line ends: leave the one at its end out"
        )


class OutOfTime(Exception):
    """The CPU budget is used up."""


def _no_budget() -> None:
    """Start no budget: there is none."""


def _raise_out_of_time(_signum: int, _frame: FrameType | None) -> None:
    raise OutOfTime


@contextmanager
def cpu_budget(budget_s: float) -> Generator[Callable[[], None]]:
    """Raise ``OutOfTime`` in the block when ``budget_s`` of CPU have gone by.

    The block is given a function that starts the budget afresh. ``re`` looks for
    signals while it backtracks, so the timer reaches into a running match; it counts
    CPU time, so a busy machine does not shorten it. Signals need the main thread of
    a POSIX system; elsewhere there is no limit.
    """
    if (
        not hasattr(signal, "ITIMER_VIRTUAL")
        or threading.current_thread() is not threading.main_thread()
    ):
        yield _no_budget
        return

    def renew() -> None:
        signal.setitimer(signal.ITIMER_VIRTUAL, budget_s)

    before = signal.signal(signal.SIGVTALRM, _raise_out_of_time)
    try:
        renew()
        yield renew
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, signal.SIG_DFL if before is None else before)
