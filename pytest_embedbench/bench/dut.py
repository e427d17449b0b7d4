"""A conversation as people from pexpect and pytest-embedded know it.

What is the same: patterns as text, bytes, compiled or in a list, with
``pexpect.TIMEOUT`` and ``pexpect.EOF`` among them; ``before``, ``after`` and
``match`` in bytes; what follows a match in its line is still to be read; output
without a line end is matched too. What differs: seconds are simulated; a pattern
sees one line at a time, so the cost grows with the log and not with its square; a
single pattern returns its match, as in pytest-embedded, and only a list an index.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, cast, overload

from pexpect.exceptions import EOF, TIMEOUT

from pytest_embedbench.bench.guards import from_firmware
from pytest_embedbench.errors import ConfigError, ExpectTimeout
from pytest_embedbench.wire.patterns import LINE_BUDGET_S, cpu_budget, search

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_embedbench.bench.uart_session import UartSession

    Special = type[EOF | TIMEOUT]
    Text = str | bytes | re.Pattern[str] | re.Pattern[bytes]
    Wanted = re.Pattern[bytes] | Special
    Found = tuple[int, re.Match[bytes]]

DEFAULT_S = 30.0
BEFORE_BYTES = 65_536
"""How much of what was skipped ``before`` holds at most: the last of it."""


class DutTimeout(ExpectTimeout, TIMEOUT):
    """What was waited for did not come: a test failure, and a ``pexpect.TIMEOUT``."""

    def __init__(self, value: str) -> None:
        super().__init__(value)
        self.value = value


@dataclass(slots=True, repr=False)
class Dut:
    """One UART, with a cursor of its own, independent of the conversation's."""

    conversation: UartSession
    timeout_s: float = DEFAULT_S
    before: bytes = field(default=b"", init=False)
    """What came between the last match and this one; after a timeout, all unread."""
    after: bytes | Special = field(default=b"", init=False)
    """What was matched."""
    match: re.Match[bytes] | Special | None = field(default=None, init=False)
    _number: int = field(default=0, init=False)
    _offset: int = field(default=0, init=False)
    """How much of the firmware's next line, from ``_number`` on, is read already."""

    def __repr__(self) -> str:
        return f"<Dut at line {self._number} of {self.conversation!r}>"

    def write(self, data: str | bytes) -> None:
        """Send bytes as they are, and text with a newline."""
        if isinstance(data, str):
            self.sendline(data)
        else:
            self.send(data)

    def send(self, data: str | bytes) -> None:
        """Send as it is."""
        self.conversation.send_bytes(_as_bytes(data))

    def sendline(self, line: str | bytes = b"") -> None:
        """Send with a newline."""
        self.conversation.send(line)

    @overload
    def expect(self, pattern: Special, timeout: float = -1) -> bytes: ...
    @overload
    def expect(self, pattern: Text, timeout: float = -1) -> re.Match[bytes]: ...
    @overload
    def expect(self, pattern: list[Text | Special], timeout: float = -1) -> int: ...
    def expect(
        self, pattern: Text | Special | list[Text | Special], timeout: float = -1
    ) -> re.Match[bytes] | bytes | int:
        """Wait for a pattern; ``timeout`` is in simulated seconds.

        Raises:
            DutTimeout: it did not come, and ``TIMEOUT`` was not asked for.
            FirmwareFault: the firmware died, and ``EOF`` was not asked for.
        """
        return self._expect(pattern, timeout, exact=False)

    @overload
    def expect_exact(self, pattern: Special, timeout: float = -1) -> bytes: ...
    @overload
    def expect_exact(self, pattern: Text, timeout: float = -1) -> re.Match[bytes]: ...
    @overload
    def expect_exact(
        self, pattern: list[Text | Special], timeout: float = -1
    ) -> int: ...
    def expect_exact(
        self, pattern: Text | Special | list[Text | Special], timeout: float = -1
    ) -> re.Match[bytes] | bytes | int:
        """Wait for text as it stands, anywhere in a line; else as ``expect``."""
        return self._expect(pattern, timeout, exact=True)

    def _expect(
        self,
        pattern: Text | Special | list[Text | Special],
        timeout: float,
        *,
        exact: bool,
    ) -> re.Match[bytes] | bytes | int:
        timeout_s = self.timeout_s if timeout < 0 else timeout
        if not isinstance(pattern, str | bytes | re.Pattern | type):
            return self._wait(
                [_wanted(item, exact=exact) for item in pattern], timeout_s
            )
        self._wait([_wanted(pattern, exact=exact)], timeout_s)
        return self.match if isinstance(self.match, re.Match) else self.before

    def _wait(self, wanted: list[Wanted], timeout_s: float) -> int:
        conversation, recorder = self.conversation, self.conversation.recorder
        ends_us = conversation.now_us + int(timeout_s * 1e6)
        number, heard_bytes = self._number, -1
        while True:
            is_quiet = recorder.heard_bytes == heard_bytes
            heard_bytes = recorder.heard_bytes
            with cpu_budget(LINE_BUDGET_S) as renew:
                for piece in self._unread(number, pending=is_quiet):
                    renew()
                    if (found := _first(wanted, piece)) is not None:
                        return self._consume(piece, *found)
                    number = piece.number + piece.is_whole
            if recorder.fault is not None:
                return self._ended(EOF, wanted, timeout_s)
            if conversation.now_us >= ends_us:
                return self._ended(TIMEOUT, wanted, timeout_s)
            conversation.poll(ends_us)

    def _unread(self, number: int, *, pending: bool) -> Iterator[_Piece]:
        """Yield unread lines from ``number`` on; the unfinished one too, if asked.

        That one is asked for once the wire was quiet for a poll, so that half a number
        is not taken for a whole one.
        """
        recorder = self.conversation.recorder
        start = self._offset if number == self._number else 0
        until = None if recorder.fault is None else recorder.fault_number
        lines = recorder.transcript.since(number, until)
        for line_number, line in from_firmware(lines):
            yield _Piece(line_number, start, line.payload[start:], is_whole=True)
            start = 0
        if pending and (text := recorder.framer.pending[start:]):
            yield _Piece(len(recorder.transcript), start, text, is_whole=False)

    def _consume(self, piece: _Piece, index: int, match: re.Match[bytes]) -> int:
        """Read up to the end of a match in ``piece``."""
        self.before = self._skipped(piece.number) + match.string[: match.start()]
        self.after = match.group()
        self.match = match
        if match.end() > len(piece.text):
            self._number, self._offset = piece.number + 1, 0
        else:
            self._number, self._offset = piece.number, piece.start + match.end()
        return index

    def _skipped(self, until: int | None = None) -> bytes:
        """Return the last of what is unread, up to line ``until``."""
        skipped = bytearray()
        for piece in self._unread(self._number, pending=until is None):
            if until is not None and piece.number >= until:
                break
            skipped += piece.text + (b"\r\n" if piece.is_whole else b"")
            if len(skipped) > 2 * BEFORE_BYTES:
                del skipped[:-BEFORE_BYTES]
        return bytes(skipped[-BEFORE_BYTES:])

    def _ended(self, how: Special, wanted: list[Wanted], timeout_s: float) -> int:
        """Report a timeout or a death to a caller who asked for it, or raise it."""
        recorder = self.conversation.recorder
        self.before, self.after, self.match = self._skipped(), how, how
        if how in wanted:
            return wanted.index(how)
        recorder.raise_fault()
        regexes = [item for item in wanted if isinstance(item, re.Pattern)]
        listed = " or ".join(repr(regex.pattern) for regex in regexes)
        raise DutTimeout(
            f"the firmware did not say {listed} within {timeout_s:g} s of simulated "
            f"time\n{recorder.evidence()}"
        )


class _Piece(NamedTuple):
    """Unread text of line ``number``, from ``start`` on; to its end if ``is_whole``."""

    number: int
    start: int
    text: bytes
    is_whole: bool


def _wanted(pattern: Text | Special, *, exact: bool) -> Wanted:
    if isinstance(pattern, type):
        return pattern
    try:
        if isinstance(pattern, re.Pattern):
            flags = pattern.flags & ~re.UNICODE
            return re.compile(_as_bytes(pattern.pattern), flags)
        text = _as_bytes(pattern)
        return re.compile(re.escape(text) if exact else text)
    except re.error as error:
        raise ConfigError(
            f"{pattern!r} is not a regular expression: {error}"
        ) from error


def _first(wanted: list[Wanted], piece: _Piece) -> Found | None:
    """Return the match that starts first; of several, that of the first pattern."""
    matches = [
        (index, match)
        for index, regex in enumerate(wanted)
        if isinstance(regex, re.Pattern)
        and (match := _search(regex, piece)) is not None
    ]
    return min(matches, key=lambda found: found[1].start(), default=None)


def _search(regex: re.Pattern[bytes], piece: _Piece) -> re.Match[bytes] | None:
    r"""Look for a pattern; one with ``\n`` or ``\r\n`` sees such a line end."""
    text = piece.text
    if piece.is_whole and (b"\n" in regex.pattern or rb"\n" in regex.pattern):
        asks_for_pair = b"\r" in regex.pattern or rb"\r" in regex.pattern
        text += b"\r\n" if asks_for_pair else b"\n"
    return cast("re.Match[bytes] | None", search(regex, text))


def _as_bytes(text: str | bytes) -> bytes:
    return text.encode() if isinstance(text, str) else text
