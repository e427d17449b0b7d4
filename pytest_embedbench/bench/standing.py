"""Images that stand ready for one board after the other."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pytest_embedbench.contracts import SnapshotEngine
from pytest_embedbench.model import Isolation

if TYPE_CHECKING:
    from pytest_embedbench.contracts import Board, Engine, Snapshot
    from pytest_embedbench.model import BoardSpec, FirmwareImage

_MOST = 8


@dataclass(slots=True)
class StandingImages:
    """Programs of which boards are copies, where an engine can make such.

    To start a sandbox or a simulator costs as much as twenty copies.
    """

    _ready: dict[str, Snapshot] = field(default_factory=dict["str", "Snapshot"])

    def boot(
        self, engine: Engine, spec: BoardSpec, image: FirmwareImage, *, always: bool
    ) -> Board:
        """Return a board, a copy ``always`` or if it is to be in a sandbox.

        Raises what ``engine.boot`` raises.
        """
        is_kept = always or image.isolation is not Isolation.NONE
        if not is_kept or not isinstance(engine, SnapshotEngine):
            return engine.boot(spec, image)
        key = f"{spec.name} {image.isolation} {image.sha256} {spec.options}"
        key += f" {spec.uarts}"
        if key not in self._ready:
            while len(self._ready) >= _MOST:
                self._ready.pop(next(iter(self._ready))).close()
            self._ready[key] = engine.stand_ready(spec, image)
        return self._ready[key].boot()

    def close(self) -> None:
        """Let go of all of them; the boards have been closed."""
        while self._ready:
            self._ready.popitem()[1].close()
