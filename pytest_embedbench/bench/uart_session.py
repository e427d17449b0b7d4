"""Talk with a firmware over one UART: send, expect, expect silence.

Everything the firmware ever said is kept; a cursor marks what has been read. An
``expect`` reads on from the cursor and leaves it behind the line that matched, so a
line is matched at most once and nothing is ever cleared. All times are simulated.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pytest_embedbench.bench.guards import Watch, from_firmware
from pytest_embedbench.bench.line_on_the_wire import line_on_the_wire
from pytest_embedbench.bench.timebase import STEP_MS
from pytest_embedbench.bench.wait_errors import (
    forbidden_output_error,
    prompt_only_error,
    silence_error,
    timeout_error,
    unexpected_output_error,
)
from pytest_embedbench.errors import (
    ConfigError,
    ExpectTimeout,
    FirmwareCrash,
    FirmwareReset,
    ForbiddenOutput,
)
from pytest_embedbench.support.validation import text_or_bytes, whole_ms
from pytest_embedbench.wire.patterns import compiled
from pytest_embedbench.wire.transcript import decoded

if TYPE_CHECKING:
    from pytest_embedbench.bench.recorder import Recorder
    from pytest_embedbench.bench.timebase import Timebase
    from pytest_embedbench.errors import FirmwareFault
    from pytest_embedbench.model import Line
    from pytest_embedbench.wire.patterns import LinePatterns, Match, Patterns
    from pytest_embedbench.wire.transcript import Transcript

POLL_MS = 10
BOOT_WITHIN_MS = 2000


@dataclass(slots=True)
class UartSession:
    """One UART, as a test sees it.

    A pattern is a regular expression as text or bytes, a compiled one, or a list of
    these; it is looked for in single lines, without their terminator. ``exact(text)``
    stands for a line that is ``text`` and nothing else.
    """

    recorder: Recorder
    timebase: Timebase
    """Who lets time pass: the recorder itself, or a plant that lives along."""
    poll_ms: int = POLL_MS
    line_end: bytes = b"\n"
    _cursor: int = field(default=0, init=False)

    def __repr__(self) -> str:
        name, now_s = self.recorder.board.spec.name, self.now_us / 1e6
        return f"<UartSession with {name} at {now_s:.6f} s: {self.mark()} lines>"

    @property
    def transcript(self) -> Transcript:
        """All that was said over it."""
        return self.recorder.transcript

    @property
    def now_us(self) -> int:
        """Simulated time since boot."""
        return self.recorder.board.now_us()

    def send(self, line: str | bytes) -> None:
        """Send a line; its end is added."""
        payload = text_or_bytes("a line", line)
        line_end = text_or_bytes("line_end", self.line_end)
        self.recorder.send(payload + line_end, shown=payload)

    def send_bytes(self, data: bytes) -> None:
        """Send bytes as they are."""
        payload = text_or_bytes("data", data)
        self.recorder.send(payload, shown=payload)

    def mark(self) -> int:
        """Return the place right after all that was said so far, for ``heard``."""
        return len(self.recorder.transcript)

    def heard(self, since: int = 0) -> list[str]:
        """Return the firmware's lines from a mark on, read or not.

        Raises:
            ConfigError: ``since`` is no place that ``mark`` has given.
        """
        if type(since) is not int or not 0 <= since <= self.mark():
            raise ConfigError(
                f"heard({since!r}): give a place that mark() has returned; "
                f"now that is {self.mark()}"
            )
        lines = from_firmware(self.recorder.transcript.since(since))
        return [decoded(line.payload) for _, line in lines]

    def skip(self, to: int | None = None) -> None:
        """Move the cursor behind all that was said so far, or to a mark."""
        self._cursor = self.mark() if to is None else to

    def expect(
        self, pattern: Patterns, *, within_ms: int, forbid: Patterns | None = None
    ) -> Match:
        """Wait for a line; return the first that matches.

        Lines that came before it count as read. With several patterns the first
        line that matches any of them wins, then the first pattern in the list.

        Raises:
            ExpectTimeout: ``within_ms`` passed without it.
            ForbiddenOutput: a line that matches ``forbid`` came first.
            FirmwareFault: the firmware crashed, reset itself, ... before it.
        """
        wanted = compiled(pattern)
        taboo = None if forbid is None else compiled(forbid)
        starts_us = self.now_us
        ends_us = starts_us + whole_ms("within_ms", within_ms) * 1000
        number = self._cursor
        while True:
            lines = self._readable(number, ends_us)
            if (match := self._first(lines, wanted, taboo)) is not None:
                return match
            if lines:
                number = lines[-1][0] + 1
            self.recorder.raise_fault()
            if self.now_us >= ends_us:
                what = f"say {wanted}"
                raise timeout_error(self.recorder, what, within_ms, starts_us)
            self.poll(ends_us)

    def expect_prompt(self, pattern: Patterns, *, within_ms: int) -> str:
        """Wait for output that no line end follows; return all of that unfinished line.

        It becomes a line of its own in the transcript, and counts as read.

        Raises:
            ExpectTimeout: ``within_ms`` passed without it.
            FirmwareFault: the firmware crashed, reset itself, ... before it.
        """
        wanted = compiled(pattern)
        starts_us = self.now_us
        ends_us = starts_us + whole_ms("within_ms", within_ms) * 1000
        while True:
            prompt = self.recorder.framer.pending
            if prompt and wanted.found_in(prompt):
                self.recorder.take_pending()
                self.skip()
                return decoded(prompt)
            self.recorder.raise_fault()
            if self.now_us >= ends_us:
                what = f"say prompt {wanted}"
                raise timeout_error(self.recorder, what, within_ms, starts_us)
            self.poll(ends_us)

    def expect_silence(self, *, for_ms: int, ignoring: Patterns | None = None) -> None:
        """Wait, and insist that the firmware says nothing from now on.

        Lines that match ``ignoring`` (a heartbeat) do not count. The cursor stays. A
        line that is on the wire as the silence begins was said before. One that is on
        the wire as it ends is judged by all of it: time goes on until it has come.

        Raises:
            ForbiddenOutput: it said something, if only half a line.
        """
        allowed = None if ignoring is None else compiled(ignoring)
        number, starts_us = self.mark(), self.now_us
        ends_us = starts_us + whole_ms("for_ms", for_ms) * 1000
        if for_ms and (begun := line_on_the_wire(self)) is not None:
            number = begun[0] + 1
        before = self.recorder.framer.pending
        while True:
            for _, line in from_firmware(self.recorder.transcript.since(number)):
                if allowed is None or not allowed.found_in(line.payload):
                    after_us = line.at_us - starts_us
                    raise unexpected_output_error(
                        self.recorder, line.payload, for_ms, after_us
                    )
            number = self.mark()
            self.recorder.raise_fault()
            if self.now_us >= ends_us:
                break
            self.poll(ends_us)
        if self.recorder.framer.pending in (b"", before):
            return
        begun = None if allowed is None else line_on_the_wire(self)
        said = self.recorder.framer.pending if begun is None else begun[1].payload
        if allowed is not None and begun is not None and allowed.found_in(said):
            return
        raise unexpected_output_error(self.recorder, said, for_ms, for_ms * 1000)

    def forbid(self, pattern: Patterns) -> None:
        """From now on, fail as soon as the firmware says such a line.

        Whatever waits next raises ``ForbiddenOutput``.
        """
        meaning = "the firmware said what it must not say"
        self._watch(pattern, ForbiddenOutput, meaning, since=self.mark())

    def treat_as_crash(self, pattern: Patterns) -> None:
        """From now on, take such a line for the firmware's last words (``panic``)."""
        meaning = "the firmware reported its own crash"
        self._watch(pattern, FirmwareCrash, meaning, since=self.mark())

    def wait_for_boot(
        self, pattern: Patterns | None = None, *, within_ms: int = BOOT_WITHIN_MS
    ) -> Match:
        """Wait until the firmware is up: until it says anything, or a certain line.

        A line that is asked for here is said once per boot: when it comes again, the
        firmware has restarted itself, and whatever waits then raises
        ``FirmwareReset``.

        Raises:
            FirmwareFault: it said nothing within ``within_ms``.
            BenchFault: so did a real board that nothing has started for this test.
            ExpectTimeout: it spoke, but did not say that line.
        """
        try:
            match = self.expect(pattern or "", within_ms=within_ms)
        except ExpectTimeout:
            if self.recorder.heard_bytes == 0:
                raise silence_error(self.recorder, within_ms) from None
            if pattern is None:
                raise prompt_only_error(self.recorder, within_ms) from None
            raise
        if pattern is not None:
            meaning = "the firmware restarted itself: it reported its boot again"
            self._watch(pattern, FirmwareReset, meaning, since=self._cursor)
        return match

    def poll(self, until_us: int) -> None:
        """Let a moment pass: ``poll_ms``, or less if ``until_us`` is nearer."""
        left_ms = -(-(until_us - self.now_us) // 1000)
        self.timebase.advance(min(self.poll_ms, left_ms))

    def run_for(self, duration_ms: int) -> None:
        """Let time pass; what is said meanwhile can be expected afterwards.

        Raises:
            FirmwareFault: the firmware crashed, floods its UART, reset itself, ...
        """
        whole_ms("duration_ms", duration_ms)
        # Counted, not read off the board's clock: where that is the host's, it runs on
        # between two steps, and a plant would be cheated of the end of its last tick.
        for passed_ms in range(0, duration_ms, STEP_MS):
            self.timebase.advance(min(STEP_MS, duration_ms - passed_ms))
            self.recorder.raise_fault()
            self.recorder.raise_flood()

    def _readable(self, number: int, ends_us: int) -> list[tuple[int, Line]]:
        """Return the firmware's lines before any fault and the deadline."""
        recorder = self.recorder
        until = None if recorder.fault is None else recorder.fault_number
        lines = from_firmware(recorder.transcript.since(number, until))
        return [entry for entry in lines if entry[1].at_us <= ends_us]

    def _first(
        self,
        lines: list[tuple[int, Line]],
        wanted: LinePatterns,
        taboo: LinePatterns | None,
    ) -> Match | None:
        """Return the match and read up to it, unless a forbidden line came first."""
        if not lines:
            return None
        found = wanted.search(lines)
        said = None if taboo is None else taboo.search(lines)
        if said is not None and (found is None or said[0] <= found[0]):
            raise forbidden_output_error(self.recorder, said[1])
        if found is None:
            return None
        self._cursor = found[0] + 1
        return found[1]

    def _watch(
        self,
        pattern: Patterns,
        raises: type[FirmwareFault],
        meaning: str,
        *,
        since: int,
    ) -> None:
        patterns = compiled(pattern)
        self.recorder.watch(
            Watch(patterns=patterns, raises=raises, meaning=meaning, since=since)
        )
