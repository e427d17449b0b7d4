"""What is kept of a case, as a plain table: for files, for workers and for people."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypedDict

from pytest_embedbench.esr.model import Outcome
from pytest_embedbench.esr.usual import STRICT

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pytest_embedbench.esr.model import CaseResult

SCHEMA = 1


class About(TypedDict):
    """Which case it is; ``answer`` and ``model`` are empty without answers.

    ``test`` is the node id of its items, without their pins.
    """

    test: str
    case: str
    check: str
    board: str
    module: str
    tags: list[str]
    model: str
    answer: str
    origin: str


class CaseRecord(About):
    """A case and all that its search came to, with values for JSON.

    ``evidence`` has a table for each trial, in order; ``folder`` is where their files
    are, from the run's folder on. ``taken`` says what of an answer was taken for code,
    ``observed`` whether what the firmware does at pins was seen, as it is in simulated
    AVRs alone.
    """

    outcome: str
    why: str
    corrections: list[str]
    pins_used: dict[str, str]
    pins_wired: dict[str, str]
    candidates_tried: int
    evidence: list[dict[str, Any]]
    findings: list[dict[str, str]]
    taken: list[str]
    observed: bool
    seconds: float
    folder: str


def record_of(
    result: CaseResult,
    about: About,
    *,
    taken: Sequence[str] = (),
    observed: bool = False,
) -> CaseRecord:
    """Return what is kept of a case."""
    return {
        **about,
        "outcome": result.outcome.value,
        "why": result.why,
        "corrections": [str(each) for each in result.corrections],
        "pins_used": dict(result.pins_used),
        "pins_wired": dict(result.pins_wired),
        "candidates_tried": result.candidates_tried,
        "evidence": [
            {**each._asdict(), "end": each.end.value} for each in result.evidence
        ],
        "findings": [{"kind": f.kind, "text": f.text} for f in result.findings],
        "taken": [*taken],
        "observed": observed,
        "seconds": round(result.seconds, 3),
        "folder": "",
    }


def outcome_of(record: CaseRecord) -> Outcome:
    """Return what is said of a case."""
    return Outcome(record["outcome"])


def passes(record: CaseRecord, pins: str) -> bool:
    """Say whether the item of a case passes, ``strict`` or ``permissive``."""
    outcome = outcome_of(record)
    return outcome.is_strict if pins == STRICT else outcome.is_permissive


_SAID = {
    Outcome.STRICT: "it works as it is wired",
    Outcome.PERMISSIVE_CONFIRMED: "it works once its pin constants are corrected",
    Outcome.PERMISSIVE_REWIRED: (
        "it works if the circuit is wired otherwise; that its constants can be "
        "corrected was not shown, so nothing is said of it"
    ),
    Outcome.LOGIC_FAIL: "it works with no pins",
    Outcome.BUILD_FAIL: "it does not build",
    Outcome.BUDGET: "the search ran out of what it may use: nothing is said of it",
    Outcome.BENCH_FAULT: "something of ours is missing or broken",
}


def failure_text(record: CaseRecord) -> str:
    """Return what a failure says: the outcome, pins, the correction, the reason."""
    return "\n".join(_lines(record))


def _lines(record: CaseRecord) -> Iterator[str]:
    outcome = outcome_of(record)
    yield f"{outcome.value}: {_SAID[outcome]}"
    if record["corrections"]:
        yield f"smallest correction that works: {', '.join(record['corrections'])}"
    for words, pins in (
        ("the code uses", record["pins_used"]),
        ("wired are", record["pins_wired"]),
    ):
        if pins:
            listed = "; ".join(f"{pin} ({what})" for pin, what in pins.items())
            yield f"{words} {listed}"
    if tried := record["candidates_tried"]:
        yield f"{tried} candidates were tried in {record['seconds']:.1f} s"
    if record["why"]:
        yield record["why"].partition("\n")[0]
    for taken in record["taken"]:
        yield f"of the answer: {taken}"
    for finding in record["findings"]:
        yield f"note: {finding['text']} [{finding['kind']}]"
