"""What processes tell each other of checks: plain tables, which JSON can carry."""

from __future__ import annotations

from typing import Any, NotRequired, TypedDict


class Digests(TypedDict):
    """Of all that an outcome depends on; ``tools`` by board, ``""`` for none."""

    submission: str
    suite: str
    options: str
    tools: dict[str, str]


class Done(TypedDict):
    """How a check ended, with what it takes to tell it again."""

    suite: str
    label: str
    check: str
    digest: str
    outcome: str
    stage: str
    reason: str
    duration_s: float
    attempt_count: int
    details: dict[str, Any]


class PlannedCheck(TypedDict):
    """A check that is going to run; ``board`` is ``""`` in the host stage."""

    check: str
    board: str
    stage: str
    brief: list[str]


class SandboxRecord(TypedDict):
    """What kept the submission apart, and what that means, if it is no sandbox."""

    kind: str
    warning: str | None


class CheckPlan(TypedDict):
    """What is going to run of one suite; the same from every process that runs it.

    ``label`` and ``name`` tell one of many submissions; otherwise they are ``""``.
    """

    suite: str
    label: str
    name: str
    task: str
    profile: str
    submission: str | None
    sources: dict[str, str]
    ignored: list[str]
    boards: list[str]
    sentences: dict[str, str]
    has_host_stage: bool
    tools: dict[str, str]
    sandbox: SandboxRecord
    deselected_count: int
    checks: list[PlannedCheck]
    digests: Digests | None
    kept_count: int
    changed: list[str]
    """How many checks have ended in an earlier run, and why others have to again."""


class CheckRecord(TypedDict):
    """How one phase of one check went; ``last`` marks the last of its attempt."""

    suite: str
    label: str
    check: str
    outcome: str
    stage: str
    reason: str
    duration_s: float
    last: bool
    details: NotRequired[dict[str, Any]]
    kept: NotRequired[int]
    """After how many attempts it had ended, if that was in an earlier run."""
