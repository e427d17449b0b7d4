"""A console that leaves evidence: each command, what it said, and how it ended."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pytest_embedbench.bench.artifacts import new_file, safe_name
from pytest_embedbench.bench.live_lines import listener_for
from pytest_embedbench.clock import host_now_s
from pytest_embedbench.errors import EmbedbenchError
from pytest_embedbench.model import Direction, Line
from pytest_embedbench.wire.transcript import Transcript

if TYPE_CHECKING:
    from pathlib import Path
    from typing import TextIO

    from pytest_embedbench.contracts import CommandEnd, TargetConsole

RUN_WITHIN_S = 30.0
COPY_WITHIN_S = 120.0


@dataclass(slots=True, eq=False)
class RecordedConsole:
    """A console of a target, with a transcript in ``folder``: ``console-NAME.log``.

    Whoever makes one closes it, or ends it where the console is the board's to close.
    """

    target: TargetConsole
    name: str
    folder: Path
    path: Path = field(init=False)
    transcript: Transcript = field(init=False)
    _log: TextIO = field(init=False)
    _started_s: float = field(default_factory=host_now_s, init=False)

    def __post_init__(self) -> None:
        stem, number = f"console-{safe_name(self.name)}", 1
        self.path = self.folder / f"{stem}.log"
        while self.path.exists():
            number += 1
            self.path = self.folder / f"{stem}-{number}.log"
        self._log = new_file(self.path)
        self.transcript = Transcript(self._log, listener=listener_for(self.name))
        self._record(Direction.BENCH, f"logged in to {self.name} on {self.location}")

    def __repr__(self) -> str:
        return f"<RecordedConsole of {self.name}: {len(self.transcript)} lines>"

    def __getattr__(self, name: str) -> object:
        return getattr(self.target, name)

    @property
    def location(self) -> str:
        """Where it is."""
        return self.target.location

    def run(self, command: str, *, within_s: float = RUN_WITHIN_S) -> CommandEnd:
        """Run a command to its end; see ``TargetConsole.run``."""
        self._record(Direction.TO_FIRMWARE, command)
        began_s = host_now_s()
        try:
            ended = self.target.run(command, within_s=within_s)
        except EmbedbenchError as error:
            self._note_failure(error)
            raise
        for line in ended.text.splitlines():
            self._record(Direction.FROM_FIRMWARE, line)
        took_s = host_now_s() - began_s
        self._record(
            Direction.BENCH, f"exit status {ended.status} after {took_s:.3f} s"
        )
        return ended

    def copy(self, file: Path, to: str, *, within_s: float = COPY_WITHIN_S) -> None:
        """Copy a file to the target; see ``TargetConsole.copy``."""
        size = file.stat().st_size if file.is_file() else 0
        self._record(Direction.BENCH, f"copy {file.name} ({size} bytes) to {to}")
        try:
            self.target.copy(file, to, within_s=within_s)
        except EmbedbenchError as error:
            self._note_failure(error)
            raise

    def close(self) -> None:
        """Log out, and let go of the transcript; safe to call twice."""
        self.target.close()
        self.end()

    def end(self) -> None:
        """Let go of the transcript, and of nothing else; safe to call twice."""
        if not self._log.closed:
            self.transcript.flush()
            self._log.close()

    def _note_failure(self, error: EmbedbenchError) -> None:
        first = str(error).partition("\n")[0]
        self._record(Direction.BENCH, f"{type(error).__name__}: {first}")

    def _record(self, direction: Direction, text: str) -> None:
        at_us = int((host_now_s() - self._started_s) * 1_000_000)
        self.transcript.record(Line(at_us, direction, text.encode()))
        if not self._log.closed:
            self.transcript.flush()
