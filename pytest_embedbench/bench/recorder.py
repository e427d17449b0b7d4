"""Let time pass on a board and write down what its firmware says meanwhile."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field
from operator import itemgetter
from typing import TYPE_CHECKING, Protocol

from pytest_embedbench.bench.crashes import CrashGuard
from pytest_embedbench.bench.guards import FloodMeter, from_firmware
from pytest_embedbench.clock import host_now_s
from pytest_embedbench.errors import BenchFault, FirmwareFault, FirmwareReset
from pytest_embedbench.model import Direction, Line
from pytest_embedbench.wire.crash import CrashWatch
from pytest_embedbench.wire.framing import LineFramer

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_embedbench.bench.guards import Watch
    from pytest_embedbench.contracts import BoardUnderTest, Link
    from pytest_embedbench.wire.transcript import Transcript

FLUSH_EVERY_S = 0.5
_FIRMWARE = Direction.FROM_FIRMWARE


class Timebase(Protocol):
    """Something that can let simulated time pass."""

    def advance(self, duration_ms: int) -> None:
        """Let ``duration_ms`` pass; what the firmware says is recorded."""
        ...


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
    framer: LineFramer = field(default_factory=LineFramer)
    fault: FirmwareFault | None = field(default=None, init=False)
    fault_number: int = field(default=0, init=False)
    heard_bytes: int = field(default=0, init=False)
    said: list[Line] = field(default_factory=list[Line], init=False)
    """The firmware's lines of the last ``advance``, up to any fault."""
    meter: FloodMeter = field(init=False)
    _crashes: CrashGuard = field(init=False)
    _watches: list[Watch] = field(default_factory=list["Watch"], init=False)
    _flush_at_s: float = field(default=0.0, init=False)
    _is_told: bool = field(default=False, init=False)
    _dead: bool = field(default=False, init=False)

    def __repr__(self) -> str:
        return f"<Recorder of {self.board.spec.name}: {len(self.transcript)} lines>"

    def __post_init__(self) -> None:
        spec = self.board.spec
        self.meter = FloodMeter(spec.uarts[0].baud_bps)
        self._crashes = CrashGuard(CrashWatch.of(spec.mcu), self.elf_path)

    def advance(self, duration_ms: int) -> None:
        """Let time pass and record; a firmware fault is kept, not raised.

        Raises:
            BoardLost: the engine itself died.
        """
        self.said = []
        if self._dead:
            return
        before_bytes = self.heard_bytes
        try:
            self.board.advance(duration_ms)
        except FirmwareFault as fault:
            self.pull()
            self._end(fault)
        except BenchFault:
            with suppress(BenchFault):
                self.pull()
            raise
        else:
            self.pull()
            self.meter.count(self.heard_bytes - before_bytes, self.board.now_us())
            self._check()
            self._keep_readable()

    def pull(self) -> None:
        """Record what has arrived; no time passes."""
        record = self.transcript.record
        remember = self.said.append
        for at_us, data in self.link.receive():
            self.heard_bytes += len(data)
            for payload, cut_bytes in self.framer.feed(data):
                line = Line(at_us, _FIRMWARE, payload)
                record(line)
                remember(line)
                if cut_bytes:
                    self.note(f"the line above went on for {cut_bytes} bytes more")

    def note(self, text: str) -> int:
        """Write a remark of our own into the transcript, and return when."""
        at_us = self.board.now_us()
        self.transcript.record(Line(at_us, Direction.BENCH, text.encode()))
        return at_us

    def send(self, data: bytes, *, shown: bytes) -> int:
        """Hand ``data`` over, record ``shown``, and return when that was."""
        self.link.send(data)
        at_us = self.board.now_us()
        self.transcript.record(Line(at_us, Direction.TO_FIRMWARE, shown))
        return at_us

    def take_pending(self) -> None:
        """Record the unfinished line, if there is one, as if it ended here."""
        if (framed := self.framer.take_pending()) is not None:
            at_us = self.board.now_us()
            line = Line(at_us, _FIRMWARE, framed.payload)
            self.transcript.record(line)
            self.said.append(line)

    def watch(self, watch: Watch) -> None:
        """Look out for a line from now on, and among those from ``watch.since`` on."""
        self._watches.append(watch)
        self._check()

    def restart(self) -> None:
        """Go on after a reset of ours: the boot line may come once more.

        Raises:
            FirmwareFault: what was wrong before the reset and nobody was told.
        """
        if self.fault is not None and not self._is_told:
            self.raise_fault()
        self.fault = None
        self._dead = False
        self._crashes.watch.pressed()
        for watch in self._watches:
            if watch.raises is FirmwareReset:
                watch.allowed_count += 1

    def press_reset(self) -> None:
        """Press the board's reset button; what was half said before ends here.

        Raises:
            FirmwareFault: something was wrong before, and nobody was told yet.
            BoardLacks: the board has no reset button.
        """
        self.pull()
        self.take_pending()
        self.restart()
        self.board.reset()
        # A real board talks on until it is held in reset.
        self.pull()
        self.take_pending()
        self.note("reset")

    def raise_fault(self) -> None:
        """Raise what is wrong, if anything is; a dead board says so every time."""
        if self.fault is None:
            return
        fault = self.fault
        self._is_told = True
        if not self._dead:
            self.fault = None
        raise fault

    def raise_flood(self) -> None:
        """Raise if the UART was full for a whole second of simulated time."""
        if (flood := self.meter.flood) is not None:
            self.meter.flood = None
            flood.add_note(self.evidence())
            raise flood

    def evidence(self) -> str:
        """Return the transcript's tail, the board's notes, and where the rest is."""
        self.transcript.flush()
        said = self.transcript.tail() or "(nothing was said)"
        pending = self.framer.pending
        unfinished = f"\nunfinished line: {pending[-80:]!r}" if pending else ""
        notes = "".join(f"\nnote: {note}" for note in self.board.notes)
        if position := self.board.position:
            notes += f"\nnow {position}"
        where = f"\ntranscript: {self.path}" if self.path else ""
        return f"the end of the conversation:\n{said}{unfinished}{notes}{where}"

    def _keep_readable(self) -> None:
        """Let a reader of the file see what was said half a second of host time ago."""
        if host_now_s() >= self._flush_at_s:
            self.transcript.flush()
            self._flush_at_s = host_now_s() + FLUSH_EVERY_S

    def _check(self) -> None:
        """Keep the earliest offence that a watch has seen."""
        if self.fault is not None:
            return
        found = [watch.check(self.transcript) for watch in self._watches]
        found.append(self._crashes.check(self.transcript, self.board.now_us()))
        offences = [offence for offence in found if offence is not None]
        if offences:
            number, fault = min(offences, key=itemgetter(0))
            self._keep(fault, number)

    def _end(self, fault: FirmwareFault) -> None:
        """Close the books: the board runs no more."""
        self._dead = True
        self.take_pending()
        self._check()
        if self.fault is None and (crash := self._crashes.finish()) is not None:
            self._keep(crash[1], crash[0])
        if self.fault is None:
            self.note(f"{type(fault).__name__}: {str(fault).partition(chr(10))[0]}")
            self._keep(fault, len(self.transcript))

    def _keep(self, fault: FirmwareFault, number: int) -> None:
        fault.add_note(self.evidence())
        self.fault = fault
        self._is_told = False
        self.fault_number = number
        late_count = sum(1 for _ in from_firmware(self.transcript.since(number)))
        self.said = self.said[: max(0, len(self.said) - late_count)]
