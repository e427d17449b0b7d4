"""What a firmware says to a line, and of itself when time goes by."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_embedbench.bench.blind_talk import in_turns
from pytest_embedbench.grading.checks.closed_loop import HEARTBEAT, answer
from pytest_embedbench.grading.checks.conversations import (
    check_turn,
    known_conversation,
)
from pytest_embedbench.grading.checks.shared.marks import enforcing, insist, needing

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pytest_embedbench.bench.bench import Bench
    from pytest_embedbench.contracts import Plant
    from pytest_embedbench.grading.checks.oracle import Oracle
    from pytest_embedbench.grading.checks.shared.marks import Test
    from pytest_embedbench.grading.task import Task

TICK_MS, STALE_MS = 100, 1000
_HEARTBEAT = f"^{HEARTBEAT}$"
_TURNS, _SEED = 600, 12
"""One conversation in which every state comes, and every value of every sensor."""


def answers(
    *brief: str, actuators: Sequence[str], rows: Sequence[tuple[str, str]], ignored: str
) -> Test:
    """Check that every line is answered, whether anything has changed or not.

    Args:
        brief: What that enforces.
        actuators: As lines name them, in the order of the answer: ``("PUMP",)``.
        rows: A line, and what is said of each actuator and of the state, by blanks.
        ignored: A line that is not answered.
    """

    @enforcing(*brief)
    @needing("virtual-time")
    def check(bench: Bench) -> None:
        bench.wait_for_boot()
        bench.run_for(TICK_MS)
        for line, told in rows:
            *words, state = told.split()
            pairs = zip(actuators, words, strict=True)
            due = [f"ACT {name} {word}" for name, word in pairs]
            due.append(f"DBG STATE {state}")
            heard = answer(bench, line)
            insist(heard == due, f"to {line}: {heard}; it has to be {due}")
        heard = answer(bench, ignored)
        insist(not heard, f"to {ignored}, which is nobody's: {heard}")

    return check


def stale_is_said_once(
    *brief: str, lines: Sequence[str], steady: str, said: Sequence[str]
) -> Test:
    """Check that a plant that goes stale says so, and is silent before and after.

    Args:
        brief: What that enforces.
        lines: What is sent first.
        steady: The state that they come to.
        said: What is said as they go stale.
    """

    @enforcing(*brief)
    @needing("virtual-time")
    def check(bench: Bench) -> None:
        bench.wait_for_boot()
        bench.run_for(TICK_MS)
        bench.uart.skip()
        for line in lines:
            bench.send(line)
        bench.expect(f"^DBG STATE {steady}$", within_ms=TICK_MS)
        bench.expect_silence(for_ms=STALE_MS - TICK_MS, ignoring=_HEARTBEAT)
        for number, line in enumerate(said):
            bench.expect(f"^{line}$", within_ms=5 if number else 250)
        bench.expect_silence(for_ms=2 * STALE_MS, ignoring=_HEARTBEAT)

    return check


def any_lines(*brief: str) -> Test:
    """Check a conversation of any lines, at any pace, with the firmware itself."""

    @enforcing(*brief)
    @needing("virtual-time")
    def check(
        bench: Bench, plant: Callable[[], Plant[Any]], oracle: Oracle, task: Task
    ) -> None:
        bench.wait_for_boot()
        bench.run_for(TICK_MS)
        its_plant = plant()
        turns = known_conversation(task, oracle, seed=_SEED, count=_TURNS)
        since, at_ms = bench.uart.mark(), bench.uart.now_us / 1000
        talk = [(turn.lines, turn.for_ms) for turn in turns]
        for number in in_turns(bench.uart, talk):
            heard = [s for s in bench.uart.heard(since) if s != HEARTBEAT]
            check_turn(task, its_plant, turns[number], heard, at_ms)
            since, at_ms = bench.uart.mark(), bench.uart.now_us / 1000

    return check
