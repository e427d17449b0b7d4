"""What a submission is asked in one go: all of its answers count, and how it ends."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

import pytest

from pytest_embedbench.errors import FirmwareCrash
from pytest_embedbench.grading.host.controller import Controller
from pytest_embedbench.grading.host.conversation import Answered, RecordedProgram
from pytest_embedbench.grading.host.rehearsal import MOST_AT_ONCE, Rehearsal
from tests.e2e.host_controllers import API
from tests.e2e.native_firmware import needs_gcc

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pytest_embedbench.grading.host.conversation import Conversation
    from tests.e2e.host_controllers import HostStage

pytestmark = needs_gcc

LOW = "output.pump_on = input.level < 30;"
MANY = 30_000


@pytest.fixture
def talk(host_stage: HostStage) -> Callable[..., Conversation]:
    """Return a function that steps what it builds, and returns what was said."""

    def run(code: str, *parts: int, before: str = "") -> Conversation:
        image = host_stage.build(code, before=before)
        recorded = RecordedProgram(host_stage.program(image))
        controller = Controller(recorded, API)
        for count in parts:
            controller.restart()
            controller.run([("LEVEL", at, at % 100) for at in range(count)])
        assert recorded.is_whole
        recorded.close()
        return recorded.conversation

    return run


@pytest.fixture
def rehearse(host_stage: HostStage) -> Iterator[Callable[..., Rehearsal]]:
    """Return a function that has a submission built, which is then asked."""
    begun: list[Rehearsal] = []

    def begin(code: str, *, before: str = "") -> Rehearsal:
        begun.append(Rehearsal(host_stage.build(code, before=before)))
        return begun[-1]

    yield begin
    for each in begun:
        each.stop()


def other_last_answer(talk: Conversation) -> Conversation:
    *parts, (*exchanges, last) = talk
    answer = bytes([*last.answer[:-1], last.answer[-1] ^ 1])
    return [*parts, [*exchanges, Answered(last.kind, last.payload, answer)]]


@pytest.mark.parametrize(
    "parts", [(1,), (2, 3), (1,) * (3 * MOST_AT_ONCE), (MANY, MANY)]
)
def test_who_answers_the_same_passes_and_in_one_answer_else_does_not(
    talk: Callable[..., Conversation],
    rehearse: Callable[..., Rehearsal],
    parts: tuple[int, ...],
) -> None:
    said = talk(LOW, *parts)
    rehearsal = rehearse(LOW)
    rehearsal.prepare("same", [said])
    rehearsal.prepare("other", [other_last_answer(said)])
    rehearsal.prepare("same again", [other_last_answer(said), said])
    assert rehearsal.passes("same")
    assert not rehearsal.passes("other")
    assert rehearsal.passes("same again")


def test_no_two_conversations_make_one(
    talk: Callable[..., Conversation], rehearse: Callable[..., Rehearsal]
) -> None:
    one, two = talk(LOW, 5, 5)
    other_one, other_two = talk("output.pump_on = input.level < 3;", 5, 5)
    rehearsal = rehearse(LOW)
    rehearsal.prepare("mixed", [[one, other_two], [other_one, two]])
    assert not rehearsal.passes("mixed")


def test_each_part_begins_at_power_on(
    talk: Callable[..., Conversation], rehearse: Callable[..., Rehearsal]
) -> None:
    counting = "output.pump_on = ++memory > 3;"
    said = talk(counting, 5, 5)
    assert said[0] == said[1]
    rehearsal = rehearse(counting)
    rehearsal.prepare("check", [said])
    assert rehearsal.passes("check")


@pytest.mark.parametrize(
    "ending",
    [
        "if (input.level == 4) __builtin_trap();",
        "if (input.level == 4) _exit(3);",
        "while (input.level == 4) { }",
        "if (input.level == 4) close(3), close(4), close(5), close(6);",
    ],
    ids=["crash", "exit", "spin", "closing"],
)
def test_who_does_not_come_to_the_end_does_not_pass(
    talk: Callable[..., Conversation], rehearse: Callable[..., Rehearsal], ending: str
) -> None:
    """Two such ends are enough: nothing more is asked."""
    said = talk(LOW, 5)
    rehearsal = rehearse(f"{ending} {LOW}")
    for check in ("first", "second", "third"):
        rehearsal.prepare(check, [said])
    short = talk(LOW, 2)
    rehearsal.prepare("short", [short])
    assert not any(map(rehearsal.passes, ("first", "second", "third")))
    assert not rehearsal.passes("short")


def test_who_knows_nothing_passes_nothing(rehearse: Callable[..., Rehearsal]) -> None:
    rehearsal = rehearse(LOW)
    rehearsal.prepare("check", [])
    assert rehearsal.knows("check")
    assert not rehearsal.passes("check")


def test_what_has_gone_wrong_once_is_not_kept() -> None:
    class Crashing:
        def open(self) -> None:
            pass

        def ask(self, *_: object, **__: object) -> NoReturn:
            raise FirmwareCrash("it crashed")

        def close(self) -> None:
            pass

        stop = close

    recorded = RecordedProgram(Crashing())
    recorded.open()
    assert recorded.is_whole
    with pytest.raises(FirmwareCrash):
        recorded.ask(1, b"", doing=str)  # type: ignore[arg-type]
    recorded.open()
    assert not recorded.is_whole


def test_the_file_of_requests_cannot_be_changed(
    talk: Callable[..., Conversation], rehearse: Callable[..., Rehearsal]
) -> None:
    """Whoever finds it among its open files writes nothing into it."""
    writing = (
        "for (int file = 3; file < 64; file++) "
        "memory |= pwrite(file, &zero_byte, 1, 0) == 1; "
        "output.pump_on = memory == 0;"
    )
    before = (
        "static char zero_byte; extern long pwrite(int, const void *, size_t, long);"
    )
    said = talk("output.pump_on = true;", 3)
    rehearsal = rehearse(writing, before=before)
    rehearsal.prepare("check", [said])
    assert rehearsal.passes("check")
