"""From pins that fit to constants that do, on the circuit as it is drawn."""

from __future__ import annotations

import enum
import re
from typing import TYPE_CHECKING

from pytest_embedbench.esr.model import Correction, TrialEnd
from pytest_embedbench.esr.pin_tables import patched
from pytest_embedbench.esr.rewiring import places, rewired
from pytest_embedbench.esr.sources.edits import Edit, corrections, edited, settled
from pytest_embedbench.esr.splitting import splits
from pytest_embedbench.esr.uses import Does

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from pytest_embedbench.esr.board_pins import BoardPins
    from pytest_embedbench.esr.candidates import Candidates
    from pytest_embedbench.esr.model import EsrCase, PinMap, PinMove, TrialResult
    from pytest_embedbench.esr.sources.pin_constant import SourceConstant
    from pytest_embedbench.esr.trials import TrialLedger
    from pytest_embedbench.esr.uses import PinDoing, Uses

_PORT_REGISTERS = re.compile(rb"\b(PORT|DDR|PIN)[A-L]\b")


class Confirmed(enum.Enum):
    """What came of a confirmation."""

    YES = "yes"
    NO = "no"
    CANNOT = "cannot"
    """There is no constant to correct, or what is there has no say."""


class Confirming:
    """Corrects a firmware and runs it: its source if there is one, else its image."""

    def __init__(self, case: EsrCase, trials: TrialLedger, pins: BoardPins) -> None:
        self._case, self._trials, self._pins = case, trials, pins
        self.corrections: tuple[Correction, ...] = ()
        self.is_cut = False
        """Whether constants could be taken apart in more ways than were tried."""

    def confirm(
        self,
        pin_map: PinMap,
        uses: Uses,
        files: Mapping[str, bytes],
        image: Path | None,
    ) -> Confirmed:
        """Say whether it works as it is wired, once it says the pins of a map."""
        if files:
            edits = edits_for(pin_map.moves, uses.constants, self._pins)
            if edits is None:
                return Confirmed.CANNOT
            if self._works(edits, uses, files):
                return Confirmed.YES
            return Confirmed.CANNOT if has_port_registers(files) else Confirmed.NO
        return self._by_image(pin_map, uses.by_pin(), image)

    def split(
        self, candidates: Candidates, uses: Uses, files: Mapping[str, bytes]
    ) -> bool:
        """Give constants that share a pin to signals that nothing serves, one by one.

        Say whether one of these works. Some builds are left for maps.
        """
        ways, self.is_cut = splits(candidates, uses)
        for edits in ways:
            if self._trials.is_short_of_builds:
                self.is_cut = True
                break
            self._trials.tried += 1
            if self._works(edits, uses, files):
                return True
        return False

    def _works(
        self, edits: Sequence[Edit], uses: Uses, files: Mapping[str, bytes]
    ) -> bool:
        made, kept = settled(edits, uses.constants, self._pins)
        told = corrections(made)
        tried = ", ".join(map(str, told))
        changed = edited(files, (*made, *kept), self._pins)
        result = self._trials.corrected(tried, changed)
        if result.end is not TrialEnd.PASSED:
            return False
        self.corrections = told
        return True

    def _by_image(
        self, pin_map: PinMap, doing: Mapping[str, PinDoing], image: Path | None
    ) -> Confirmed:
        analog = [
            it
            for it in pin_map.moves
            if doing[it.used].does == frozenset({Does.MEASURES})
        ]
        digital = [it for it in pin_map.moves if it not in analog]
        changed = patched(image, digital, self._pins) if image is not None else None
        if changed is None:
            return Confirmed.CANNOT
        diagram = rewired(self._case.diagram, analog) if analog else ""
        result = self._trials.patched(str(pin_map), changed, diagram)
        if result.end is TrialEnd.PASSED:
            self.corrections = tuple(
                Correction("pin", it.used, it.wired) for it in pin_map.moves
            )
            return Confirmed.YES
        return Confirmed.CANNOT if self._has_no_say(digital, result) else Confirmed.NO

    def _has_no_say(self, moves: Sequence[PinMove], result: TrialResult) -> bool:
        """Say whether pins stayed where they were, whatever the tables say."""
        use = result.pin_use
        if use is None:
            return False
        to = places(moves)
        jobs = {name.removeprefix("D"): its for name, its in use.jobs.items()}
        left = {it.used for it in moves} - set(to)
        return any(pin in jobs for pin in left)


def edits_for(
    moves: Sequence[PinMove], constants: Sequence[SourceConstant], pins: BoardPins
) -> tuple[Edit, ...] | None:
    """Return what is to be edited for a map; ``None`` if a pin of it has no constant.

    Of a range of pins (``FIRST + i``) only the first one has: the others go along.
    """
    to = {move.used: move.wired for move in moves}
    edits = tuple(Edit(it, to[it.pin]) for it in constants if it.pin in to)
    shifts = {_shift(it.constant.pin, it.pin, pins) for it in edits}
    named = {it.constant.pin for it in edits}
    for move in moves:
        if move.used not in named and _shift(*move, pins) not in shifts:
            return None
    return edits or None


def has_port_registers(files: Mapping[str, bytes]) -> bool:
    """Say whether a program goes to ports past the core."""
    return any(_PORT_REGISTERS.search(source) for source in files.values())


def _shift(used: str, wired: str, pins: BoardPins) -> int:
    return pins.number(wired) - pins.number(used)
