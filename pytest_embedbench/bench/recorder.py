"""Let time pass on a board and write down what its firmware says meanwhile."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pytest_embedbench.bench.absences import AbsenceWatch
from pytest_embedbench.bench.crashes import CrashGuard
from pytest_embedbench.bench.evidence import evidence_of
from pytest_embedbench.bench.growing_files import GrowingFiles
from pytest_embedbench.bench.guards import FloodMeter, first_behind, from_firmware
from pytest_embedbench.bench.lookout import Lookout
from pytest_embedbench.bench.under_test import plain
from pytest_embedbench.contracts import HearsBetween, RunsOn
from pytest_embedbench.errors import BenchFault, FirmwareFault, FirmwareReset
from pytest_embedbench.model import Direction, Line
from pytest_embedbench.wire.crash import CrashWatch
from pytest_embedbench.wire.framing import LineFramer

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_embedbench.bench.guards import Watch
    from pytest_embedbench.bench.timebase import Clock
    from pytest_embedbench.contracts import Board, BoardUnderTest, Link
    from pytest_embedbench.model import UartSpec
    from pytest_embedbench.wire.transcript import Transcript

_FIRMWARE = Direction.FROM_FIRMWARE


@dataclass(slots=True)
class Recorder:
    """The one reader of a link, and the plainest timebase.

    A fault does not interrupt: it is kept in ``fault``, with the number of the first
    transcript line that comes after it, so that what was said before it still counts
    however time was cut into steps. ``raise_fault`` is for whoever has read up to it.
    """

    board: BoardUnderTest
    link: Link
    transcript: Transcript
    path: Path | None = None
    """Where the transcript can be read, for messages."""
    elf_path: Path | None = None
    """What the board runs, to decode backtraces with."""
    uart: UartSpec | None = None
    """Which UART that is; by default the board's first."""
    framer: LineFramer = field(default_factory=LineFramer)
    group: list[Recorder] = field(init=False)
    """Those of all UARTs of the board. Time passes on the first one's alone."""
    fault: FirmwareFault | None = field(default=None, init=False)
    fault_number: int = field(default=0, init=False)
    heard_bytes: int = field(default=0, init=False)
    said: list[Line] = field(default_factory=list[Line], init=False)
    """The firmware's lines of the last ``advance``, up to any fault."""
    clock: Clock = field(init=False)
    """What lets time pass: the board, or the boards that it is joined with."""
    meter: FloodMeter = field(init=False)
    lookout: Lookout = field(init=False)
    files: GrowingFiles = field(init=False)
    _plain: Board = field(init=False)
    _hears: HearsBetween | None = field(init=False)
    _carried: list[Line] = field(default_factory=list[Line], init=False)
    """What belongs to the next ``said``: it came in before time passed."""
    _sent_us: int = field(default=0, init=False)
    """On a board in host time, when something was last sent."""
    _absences: AbsenceWatch = field(init=False)
    _is_told: bool = field(default=False, init=False)
    _dead: bool = field(default=False, init=False)

    def __repr__(self) -> str:
        return f"<Recorder of {self.board.spec.name}: {len(self.transcript)} lines>"

    def __post_init__(self) -> None:
        self._plain = self.clock = plain(self.board)
        self._absences = AbsenceWatch(self._plain)
        self._hears = self._plain if isinstance(self._plain, HearsBetween) else None
        spec = self.board.spec
        self.group = [self]
        self.meter = FloodMeter(self.baud_bps)
        self.files = GrowingFiles(self.transcript)
        self.lookout = Lookout(CrashGuard(CrashWatch.of(spec.mcu), self.elf_path))

    @property
    def is_dead(self) -> bool:
        """Whether the firmware runs no more, until it is reset."""
        return self._dead

    @property
    def baud_bps(self) -> int:
        """How fast that UART is, by the datasheet."""
        return (self.uart or self.board.spec.uarts[0]).baud_bps

    def advance(self, duration_ms: int) -> None:
        """Let time pass and record; a firmware fault is kept, not raised.

        Raises:
            BoardLost: the engine itself died.
        """
        self.said, self._carried = self._carried, []
        if self._dead:
            return
        try:
            self.clock.advance(duration_ms)
        except FirmwareFault as fault:
            for each in self.group:
                each.end(fault)
        except BenchFault:
            with suppress(BenchFault):
                self.pull()
                self._note_absences()
            raise
        else:
            self._note_absences()
            now_us = self._plain.now_us()
            for each in self.group:
                each.listen(now_us)

    def listen(self, now_us: int) -> None:
        """Record what has come while time passed."""
        self.meter.count(self.pull(), now_us)
        self._check(now_us)
        self.files.keep_up()

    def end(self, fault: FirmwareFault) -> None:
        """Record the last words and close the books: the board runs no more."""
        self.pull()
        self._dead = True
        self.take_pending()
        self._check(self._plain.now_us())
        if self.fault is None and (crash := self.lookout.crashes.finish()) is not None:
            self._keep(crash[1], crash[0])
        if self.fault is None:
            self.note(f"{type(fault).__name__}: {str(fault).partition(chr(10))[0]}")
            self._keep(fault, first_behind(fault, self.transcript))

    def add(self, other: Recorder) -> None:
        """Have another UART of the board listened to, also to what it has said."""
        self.group.append(other)
        other.group = self.group
        if self._dead and self.fault is not None:
            other.end(self.fault)
        else:
            other.pull()

    def pull(self) -> int:
        """Record what has arrived, and return how many bytes; no time passes."""
        feed = self.framer.feed
        lines: list[Line] = []
        bytes_before = self.heard_bytes
        for heard_us, data in self.link.receive():
            at_us = max(heard_us, self._sent_us)
            self.heard_bytes += len(data)
            for payload, cut_bytes in feed(data):
                lines.append(Line(at_us, _FIRMWARE, payload))
                if cut_bytes:
                    self.transcript.extend(lines)
                    self.said += lines
                    lines = []
                    self.note(f"the line above went on for {cut_bytes} bytes more")
        self.transcript.extend(lines)
        self.said += lines
        return self.heard_bytes - bytes_before

    def note(self, text: str) -> int:
        """Write a remark of our own into the transcript, and return when."""
        line = Line(self.board.now_us(), Direction.BENCH, text.encode())
        self.transcript.record(line)
        return line.at_us

    def send(self, data: bytes, *, shown: bytes) -> int:
        """Hand ``data`` over, record ``shown``, and return when that was."""
        if self._hears is not None:
            self._catch_up(self._hears)
        self.link.send(data)
        self._note_absences()
        at_us = self._plain.now_us()
        self.transcript.record(Line(at_us, Direction.TO_FIRMWARE, shown))
        if self._hears is not None:
            self._sent_us = at_us
        return at_us

    def _note_absences(self) -> None:
        for text in self._absences.news():
            self.note(text)

    def _catch_up(self, board: HearsBetween) -> None:
        """Record what was heard before what is sent now; a plant hears it with next."""
        said, self.said = self.said, []
        board.catch_up()
        self.pull()
        self._carried += self.said
        self.said = said

    def take_pending(self) -> None:
        """Record the unfinished line, if there is one, as if it ended here."""
        if (framed := self.framer.take_pending()) is not None:
            self.said.append(Line(self.board.now_us(), _FIRMWARE, framed.payload))
            self.transcript.record(self.said[-1])

    def watch(self, watch: Watch) -> None:
        """Look out for a line from now on, and among those from ``watch.since`` on."""
        self.lookout.add(watch)
        self._check(self._plain.now_us())

    def is_at_ease(self) -> bool:
        """Say whether time alone changes nothing: no line or dump is half said."""
        if len(self.group) > 1 or self.clock is not self._plain:
            return False
        return not (self.framer.pending or self.lookout.crashes.watch.gathering)

    def restart(self, boots_to_come: int = 1) -> None:
        """Go on after a reset of ours: the boot line may come once more.

        Raises:
            FirmwareFault: what was wrong before the reset and nobody was told.
        """
        if self.fault is not None and not self._is_told:
            self.raise_fault()
        for each in self.group:
            each.begin_again(boots_to_come)

    def begin_again(self, boots_to_come: int) -> None:
        """Forget what was wrong, and let the boot line come so often again."""
        self.fault = None
        self._dead = False
        self.lookout.crashes.watch.pressed()
        for watch in self.lookout.watches:
            if watch.raises is FirmwareReset:
                watch.allowed_count += boots_to_come

    def accept_restart(self) -> tuple[int, int] | None:
        """Take a restart that is a fault for what was to come, and go on from there.

        Return when it was, and the number of its first line; ``None`` if there is none,
        or the board cannot go on.
        """
        if not isinstance(self.fault, FirmwareReset):
            return None
        number, at_us = self.fault_number, self.board.now_us()
        if not self._dead:
            at_us = dict(self.transcript.since(number))[number].at_us
        elif isinstance(self.board, RunsOn):
            self.board.run_on()
        else:
            return None
        self._is_told = True
        self._absences.forgive()
        self.restart(boots_to_come=int(self._dead))
        return at_us, number

    def raise_fault(self) -> None:
        """Raise what is wrong, if anything is; a dead board says so every time.

        What is wrong on another UART counts after what is on this one.
        """
        for each in (self, *self.group):
            if (fault := each.fault) is None:
                continue
            each.fault_is_told()
            raise self._absences.judged(fault)

    def fault_is_told(self) -> None:
        """Take note that a test knows; a board that has died stays dead."""
        self._is_told = True
        if not self._dead:
            self.fault = None

    def raise_flood(self) -> None:
        """Raise if the UART was full for a whole second of simulated time."""
        self.meter.raise_flood(self.evidence)

    def evidence(self) -> str:
        """Return the transcript's tail, the board's notes, and where the rest is."""
        return evidence_of(self)

    def _check(self, now_us: int) -> None:
        """Keep the earliest offence that has been seen."""
        if self.fault is None and (seen := self.lookout.check(self.transcript, now_us)):
            number, fault = seen
            self._keep(fault, number)

    def _keep(self, fault: FirmwareFault, number: int) -> None:
        fault.add_note(self.evidence())
        self.fault = fault
        self._is_told = False
        self.fault_number = number
        late_count = sum(1 for _ in from_firmware(self.transcript.since(number)))
        self.said = self.said[: max(0, len(self.said) - late_count)]
