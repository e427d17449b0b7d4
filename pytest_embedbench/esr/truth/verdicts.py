"""What mutants have to come to, what the search says of them, and how often it errs."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING, Any

from pytest_embedbench.errors import ConfigError
from pytest_embedbench.esr.model import Outcome
from pytest_embedbench.esr.truth.mutants import RIGHT

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from pytest_embedbench.esr.records import CaseRecord
    from pytest_embedbench.esr.truth.layout import MutantCase

SCHEMA = 1
_HEAD = ("kind", "n", "right", "false confirmed", "undecided", "candidates", "s")


@dataclass(frozen=True, slots=True, kw_only=True)
class MutantVerdict:
    """A mutant: what it has to come to, and what the search says.

    Any outcome in ``due`` is right. Of one that is not ``detectable`` the check sees no
    mistake: a symmetric swap, a bug that it does not look for.
    """

    case: MutantCase
    due: frozenset[Outcome]
    detectable: bool
    outcome: Outcome
    candidates: int
    seconds: float

    @property
    def is_right(self) -> bool:
        """Whether the search says what it has to."""
        return self.outcome in self.due

    @property
    def is_false(self) -> bool:
        """Whether corrected pins are said to help, and they do not."""
        confirmed = Outcome.PERMISSIVE_CONFIRMED
        return self.outcome is confirmed and confirmed not in self.due


def due_of(case: MutantCase, passed: Mapping[str, bool]) -> frozenset[Outcome]:
    """Return what a mutant may come to, by what its check says of it and of its twin.

    Args:
        case: The mutant.
        passed: Whether the check passes as it is wired, by name of the case.
    """
    if passed[case.name]:
        return frozenset({Outcome.STRICT})
    can_help = passed[case.twin]
    due = {Outcome.PERMISSIVE_CONFIRMED if can_help else Outcome.LOGIC_FAIL}
    if case.mutant.lenient:
        due.add(Outcome.PERMISSIVE_REWIRED)
    return frozenset(due)


def verdicts_of(
    cases: Sequence[MutantCase],
    passed: Mapping[str, bool],
    records: Mapping[str, CaseRecord],
) -> Sequence[MutantVerdict]:
    """Return the verdicts of the cases that the search has a record of.

    Raises:
        ConfigError: a sketch fails its own check.
    """
    for case in cases:
        if case.mutant.name == RIGHT and not passed[case.name]:
            raise ConfigError(
                f"{case.sketch}: the sketch fails its own check: mend one of them"
            )
    return [
        MutantVerdict(
            case=case,
            due=due_of(case, passed),
            detectable=case.mutant.name == RIGHT or not passed[case.name],
            outcome=Outcome(records[case.name]["outcome"]),
            candidates=records[case.name]["candidates_tried"],
            seconds=records[case.name]["seconds"],
        )
        for case in cases
        if case.name in records
    ]


def verdict_table(verdicts: Sequence[MutantVerdict]) -> str:
    """Return rows by kind, one for all, and a line for each that is wrong."""
    seen = [verdict for verdict in verdicts if verdict.detectable]
    blind = [verdict for verdict in verdicts if not verdict.detectable]
    kinds = list(dict.fromkeys(verdict.case.mutant.kind for verdict in seen))
    rows = [
        _row(kind, [it for it in seen if it.case.mutant.kind == kind]) for kind in kinds
    ]
    if blind:
        rows.append(_row("the check sees no mistake", blind))
    rows.append(_row("all detectable", seen))
    widths = [max(map(len, column)) for column in zip(_HEAD, *rows, strict=True)]
    aligned = [
        "  ".join(map(str.ljust, row, widths)).rstrip() for row in (_HEAD, *rows)
    ]
    return "\n".join([*aligned, *_wrong(verdicts)])


def _row(name: str, verdicts: Sequence[MutantVerdict]) -> tuple[str, ...]:
    return (
        name,
        str(len(verdicts)),
        str(sum(verdict.is_right for verdict in verdicts)),
        str(sum(verdict.is_false for verdict in verdicts)),
        str(sum(verdict.outcome.is_undecided for verdict in verdicts)),
        f"{median(verdict.candidates for verdict in verdicts):g}" if verdicts else "-",
        f"{median(verdict.seconds for verdict in verdicts):.1f}" if verdicts else "-",
    )


def _wrong(verdicts: Sequence[MutantVerdict]) -> Iterator[str]:
    for verdict in verdicts:
        if not verdict.is_right:
            due = " or ".join(sorted(outcome.value for outcome in verdict.due))
            yield (
                f"wrong: {verdict.case.name}: {verdict.outcome.value}, not {due} "
                f"({verdict.case.mutant.what})"
            )


def verdict_record(verdicts: Sequence[MutantVerdict]) -> dict[str, Any]:
    """Return all of it, with values for JSON."""
    detectable = [verdict for verdict in verdicts if verdict.detectable]
    return {
        "schema": SCHEMA,
        "detectable": len(detectable),
        "right": sum(verdict.is_right for verdict in detectable),
        "false_confirmed": sum(verdict.is_false for verdict in verdicts),
        "outcomes": dict(Counter(verdict.outcome.value for verdict in verdicts)),
        "mutants": [
            {
                "case": verdict.case.name,
                "kind": verdict.case.mutant.kind,
                "what": verdict.case.mutant.what,
                "due": sorted(outcome.value for outcome in verdict.due),
                "detectable": verdict.detectable,
                "outcome": verdict.outcome.value,
                "candidates": verdict.candidates,
                "seconds": verdict.seconds,
            }
            for verdict in verdicts
        ],
    }
