"""End a conversation at once when the firmware reports its own death."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pytest_embedbench.bench.guards import from_firmware
from pytest_embedbench.errors import BoardLost, FirmwareCrash
from pytest_embedbench.wire.transcript import decoded

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_embedbench.wire.crash import Crash, CrashWatch
    from pytest_embedbench.wire.transcript import Transcript

    Offence = tuple[int, FirmwareCrash]


@dataclass(slots=True)
class CrashGuard:
    """Reads along, and says where the dump of a crash began and what it means."""

    watch: CrashWatch
    elf_path: Path | None = None
    """What the board runs, to decode backtraces with."""
    _since: int = field(default=0, init=False)
    _began: int = field(default=0, init=False)

    def check(self, transcript: Transcript, now_us: int) -> Offence | None:
        """Return the number of the first line of a crash, and the error.

        Raises:
            BoardLost: the firmware is not to blame: its supply or its flash is.
        """
        if not self.watch.signs:
            return None
        for number, line in from_firmware(transcript.since(self._since)):
            if not self.watch.gathering:
                self._began = number
            crash = self.watch.feed(decoded(line.payload), line.at_us)
            if crash is not None:
                self._since = number + 1
                return self._blame(crash)
        self._since = len(transcript)
        crash = self.watch.settle(now_us)
        return None if crash is None else self._blame(crash)

    def finish(self) -> Offence | None:
        """Return the crash whose dump will not go on, because the board has stopped."""
        crash = self.watch.finish()
        return None if crash is None else self._blame(crash)

    def _blame(self, crash: Crash) -> Offence:
        # Only a firmware that has died is explained: do not import it earlier.
        from pytest_embedbench.crash import explain  # noqa: PLC0415

        message = explain(crash, self.elf_path)
        if not crash.kind.is_firmware:
            raise BoardLost(message)
        return self._began, FirmwareCrash(message)
