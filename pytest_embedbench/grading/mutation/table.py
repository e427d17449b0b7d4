"""What became of all mutants: figures, ``mutants.json``, and a page to read."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pytest_embedbench.grading.mutation.trial import Fate, MutantTrial

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

SCHEMA = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class MutantOutcome:
    """All trials of a task under one profile.

    ``declared`` are the mutants said to be no faults, with the reason. ``witnesses``
    says of mutants that were looked at how they show that they break the brief, ``""``
    if they never did. ``cpu_s`` is what all trials have taken of the processors.
    """

    task: str
    profile: str
    board: str
    trials: Sequence[MutantTrial]
    declared: Mapping[str, str]
    witnesses: Mapping[str, str]
    cpu_s: float

    @property
    def equivalents(self) -> frozenset[str]:
        """The declared ones that neither a check nor a witness tells apart."""
        killed = {t.mutant.name for t in self.trials if t.fate is Fate.KILLED}
        refuted = killed | {name for name, seen in self.witnesses.items() if seen}
        return frozenset(self.declared) - refuted

    @property
    def refuted(self) -> list[str]:
        """Declared ones that are faults all the same."""
        tried = {trial.mutant.name for trial in self.trials}
        return sorted((tried & self.declared.keys()) - self.equivalents)

    def of(self, fate: Fate) -> list[MutantTrial]:
        """Return the trials that ended so, of mutants that are not equivalent."""
        return [
            trial
            for trial in self.trials
            if trial.fate is fate and trial.mutant.name not in self.equivalents
        ]

    @property
    def equivalent(self) -> list[MutantTrial]:
        """The trials of equivalent mutants."""
        return [t for t in self.trials if t.mutant.name in self.equivalents]

    @property
    def score(self) -> float:
        """Which share of the mutants that are faults was killed."""
        faults = len(self.of(Fate.KILLED)) + len(self.of(Fate.SURVIVED))
        return len(self.of(Fate.KILLED)) / faults if faults else 0.0

    def counts(self) -> dict[str, int]:
        """Return how many mutants came to what."""
        return {
            "mutants": len(self.trials) - len(self.of(Fate.STILLBORN)),
            **{fate.value: len(self.of(fate)) for fate in Fate},
            "equivalent": len(self.equivalent),
        }

    def record(self) -> dict[str, Any]:
        """Return what ``mutants.json`` says."""
        return {
            "schema": SCHEMA,
            "task": self.task,
            "profile": self.profile,
            "board": self.board,
            "score": self.score,
            "cpu_s": round(self.cpu_s, 1),
            "counts": self.counts(),
            "mutants": [self._row(trial) for trial in self.trials],
        }

    def page(self) -> str:
        """Return the same for a reader: figures, then every survivor with its diff."""
        return "\n".join(self._lines()) + "\n"

    def summary(self) -> str:
        """Return one line."""
        counts = self.counts()
        words = [f"{counts[fate.value]} {fate.value}" for fate in Fate]
        return (
            f"{self.task}, {self.profile} on {self.board}: "
            f"{counts['mutants']} mutants, {counts['equivalent']} of them equivalent; "
            f"{', '.join(words)}: "
            f"{self.score:.1%}"
        )

    def by_operator(self) -> str:
        """Return a table with a row for each kind of fault."""
        head = ["| kind of fault | mutants | killed | survived | equivalent |"]
        rows = [
            f"| {kind} | {row.total()} | {' | '.join(str(row[c]) for c in _COLUMNS)} |"
            for kind, row in sorted(self._by_kind().items())
        ]
        return "\n".join([*head, "|---|--:|--:|--:|--:|", *rows])

    def _lines(self) -> Iterator[str]:
        yield f"# Mutants of {self.task}, profile {self.profile} on {self.board}\n"
        yield f"{self.summary()}.\n"
        yield self.by_operator()
        for fate in (Fate.SURVIVED, Fate.UNCLEAR):
            for trial in self.of(fate):
                yield from _shown(trial, fate.value, self._about(trial))
        for trial in self.equivalent:
            yield from _shown(trial, "equivalent", self.declared[trial.mutant.name])

    def _about(self, trial: MutantTrial) -> str:
        """Return what is known of a mutant that nothing has killed."""
        if trial.fate is Fate.UNCLEAR:
            return trial.reason
        if trial.mutant.name not in self.witnesses:
            return ""
        seen = self.witnesses[trial.mutant.name]
        if not seen:
            return _NOT_TOLD_APART
        return f"It breaks the brief:\n\n```\n{seen}\n```"

    def _by_kind(self) -> dict[str, Counter[str]]:
        kinds: dict[str, Counter[str]] = {}
        for trial in self.trials:
            if trial.fate is Fate.STILLBORN:
                continue
            known = trial.mutant.name in self.equivalents
            fate = "equivalent" if known else trial.fate.value
            kinds.setdefault(_kind(trial), Counter())[fate] += 1
        return kinds

    def _row(self, trial: MutantTrial) -> dict[str, Any]:
        mutant = trial.mutant
        return {
            "mutant": mutant.name,
            "operator": mutant.operator,
            "kind": _kind(trial),
            "file": mutant.file,
            "line": mutant.line,
            "what": mutant.what,
            "fate": trial.fate.value,
            "equivalent": mutant.name in self.equivalents,
            "declared_equivalent": self.declared.get(mutant.name),
            "witness": self.witnesses.get(mutant.name),
            "stage": trial.stage,
            "check": trial.check,
            "brief": list(trial.brief),
            "reason": trial.reason,
            "diff": mutant.diff,
        }


def _kind(trial: MutantTrial) -> str:
    """Return the kind of fault: an operator's, or one that the task declares."""
    return "declared" if trial.mutant.declared else trial.mutant.operator


_COLUMNS = (Fate.KILLED.value, Fate.SURVIVED.value, "equivalent")


_NOT_TOLD_APART = (
    "Nothing has told it from the brief in a long history: if that has a reason, "
    "declare it in equivalents.toml."
)


def _shown(trial: MutantTrial, fate: str, about: str) -> Iterator[str]:
    mutant = trial.mutant
    yield f"\n## {mutant.name}: {fate}\n"
    yield f"{mutant.file}:{mutant.line}: {mutant.what}."
    if about:
        yield f"\n{about}"
    yield f"\n```diff\n{mutant.diff}\n```"
