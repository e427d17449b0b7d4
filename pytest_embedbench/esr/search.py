"""The search: the check as it is, then on pins taken for one another."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from pytest_embedbench.esr.board_pins import pins_of
from pytest_embedbench.esr.candidates import Candidates
from pytest_embedbench.esr.confirming import Confirmed, Confirming
from pytest_embedbench.esr.findings import findings_of
from pytest_embedbench.esr.mismatches import has_timer_library, needs_confirmation
from pytest_embedbench.esr.model import (
    DEFAULT_BUDGET,
    CaseResult,
    FindingNote,
    Outcome,
    PinMap,
    TrialEnd,
)
from pytest_embedbench.esr.rewiring import rewired
from pytest_embedbench.esr.signals import signals_of
from pytest_embedbench.esr.sources.files import sources_of
from pytest_embedbench.esr.sources.languages import constants_in
from pytest_embedbench.esr.trials import OutOfBudget, TrialLedger
from pytest_embedbench.esr.uses import Uses

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from pytest_embedbench.esr.model import (
        Correction,
        EsrCase,
        PinMove,
        SearchBudget,
        Trial,
        TrialResult,
    )

_DECIDED = {
    TrialEnd.PASSED: Outcome.STRICT,
    TrialEnd.NOT_BUILT: Outcome.BUILD_FAIL,
    TrialEnd.BENCH_FAULT: Outcome.BENCH_FAULT,
}


def search(
    case: EsrCase, trial: Trial, budget: SearchBudget = DEFAULT_BUDGET
) -> CaseResult:
    """Return what is to be said of a case.

    Args:
        case: The firmware, its circuit and its board.
        trial: What runs the check of it once.
        budget: What may be used for it; without more, it is ``Outcome.BUDGET``.

    Raises:
        ConfigError: the board is none whose pins are known.
        ToolMissing: the source cannot be read without what the extra ``esr`` brings.
    """
    return _Search(case, trial, budget).result()


class _Search:
    def __init__(self, case: EsrCase, trial: Trial, budget: SearchBudget) -> None:
        self._case = case
        self._pins = pins_of(case.board, case.diagram)
        self._signals = signals_of(case.diagram, self._pins)
        self._files: Mapping[str, bytes] = {}
        if case.image is None and case.source is not None:
            self._files = sources_of(case.source)
        self._uses = Uses(
            constants=constants_in(self._files, self._pins),
            has_timer_library=has_timer_library(self._files),
        )
        self._trials = TrialLedger(case, trial, budget)
        self._confirming = Confirming(case, self._trials, self._pins)
        self._image: Path | None = case.image
        self._tried: set[tuple[PinMove, ...]] = set()
        self._fitting: PinMap | None = None
        self._doubtful: PinMap | None = None
        """What works though names speak against it: a mistake in the logic, as well."""
        self._ambiguous: tuple[PinMap, ...] = ()

    def result(self) -> CaseResult:
        strict = self._trials.strict()
        self._uses.learn(strict.pin_use)
        decided = _DECIDED.get(strict.end)
        if decided is not None:
            return self._said(decided, strict.why)
        self._image = self._image or strict.image
        try:
            return self._searched(strict)
        except OutOfBudget as spent:
            why = f"the search was ended after {spent}: {strict.why}"
            return self._said(self._or_rewired(Outcome.BUDGET), why)

    # --------------------------------------------------------------------- the search
    def _searched(self, strict: TrialResult) -> CaseResult:
        confirmed = self._first_of_shared_pins() or self._first_of_maps()
        if confirmed:
            return self._said(Outcome.PERMISSIVE_CONFIRMED, strict.why)
        if self._trials.faults and self._fitting is None:
            return self._said(Outcome.BENCH_FAULT, self._trials.faults[0])
        if self._confirming.is_cut or self._candidates().is_cut:
            why = f"there are more ways than the search tries: {strict.why}"
            return self._said(self._or_rewired(Outcome.BUDGET), why)
        return self._said(self._or_rewired(Outcome.LOGIC_FAIL), strict.why)

    def _first_of_shared_pins(self) -> bool:
        candidates = self._candidates()
        if not self._files or candidates.astray:
            return False
        return self._confirming.split(candidates, self._uses, self._files)

    def _first_of_maps(self) -> bool:
        while True:
            has_learned = False
            for pin_map in self._untried():
                self._tried.add(pin_map.moves)
                self._trials.tried += 1
                fits, has_learned = self._fits(pin_map)
                if fits and self._is_confirmed(pin_map):
                    if not pin_map.is_against_names:
                        self._look_for_another(pin_map)
                        return True
                    self._doubtful = self._doubtful or pin_map
                if has_learned:
                    break
            if not has_learned:
                return False

    def _untried(self) -> Iterator[PinMap]:
        for pin_map in self._candidates():
            if pin_map.moves not in self._tried and self._uses.can_say(pin_map.moves):
                yield pin_map

    def _fits(self, pin_map: PinMap) -> tuple[bool, bool]:
        """Say whether a map may be right, and whether its run has shown more pins."""
        if not self._case.is_drawn:
            return True, False
        doing = self._uses.by_pin()
        if self._can_confirm and needs_confirmation(
            pin_map.moves, doing, self._uses, self._pins
        ):
            return True, False
        diagram = rewired(self._case.diagram, pin_map.moves)
        result = self._trials.rewired(str(pin_map), diagram)
        return result.end is TrialEnd.PASSED, self._uses.learn(result.pin_use)

    def _look_for_another(self, found: PinMap) -> None:
        """Run one map more that is as good, so that a check which is blind is told."""
        others = (it for it in self._untried() if len(it.moves) == len(found.moves))
        for pin_map in others:
            diagram = rewired(self._case.diagram, pin_map.moves)
            with suppress(OutOfBudget):
                result = self._trials.rewired(str(pin_map), diagram)
                if result.end is TrialEnd.PASSED:
                    self._ambiguous = (found, pin_map)
            return

    @property
    def _can_confirm(self) -> bool:
        return bool(self._files) or self._image is not None

    def _is_confirmed(self, pin_map: PinMap) -> bool:
        confirmed = self._confirming.confirm(
            pin_map, self._uses, self._files, self._image
        )
        if confirmed is Confirmed.CANNOT and not self._case.is_drawn:
            self._trials.faults.append(
                f"{pin_map}: there is nothing that it could be corrected in"
            )
        elif confirmed is Confirmed.CANNOT and self._fitting is None:
            self._fitting = pin_map
        return confirmed is Confirmed.YES

    def _candidates(self) -> Candidates:
        uses = self._uses
        return Candidates(
            self._signals, uses.by_pin(), self._pins, uses.fixed(), uses.groups()
        )

    # --------------------------------------------------------------------- the outcome
    def _or_rewired(self, otherwise: Outcome) -> Outcome:
        shown = self._fitting or self._doubtful
        return otherwise if shown is None else Outcome.PERMISSIVE_REWIRED

    def _said(self, outcome: Outcome, why: str) -> CaseResult:
        trials = self._trials
        corrections: tuple[Correction, ...] = ()
        if outcome is Outcome.PERMISSIVE_CONFIRMED:
            corrections = self._confirming.corrections
        doing = self._uses.by_pin()
        return CaseResult(
            name=self._case.name,
            outcome=outcome,
            pins_used={pin: str(doing[pin]) for pin in self._pins.pins if pin in doing},
            pins_wired={pin: str(signal) for pin, signal in self._signals.items()},
            corrections=corrections,
            candidates_tried=trials.tried,
            evidence=tuple(trials.evidence),
            findings=self._findings(),
            why=why,
            seconds=trials.seconds,
        )

    def _findings(self) -> tuple[FindingNote, ...]:
        board = self._case.board.name
        notes = self._trials.notes
        found = [*findings_of(board, self._uses, self._signals, self._files, notes)]
        if self._doubtful is not None:
            what = (
                f"with {self._doubtful} in its constants the check passes, but their "
                "names have them where they are: pins or logic are wrong"
            )
            found.append(FindingNote("ambiguous-map", what))
        if not self._ambiguous:
            return tuple(found)
        one, other = self._ambiguous
        what = (
            f"with {one} the check passes, and with {other}: it cannot tell them apart"
        )
        return (*found, FindingNote("ambiguous-map", what))
