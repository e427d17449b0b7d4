"""All that is known of an evaluation while it goes on, and its ``verdict.json``.

Kept by one process, whoever runs the checks. What comes in are plain tables, so that
they can cross process borders: a plan of what is going to run, then a note
for every phase of every check. ``docs/verdicts.md`` documents what goes out.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NotRequired, TypedDict

from pytest_embedbench.grading.verdict import CheckOutcome, Result, Stage, decide

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pytest_embedbench.grading.verdict import Decision

SCHEMA = 1
_FLAWS = (CheckOutcome.FAILED, CheckOutcome.BROKEN, CheckOutcome.SKIPPED)


class PlannedCheck(TypedDict):
    """A check that is going to run; ``board`` is ``""`` in the host stage."""

    check: str
    board: str
    stage: str
    brief: list[str]


class CheckPlan(TypedDict):
    """What is going to run of one suite; the same from every process that runs it."""

    suite: str
    task: str
    profile: str
    submission: str | None
    sources: dict[str, str]
    sentences: dict[str, str]
    tools: dict[str, str]
    deselected_count: int
    checks: list[PlannedCheck]


class CheckRecord(TypedDict):
    """How one phase of one check went; ``last`` marks the last of its attempt."""

    suite: str
    check: str
    outcome: str
    stage: str
    reason: str
    duration_s: float
    last: bool
    details: NotRequired[dict[str, Any]]


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
        """Add checks that another process is going to run, unless they are known."""
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

    def boards(self) -> tuple[str, ...]:
        """Return the boards, in the order planned; ``("",)`` if there are none."""
        named = {entry.planned["board"]: None for entry in self._entries.values()}
        return tuple(name for name in named if name) or ("",)

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
        )

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
            "checks": [_shown(entry, told["sentences"]) for entry in entries],
            "sources": told["sources"],
            **_built(entries, told["tools"]),
            "aggregate": _aggregate(entries),
            "unsandboxed": True,
            "started_at": self.started_at,
            "ended_at": ended_at,
            "duration_s": sum(entry.duration_s for entry in entries),
        }

    def _of(self, board: str) -> list[_Entry]:
        wanted = ("", board)
        entries = self._entries.values()
        return [entry for entry in entries if entry.planned["board"] in wanted]


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


def _shown(entry: _Entry, sentences: Mapping[str, str]) -> dict[str, Any]:
    return {
        "check": entry.planned["check"],
        "outcome": entry.outcome.value,
        "stage": (entry.stage or Stage(entry.planned["stage"])).value,
        "reason": entry.reason or None,
        "brief": _quoted(entry, sentences),
        "scenarios": entry.details.get("scenarios", []),
        "seeds": entry.details.get("seeds", []),
        "attempts": entry.attempt_count,
        "duration_s": entry.duration_s,
        "folder": entry.details.get("folder"),
    }


def _counts(entries: Sequence[_Entry], deselected_count: int) -> dict[str, int]:
    counts = {
        outcome.value: sum(entry.outcome is outcome for entry in entries)
        for outcome in CheckOutcome
    }
    return {"checks": len(entries), **counts, "deselected": deselected_count}


def _built(entries: Sequence[_Entry], tools: Mapping[str, str]) -> dict[str, Any]:
    """Return what was built and by what; the same for all checks that got that far."""
    built: dict[str, Any] = {"image": None, "host_driver": None, "tools": dict(tools)}
    for entry in entries:
        for key in ("image", "host_driver"):
            built[key] = built[key] or entry.details.get(key)
        built["tools"] |= entry.details.get("tools", {})
    return built


def _aggregate(entries: Sequence[_Entry]) -> dict[str, Any]:
    """Return the published evaluator's summary of its scenarios."""
    ran = [
        (scenario, entry.outcome is CheckOutcome.PASSED)
        for entry in entries
        for scenario in entry.details.get("scenarios", [])
    ]
    figures = [scenario["metrics"] for scenario, _ in ran]
    overshoots = [each["overshoot"] for each in figures if "overshoot" in each]
    margins = [
        value
        for each in figures
        for name, value in each.items()
        if name.startswith("hard_limit_margin") and value is not None
    ]
    return {
        "scenarios": len(ran),
        "passed": sum(passed for _, passed in ran),
        "failure_category": next((s["name"] for s, passed in ran if not passed), None),
        "max_overshoot": max(overshoots, default=None),
        "min_hard_limit_margin": min(margins, default=None),
    }
