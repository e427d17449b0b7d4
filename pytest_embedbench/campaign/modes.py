"""The four modes of feedback: what an agent is given, and what it is told.

They are those of J. Syst. Archit. 179 (2026) 103937, by the paper's text: one
submission in the first two. (The published code let the second one submit at will.)
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from pytest_embedbench.errors import UnknownName


class Feedback(Enum):
    """How much is said of a submission."""

    NOTHING = "nothing"
    RED_OR_GREEN = "one line"
    EVERYTHING = "everything"


@dataclass(frozen=True, slots=True, kw_only=True)
class Mode:
    """One mode.

    Attributes:
        name: As in the paper.
        has_aids: Whether the workspace has visible tests and a place for own ones.
        feedback: What is said of a submission.
        submission_limit: How many there may be; ``None`` is no limit.
    """

    name: str
    has_aids: bool
    feedback: Feedback
    submission_limit: int | None = None


_MODES = (
    Mode(
        name="oneshot_blind",
        has_aids=False,
        feedback=Feedback.NOTHING,
        submission_limit=1,
    ),
    Mode(
        name="realistic_self_verify",
        has_aids=True,
        feedback=Feedback.NOTHING,
        submission_limit=1,
    ),
    Mode(name="ci_red_green", has_aids=True, feedback=Feedback.RED_OR_GREEN),
    Mode(name="oracle_full", has_aids=True, feedback=Feedback.EVERYTHING),
)
MODES = {mode.name: mode for mode in _MODES}
"""All modes by name, in the paper's order."""


def mode_named(name: str) -> Mode:
    """Return a mode.

    Raises:
        UnknownName: there is none of that name.
    """
    if name not in MODES:
        raise UnknownName("mode", name, MODES)
    return MODES[name]
