"""What a user sees of our objects where an assert fails."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.plugin.conftest import Suite

FAILING = """
def test_heard(bench):
    bench.run_for(3_000)
    assert "ACT VENT OPEN" in bench.uart.heard()
"""


def test_a_failing_assert_shows_the_lines_and_little_else(suite: Suite) -> None:
    suite.test(FAILING)
    printed = suite.run("-vv").stdout.str()
    shown = [line[1:].strip() for line in printed.splitlines() if line[:1] == "E"]
    heard = ["DBG BOOTED", "ACT PUMP OFF", "DBG STATE SAFE_OFF", *["DBG HEARTBEAT"] * 3]
    session = "<UartSession with lab at 3.000000 s: 6 lines>"
    assert shown == [
        f"AssertionError: assert 'ACT VENT OPEN' in {heard}",
        f"+  where {heard} = heard()",
        f"+    where heard = {session}.heard",
        f"+      where {session} = <Bench with lab at 3.000000 s: 6 lines>.uart",
    ]
