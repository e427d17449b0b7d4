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
from typing import TYPE_CHECKING, Any, TypedDict, cast, overload

from pexpect.exceptions import EOF, TIMEOUT

from pytest_embedbench.bench.dut_patterns import (
    Piece,
    as_bytes,
    compiled_for,
    first_match,
)
from pytest_embedbench.bench.guards import from_firmware
from pytest_embedbench.bench.unity_suite import UNITY_SUMMARY, UnitySuite
from pytest_embedbench.bench.wait_errors import time_of
from pytest_embedbench.errors import ConfigError, ExpectTimeout, ForbiddenOutput
from pytest_embedbench.support.validation import seconds
from pytest_embedbench.wire.patterns import LINE_BUDGET_S, cpu_budget

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Unpack  # 3.11's

    from pytest_embedbench.bench.dut_patterns import Special, Text, Wanted
    from pytest_embedbench.bench.uart_session import UartSession

    Pattern = Text | Special | list[Text | Special]

DEFAULT_S = 30.0
BEFORE_BYTES = 65_536
"""How much of what was skipped ``before`` holds at most: the last of it."""


class How(TypedDict, total=False):
    """More that ``expect`` takes, as pytest-embedded has it."""

    expect_all: bool
    not_matching: Text | Sequence[Text]
    return_what_before_match: bool


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
    testsuite: UnitySuite = field(default_factory=UnitySuite, init=False)
    """The cases that ``expect_unity_test_output`` has read."""
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
        self.conversation.send_bytes(as_bytes(data))

    def sendline(self, line: str | bytes = b"") -> None:
        """Send with a newline."""
        self.conversation.send(line)

    @overload
    def expect(self, pattern: Special, timeout: float = -1) -> bytes: ...
    @overload
    def expect(self, pattern: Text, timeout: float = -1) -> re.Match[bytes]: ...
    @overload
    def expect(self, pattern: list[Text | Special], timeout: float = -1) -> int: ...
    @overload
    def expect(
        self, pattern: Pattern, timeout: float = -1, **how: Unpack[How]
    ) -> Any: ...  # noqa: ANN401  # as they say
    def expect(
        self, pattern: Pattern, timeout: float = -1, **how: Unpack[How]
    ) -> object:
        """Wait for a pattern; ``timeout`` is in simulated seconds.

        Args:
            pattern: What to wait for: any of them, if it is a list.
            timeout: How long; with ``expect_all``, for each.
            how: ``expect_all`` waits for each of a list, in whatever order, and
                returns their matches; ``not_matching`` must not come before the match,
                one or several patterns; ``return_what_before_match`` returns
                ``before``.

        Raises:
            DutTimeout: it did not come, and ``TIMEOUT`` was not asked for.
            FirmwareFault: the firmware died, and ``EOF`` was not asked for.
            ForbiddenOutput: ``not_matching`` came.
        """
        return self._expect(pattern, timeout, how, exact=False)

    @overload
    def expect_exact(self, pattern: Special, timeout: float = -1) -> bytes: ...
    @overload
    def expect_exact(self, pattern: Text, timeout: float = -1) -> re.Match[bytes]: ...
    @overload
    def expect_exact(
        self, pattern: list[Text | Special], timeout: float = -1
    ) -> int: ...
    @overload
    def expect_exact(
        self, pattern: Pattern, timeout: float = -1, **how: Unpack[How]
    ) -> Any: ...  # noqa: ANN401  # as they say
    def expect_exact(
        self, pattern: Pattern, timeout: float = -1, **how: Unpack[How]
    ) -> object:
        """Wait for text as it stands, anywhere in a line; else as ``expect``."""
        return self._expect(pattern, timeout, how, exact=True)

    def expect_unity_test_output(
        self,
        remove_asci_escape_code: bool = True,  # noqa: FBT001, FBT002  # as they say
        timeout: float = 60,
        extra_before: str | bytes = b"",
    ) -> None:
        """Wait for Unity's summary, and put its cases into ``testsuite``.

        Args:
            remove_asci_escape_code: As they say; colours are always left out.
            timeout: How long to wait for the summary, in simulated seconds.
            extra_before: Output of the same run that was read before.

        Raises:
            UnitTestsFailed: cases have failed.
            DutTimeout: the summary did not come.
            ConfigError: it came, and not one case before it.
        """
        del remove_asci_escape_code
        said = self.expect(UNITY_SUMMARY, timeout)
        output = as_bytes(extra_before) + self.before
        self.testsuite.add(output, ran_count=int(said[1]))

    def _expect(
        self, pattern: Pattern, timeout: float, how: How, *, exact: bool
    ) -> object:
        waited_s = seconds("timeout", timeout)
        timeout_s = self.timeout_s if waited_s < 0 else waited_s
        is_list = not isinstance(pattern, str | bytes | re.Pattern | type)
        listed = pattern if isinstance(pattern, list) else [pattern]
        wanted = [compiled_for(item, exact=exact) for item in listed]
        is_before_asked = how.get("return_what_before_match", False)
        if is_before_asked and how.get("expect_all"):
            raise ConfigError("expect_all and return_what_before_match: give one")
        index = self._wait(wanted, timeout_s)
        self._check_before(how)
        if how.get("expect_all"):
            found = [self._found]
            while len(wanted) > 1:
                del wanted[index]
                index = self._wait(wanted, timeout_s)
                self._check_before(how)
                found.append(self._found)
            return found if is_list and len(found) > 1 else found[0]
        if is_before_asked:
            return self.before
        return index if is_list else self._found

    @property
    def _found(self) -> re.Match[bytes] | bytes:
        return self.match if isinstance(self.match, re.Match) else self.before

    def _check_before(self, how: How) -> None:
        unwanted = how.get("not_matching", [])
        is_one = isinstance(unwanted, str | bytes | re.Pattern)
        several = cast("Sequence[Text]", [unwanted] if is_one else unwanted)
        for each in several:
            regex = compiled_for(each, exact=False)
            if isinstance(regex, re.Pattern) and regex.search(self.before):
                raise ForbiddenOutput(
                    f"the firmware said {each!r}, which must not come before "
                    f"{self.after!r}\n{self.conversation.recorder.evidence()}"
                )

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
                    if (found := first_match(wanted, piece)) is not None:
                        return self._consume(piece, *found)
                    number = piece.number + piece.is_whole
            if recorder.fault is not None:
                return self._ended(EOF, wanted, timeout_s)
            if conversation.now_us >= ends_us:
                return self._ended(TIMEOUT, wanted, timeout_s)
            conversation.poll(ends_us)

    def _unread(self, number: int, *, pending: bool) -> Iterator[Piece]:
        """Yield unread lines from ``number`` on; the unfinished one too, if asked.

        That one is asked for once the wire was quiet for a poll, so that half a number
        is not taken for a whole one.
        """
        recorder = self.conversation.recorder
        start = self._offset if number == self._number else 0
        until = None if recorder.fault is None else recorder.fault_number
        lines = recorder.transcript.since(number, until)
        for line_number, line in from_firmware(lines):
            yield Piece(line_number, start, line.payload[start:], is_whole=True)
            start = 0
        if pending and (text := recorder.framer.pending[start:]):
            yield Piece(len(recorder.transcript), start, text, is_whole=False)

    def _consume(self, piece: Piece, index: int, match: re.Match[bytes]) -> int:
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
            f"the firmware did not say {listed} within {timeout_s:g} s of "
            f"{time_of(recorder.board)}\n{recorder.evidence()}"
        )
