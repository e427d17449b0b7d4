"""How far a campaign is, and about how long the rest takes."""

from __future__ import annotations

import pytest

from pytest_embedbench.campaign import progress
from pytest_embedbench.campaign.progress import Progress


def test_the_rest_takes_as_long_as_what_was_carried_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now_s = 1000.0
    monkeypatch.setattr(progress, "host_now_s", lambda: now_s)
    made = Progress(5)
    assert made.line("kept", "PASS", kept=True) == "1 of 5: kept: PASS"
    now_s += 20
    assert made.line("one", "HOST", kept=False) == (
        "2 of 5: one: HOST; about 1 min to go"
    )
    now_s += 4980
    assert made.line("two", "no verdict", kept=False) == (
        "3 of 5: two: no verdict; about 1.4 h to go"
    )
    now_s += 10
    assert made.line("again", "INT", kept=True).endswith("; about 42 min to go")
    assert made.line("last", "PASS", kept=False) == "5 of 5: last: PASS"
