"""Files of a bench that others can read while it is at work."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pytest_embedbench.clock import host_now_s

if TYPE_CHECKING:
    from pytest_embedbench.bench.loop_files import LoopFiles
    from pytest_embedbench.wire.transcript import Transcript

FLUSH_EVERY_S = 0.5


@dataclass(slots=True)
class GrowingFiles:
    """A transcript and what else grows with it; both are half a second late."""

    transcript: Transcript
    loops: list[LoopFiles] = field(default_factory=list["LoopFiles"], init=False)
    _due_s: float = field(default=0.0, init=False)

    def add(self, files: LoopFiles) -> None:
        """Let the files of one more loop grow."""
        self.loops.append(files)

    def keep_up(self) -> None:
        """Write what is new, if it is time to; at once where somebody listens."""
        now_s = host_now_s()
        if self.transcript.listener is not None:
            self.transcript.flush()
        if now_s >= self._due_s:
            self._due_s = now_s + FLUSH_EVERY_S
            self.transcript.flush()
            for files in self.loops:
                files.write_news()
