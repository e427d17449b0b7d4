"""Known talks with a driver, gone through by boards that are scripted."""

from __future__ import annotations

from contextlib import ExitStack
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import pytest

from pytest_embedbench.errors import BoardLost
from pytest_embedbench.grading.target import known_talks, wire
from pytest_embedbench.grading.target.program import TargetProgram
from pytest_embedbench.grading.target.rehearsal import TargetRehearsal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_embedbench.contracts import ScriptStep
    from pytest_embedbench.grading.host.conversation import Conversation

BAUD_BPS = 115_200


def talk(*answers: bytes) -> Conversation:
    """Return a check that asked a question for each answer."""
    begun = known_talks.began(by_itself=True)
    said = [known_talks.said(b"?", answer) for answer in answers]
    return known_talks.with_samples([[begun, *said]], ["one in 20 of all"])


class ScriptedBoard:
    """Goes through talks as the script says; ``None`` is that it dies."""

    def __init__(self, script: list[bool | None]) -> None:
        self.spec = SimpleNamespace(uarts=[SimpleNamespace(baud_bps=BAUD_BPS)])
        self.begun: list[list[ScriptStep]] = []
        self.script = script

    def begin_script(self, steps: Sequence[ScriptStep]) -> None:
        self.begun.append([*steps])

    def script_has_ended(self) -> bool:
        return len(self.script) > 0

    def end_script(self) -> frozenset[int]:
        how = self.script.pop(0)
        if how is None:
            raise BoardLost("it died")
        return frozenset({0} if how else ())

    def link(self) -> None: ...
    def now_us(self) -> None: ...
    def advance(self) -> None: ...
    def close(self) -> None: ...


class Lab:
    """Boots scripted boards, and keeps them."""

    def __init__(self, *scripts: list[bool | None]) -> None:
        self.scripts = [*scripts]
        self.boards: list[ScriptedBoard] = []
        self.program = TargetProgram(
            api=cast("Any", SimpleNamespace(values=(), actuators=(), states=())),
            image=cast("Any", SimpleNamespace(sha256="")),
            boot=cast("Any", self.boot),
            booted=ExitStack(),
        )
        self.rehearsal = TargetRehearsal(self.program)

    def boot(self) -> ScriptedBoard:
        self.boards.append(ScriptedBoard(self.scripts.pop(0)))
        return self.boards[-1]


def test_a_talk_becomes_turns_with_an_answer_for_each_way() -> None:
    steps = known_talks.script([talk(b"a", b"b"), talk(b"a", b"c")], BAUD_BPS)
    restart = wire.RESTART
    assert [step.data for step in steps] == [restart, b"?", b"?"]
    assert [step.answers for step in steps] == [
        (restart, restart),
        (b"a", b"a"),
        (b"b", b"c"),
    ]
    assert not any(step.resets for step in steps)
    assert known_talks.samples_of(talk()) == ["one in 20 of all"]


def test_a_driver_that_cannot_begin_again_is_reset() -> None:
    parts = [[known_talks.began(by_itself=False), known_talks.said(b"?", b"a")]]
    first, _ = known_talks.script([known_talks.with_samples(parts, [])], BAUD_BPS)
    assert first.resets
    assert first.answers == (wire.HELLO + wire.NO_RESTART,)


def test_checks_pass_that_are_answered_alike_and_no_others() -> None:
    lab = Lab([True, True, False], [True, True])
    for name in ("one", "two", "three"):
        lab.rehearsal.prepare(name, [talk(b"a")])
        assert lab.rehearsal.knows(name)
    assert lab.rehearsal.passes("one")
    assert not lab.rehearsal.passes("two")
    assert lab.rehearsal.passes("three")
    assert len(lab.boards) == 2, "what went wrong is of no use any more"
    assert not lab.rehearsal.passes("unknown")


def test_it_goes_on_beside_other_work_and_waits_for_nothing() -> None:
    lab = Lab([])
    for number in range(9):
        lab.rehearsal.prepare(str(number), [talk(b"a")])
    lab.rehearsal.go_on()
    (board,) = lab.boards
    begun_count = len(board.begun)
    lab.rehearsal.go_on()
    assert len(board.begun) == begun_count
    assert lab.rehearsal.is_busy
    board.script += [True] * begun_count
    lab.rehearsal.go_on()
    assert len(board.begun) == 2 * begun_count


def test_a_board_that_was_taken_back_is_asked_no_more() -> None:
    lab = Lab([True], [True, True])
    lab.rehearsal.prepare("one", [talk(b"a")])
    lab.rehearsal.go_on()
    lab.program.lent = None
    assert lab.rehearsal.passes("one")
    assert len(lab.boards) == 2


@pytest.mark.parametrize("script", [[True, False], [True, None]])
def test_who_answers_otherwise_again_and_again_is_left_alone(
    script: list[bool | None],
) -> None:
    lab = Lab(*([*script] for _ in range(3)))
    for number in range(5):
        lab.rehearsal.prepare(str(number), [talk(b"a")])
    assert not any(lab.rehearsal.passes(str(number)) for number in range(5))
    assert len(lab.boards) <= 3
    lab.rehearsal.go_on()
    assert not lab.rehearsal.knows("another")
