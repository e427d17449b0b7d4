"""All that is known of an evaluation while it goes on, and its ``verdict.json``.

Kept by one process, whoever runs the checks. What comes in are plain tables, so that
they can cross process borders: a plan of what is going to run, then a note
for every phase of every check. ``docs/verdicts.md`` documents what goes out.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from pytest_embedbench.grading.aggregate import aggregate
from pytest_embedbench.grading.journal import digest_for
from pytest_embedbench.grading.verdict import CheckOutcome, Result, Stage, decide

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from pytest_embedbench.grading.check_records import (
        CheckPlan,
        CheckRecord,
        Done,
        PlannedCheck,
    )
    from pytest_embedbench.grading.verdict import Decision

_BUILT = ("image", "host_driver", "target_driver")
SCHEMA = 2
SPINS_ENDURED = 2
"""Each spin costs seconds; after so many it is known what a submission does."""
GIVEN_UP = f"it did not come back in {SPINS_ENDURED} checks before"
SPUN = "spun"
"""Among a record's details: the submission did not come back."""
_BUILDS = (Stage.HOST_BUILD, Stage.TARGET_BUILD)
_FLAWS = (CheckOutcome.FAILED, CheckOutcome.BROKEN, CheckOutcome.SKIPPED)


@dataclass(slots=True)
class _Entry:
    planned: PlannedCheck
    outcome: CheckOutcome = CheckOutcome.UNFINISHED
    stage: Stage | None = None
    reason: str = ""
    duration_s: float = 0.0
    attempt_count: int = 1
    flaw: str = ""
    """What an attempt before this one failed for."""
    details: dict[str, Any] = field(default_factory=dict[str, Any])


@dataclass(slots=True)
class Ledger:
    """One suite's evaluation."""

    plan: CheckPlan
    started_at: str
    _entries: dict[str, _Entry] = field(default_factory=dict[str, _Entry])

    def __post_init__(self) -> None:
        self.add_plan(self.plan)

    def add_plan(self, plan: CheckPlan) -> None:
        """Add checks that another process is going to run, unless they are known.

        Of two that keep the submission apart in different ways the weaker one is told.
        """
        if plan["sandbox"]["warning"] is not None:
            self.plan["sandbox"] = plan["sandbox"]
        for planned in plan["checks"]:
            self._entries.setdefault(planned["check"], _Entry(planned))

    def knows(self, check: str) -> bool:
        """Say whether a check is one of this suite's."""
        return check in self._entries

    def note(self, note: CheckRecord) -> None:
        """Take in how a phase of a check went."""
        entry = self._entries[note["check"]]
        entry.duration_s += note["duration_s"]
        entry.details |= note.get("details", {})
        entry.attempt_count = note.get("kept", entry.attempt_count)
        outcome = CheckOutcome(note["outcome"])
        if outcome in _FLAWS and entry.outcome not in _FLAWS:
            entry.outcome = outcome
            entry.stage = Stage(note["stage"])
            entry.reason = note["reason"]
        elif note["last"] and entry.outcome is CheckOutcome.UNFINISHED:
            entry.outcome = CheckOutcome.PASSED
        if note["last"] and entry.outcome is CheckOutcome.PASSED and entry.flaw:
            entry.outcome = CheckOutcome.BROKEN
            entry.reason = (
                f"passed in attempt {entry.attempt_count} only; before: {entry.flaw}"
            )

    def retry(self, check: str) -> None:
        """Begin a check anew: this attempt has failed, and another will be made."""
        entry = self._entries[check]
        entry.flaw = entry.flaw or entry.reason or "failed"
        entry.attempt_count += 1
        entry.outcome, entry.stage, entry.reason = CheckOutcome.UNFINISHED, None, ""

    def lose(self, check: str, reason: str) -> None:
        """Take in that whoever ran a check is gone."""
        entry = self._entries[check]
        if entry.outcome is CheckOutcome.UNFINISHED:
            entry.outcome, entry.reason = CheckOutcome.BROKEN, reason

    def done(self, check: str) -> Done | None:
        """Return how a check has ended, if that would be the same another time."""
        entry = self._entries[check]
        digests = self.plan["digests"]
        stands = entry.outcome in (CheckOutcome.PASSED, CheckOutcome.FAILED)
        if not stands or digests is None:
            return None
        board = entry.planned["board"]
        return {
            "suite": self.plan["suite"],
            "label": self.plan["label"],
            "check": check,
            "digest": digest_for(digests, board),
            "outcome": entry.outcome.value,
            "stage": (entry.stage or Stage(entry.planned["stage"])).value,
            "reason": entry.reason,
            "duration_s": entry.duration_s,
            "attempt_count": entry.attempt_count,
            "details": entry.details,
        }

    def boards(self) -> tuple[str, ...]:
        """Return the boards, as they were chosen; ``("",)`` if there are none."""
        named = {entry.planned["board"]: None for entry in self._entries.values()}
        chosen = dict.fromkeys(name for name in self.plan["boards"] if name in named)
        return tuple(name for name in chosen | named if name) or ("",)

    def decision(self, board: str) -> Decision:
        """Return the verdict on the submission, as run on ``board``."""
        results = [_result(entry, self.plan) for entry in self._of(board)]
        checked = {name for result in results for name in result.brief}
        whole = self.plan["profile"] != "paper"
        return decide(
            results,
            deselected_count=self.plan["deselected_count"],
            unchecked=[n for n in self.plan["sentences"] if n not in checked]
            if whole
            else (),
            has_host_stage=self.plan["has_host_stage"],
        )

    @property
    def complete(self) -> bool:
        """Whether every check has come to its end."""
        entries = self._entries.values()
        return not any(e.outcome is CheckOutcome.UNFINISHED for e in entries)

    def record(self, board: str, *, ended_at: str | None) -> dict[str, Any]:
        """Return what ``verdict.json`` says; ``ended_at`` is ``None`` until the end."""
        entries = self._of(board)
        decision = self.decision(board)
        result = decision.result
        told = self.plan
        return {
            "schema": SCHEMA,
            "task": told["task"],
            "suite": told["suite"],
            "board": board or None,
            "profile": told["profile"],
            "submission": told["submission"],
            "complete": ended_at is not None
            and not any(e.outcome is CheckOutcome.UNFINISHED for e in entries),
            "verdict": decision.verdict.value if decision.verdict else None,
            "stage": decision.stage,
            "reason": decision.reason,
            "decided_by": result.check if result else None,
            "brief": dict(result.brief) if result else {},
            "counts": _counts(entries, told["deselected_count"]),
            "checks": list(_checks(entries, told["sentences"], decision)),
            "sources": told["sources"],
            "ignored": told["ignored"],
            **_built(entries, told["tools"]),
            "aggregate": aggregate(list(_ran(entries))),
            "sandbox": told["sandbox"],
            "started_at": self.started_at,
            "ended_at": ended_at,
            "duration_s": sum(entry.duration_s for entry in entries),
        }

    def _of(self, board: str) -> list[_Entry]:
        wanted = ("", board)
        entries = self._settled()
        return [entry for entry in entries if entry.planned["board"] in wanted]

    def _settled(self) -> Iterator[_Entry]:
        """Yield what is known as if one process had run all checks, in their order.

        Each worker counts for itself how often a submission has not come back: between
        them they try more checks than one process would.
        """
        spins = Counter[str]()
        for entry in _told_whole(self._entries.values()):
            board, outcome = entry.planned["board"], entry.outcome
            if spins[board] < SPINS_ENDURED or outcome is CheckOutcome.UNFINISHED:
                spins[board] += SPUN in entry.details
                yield entry
            else:
                yield _Entry(entry.planned, CheckOutcome.SKIPPED, reason=GIVEN_UP)


def _told_whole(entries: Iterable[_Entry]) -> list[_Entry]:
    """Return checks with all that is known of a build that failed for each of them.

    Who builds is told all of it, others only its first error; who that is, is chance.
    """
    known, whole = list(entries), dict[tuple[Stage, str], str]()
    for entry in known:
        if entry.stage in _BUILDS:
            key = entry.stage, entry.reason.partition("\n")[0]
            whole[key] = max(whole.get(key, ""), entry.reason, key=_by_length)
    return [
        replace(entry, reason=whole[entry.stage, entry.reason.partition("\n")[0]])
        if entry.stage in _BUILDS
        else entry
        for entry in known
    ]


def _by_length(text: str) -> tuple[int, str]:
    return len(text), text


def _result(entry: _Entry, told: CheckPlan) -> Result:
    return Result(
        check=entry.planned["check"],
        outcome=entry.outcome,
        stage=entry.stage or Stage(entry.planned["stage"]),
        reason=entry.reason,
        brief=_quoted(entry, told["sentences"]),
    )


def _quoted(entry: _Entry, sentences: Mapping[str, str]) -> dict[str, str]:
    return {name: sentences[name] for name in entry.planned["brief"]}


def _checks(
    entries: Sequence[_Entry], sentences: Mapping[str, str], decision: Decision
) -> Iterator[dict[str, Any]]:
    """Yield what is said of each check; a reason of many lines is told whole once."""
    told = {decision.reason: "of the verdict"}
    for entry in entries:
        reason = entry.reason
        first, _, more = reason.partition("\n")
        if more and reason in told:
            reason = f"{first} (whole: the reason {told[reason]})"
        told.setdefault(reason, f"of {entry.planned['check']}")
        yield _shown(entry, sentences) | {"reason": reason or None}


def _shown(entry: _Entry, sentences: Mapping[str, str]) -> dict[str, Any]:
    return {
        "check": entry.planned["check"],
        "outcome": entry.outcome.value,
        "stage": (entry.stage or Stage(entry.planned["stage"])).value,
        "reason": entry.reason or None,
        "brief": _quoted(entry, sentences),
        "scenarios": entry.details.get("scenarios", []),
        "samples": entry.details.get("samples", []),
        "seeds": entry.details.get("seeds", []),
        "attempts": entry.attempt_count,
        "duration_s": entry.duration_s,
        "folder": entry.details.get("folder"),
    }


def _ran(entries: Sequence[_Entry]) -> Iterator[tuple[dict[str, Any], bool]]:
    for entry in entries:
        for scenario in entry.details.get("scenarios", []):
            yield scenario, entry.outcome is CheckOutcome.PASSED


def _counts(entries: Sequence[_Entry], deselected_count: int) -> dict[str, int]:
    counts = {
        outcome.value: sum(entry.outcome is outcome for entry in entries)
        for outcome in CheckOutcome
    }
    return {"checks": len(entries), **counts, "deselected": deselected_count}


def _built(entries: Sequence[_Entry], tools: Mapping[str, str]) -> dict[str, Any]:
    """Return what was built and by what; the same for all checks that got that far."""
    built: dict[str, Any] = dict.fromkeys(_BUILT) | {"tools": dict(tools)}
    for entry in entries:
        for key in _BUILT:
            built[key] = built[key] or entry.details.get(key)
        built["tools"] |= entry.details.get("tools", {})
    return built
