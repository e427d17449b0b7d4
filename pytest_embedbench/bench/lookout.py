"""What is looked out for in all that a firmware says over one UART."""

from __future__ import annotations

from dataclasses import dataclass, field
from operator import itemgetter
from typing import TYPE_CHECKING

from pytest_embedbench.wire.transcript import decoded

if TYPE_CHECKING:
    from pytest_embedbench.bench.crashes import CrashGuard
    from pytest_embedbench.bench.guards import Watch
    from pytest_embedbench.errors import FirmwareFault
    from pytest_embedbench.wire.transcript import Transcript


@dataclass(slots=True)
class Lookout:
    """Crashes, and lines that must not come."""

    crashes: CrashGuard
    watches: list[Watch] = field(default_factory=list["Watch"], init=False)
    _is_idle: bool = field(init=False)

    def __post_init__(self) -> None:
        self._is_idle = not self.crashes.watch.signs

    def add(self, watch: Watch) -> None:
        """Look out for a line from now on."""
        self.watches.append(watch)
        self._is_idle = False

    def check(
        self, transcript: Transcript, now_us: int
    ) -> tuple[int, FirmwareFault] | None:
        """Return the earliest offence: the number of its line, and the error."""
        if self._is_idle:
            return None
        found = [watch.check(transcript) for watch in self.watches]
        found.append(self.crashes.check(transcript, now_us))
        offences = [offence for offence in found if offence is not None]
        return min(offences, key=itemgetter(0)) if offences else None

    def heeds(self, payload: bytes) -> bool:
        """Say whether a line of the firmware's means anything."""
        return self.crashes.watch.heeds(decoded(payload)) or any(
            watch.patterns.found_in(payload) for watch in self.watches
        )
