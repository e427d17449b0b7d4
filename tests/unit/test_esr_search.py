"""The search over a check that is a function of pins: no board, no build."""

from __future__ import annotations

from pytest_embedbench.esr.model import Outcome


def test_strict_is_permissive_and_only_confirmed_is_counted_beside_it() -> None:
    assert {it for it in Outcome if it.is_permissive} == {
        Outcome.STRICT,
        Outcome.PERMISSIVE_CONFIRMED,
    }
    assert [it for it in Outcome if it.is_strict] == [Outcome.STRICT]
