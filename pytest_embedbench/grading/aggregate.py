"""The published evaluator's summary of its scenarios."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence


def aggregate(ran: Sequence[tuple[dict[str, Any], bool]]) -> dict[str, Any]:
    """Return it of scenarios, each with whether its check passed."""
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
