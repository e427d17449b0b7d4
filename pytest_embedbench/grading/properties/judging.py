"""What a firmware did on a board, held against what its brief asks for.

The firmware takes up a line some 50 ms after it was sent, and looks at the time every
50 ms besides, so a change is due within a span; which changes there are, and in which
order, is exact.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from pytest_embedbench.errors import WrongOutput
from pytest_embedbench.grading.checks.protocol_checks import meaning
from pytest_embedbench.grading.properties.replay import replay
from pytest_embedbench.grading.properties.sequences import Exchange

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from pytest_embedbench.contracts import Board, Plant
    from pytest_embedbench.grading.checks.oracle import Oracle
    from pytest_embedbench.grading.properties.replay import Replayed
    from pytest_embedbench.grading.properties.sequences import Sequence
    from pytest_embedbench.grading.task import Task

    Actuators = Mapping[str, bool]

LEAST_GAP_MS = 60
"""Lines that come closer than the firmware's 50 ms are taken up together."""
DUE_MS = (30, 140)
"""When, after it was asked for, a change has to show, both ends included."""
_UNSURE_MS = (-20, 120)
"""Around a timeout, what comes first depends on when the firmware looks."""
_NOT_REPLIES = ("DBG HEARTBEAT", "DBG BOOTED", "DBG RX_LINE_TOO_LONG")
_REPLY_END = "DBG "
_IDLE = "NONE"
_FOREVER_MS = 1_000_000


class Shown(NamedTuple):
    """The actuators, as asked for or as told, and since when."""

    at_ms: float
    actuators: Actuators


@dataclass(frozen=True, slots=True, kw_only=True)
class Judge:
    """What sequences of one task are judged by."""

    task: Task
    plant: Plant[Any]
    make_oracle: Callable[[], Oracle]

    def __repr__(self) -> str:
        return f"<Judge of {self.task.name}>"


def check_against(
    judge: Judge, board: Board, sequence: Sequence, *, for_ms: int = 0
) -> Replayed:
    """Play a sequence to a fresh board, and insist on what the oracle asks for.

    Gaps are widened where the firmware could not but be late; see ``spread``.

    Raises:
        WrongOutput: it did something else; the message has the whole conversation.
        FirmwareFault: it crashed, spins, ...
    """
    sequence = spread(sequence, judge.task.timeouts_ms)
    replayed = replay(board, sequence, for_ms=for_ms)
    wrong = _first_wrong(judge, sequence, replayed)
    if wrong:
        raise WrongOutput(f"{wrong}\n{replayed.transcript()}")
    if replayed.fault is not None:
        replayed.fault.add_note(replayed.transcript())
        raise replayed.fault
    return replayed


def spread(sequence: Sequence, timeouts_ms: tuple[int, ...]) -> tuple[Exchange, ...]:
    """Return a sequence whose every line finds the firmware's mind made up.

    No gap is shorter than the firmware's own wait, and none ends where a timeout of
    an earlier line is about to be noticed.
    """
    sent_ms: list[int] = []
    now_ms = 0
    spread_out: list[Exchange] = []
    for after_ms, lines in sequence:
        at_ms = now_ms + max(after_ms, LEAST_GAP_MS)
        low_ms, high_ms = _UNSURE_MS
        edges = sorted(each + ms for each in sent_ms for ms in timeouts_ms)
        for edge_ms in edges:
            if edge_ms + low_ms < at_ms < edge_ms + high_ms:
                at_ms = edge_ms + high_ms
        spread_out.append(Exchange(at_ms - now_ms, lines))
        sent_ms.append(at_ms)
        now_ms = at_ms
    return tuple(spread_out)


def _first_wrong(judge: Judge, sequence: Sequence, replayed: Replayed) -> str:
    """Return what differs first; ``""`` for nothing."""
    start_ms = _start_ms(sequence, replayed)
    told = list(_observed(judge, replayed))
    current: Actuators = told.pop(0).actuators if told else {}
    asked = _expected(judge, sequence, start_ms)
    for wanted in asked:
        earliest_ms, latest_ms = (wanted.at_ms + due_ms for due_ms in DUE_MS)
        if latest_ms * 1000 > replayed.ended_us:
            return ""
        while told and told[0].at_ms < earliest_ms:
            early = told.pop(0)
            if early.actuators != current:
                return _unexpected(early, current)
        answered = [each for each in told if each.at_ms <= latest_ms]
        if not any(each.actuators == wanted.actuators for each in answered):
            return _missing(wanted, latest_ms, answered, current)
        while told[0].actuators != wanted.actuators:
            other = told.pop(0)
            if other.actuators != current:
                return _unexpected(other, current)
        told.pop(0)
        current = wanted.actuators
    wrong = next((each for each in told if each.actuators != current), None)
    return _unexpected(wrong, current) if wrong else ""


def _expected(judge: Judge, sequence: Sequence, start_ms: float) -> Iterator[Shown]:
    """Yield what the oracle asks for: an answer to each line, and each later change."""
    oracle = judge.make_oracle()
    names = judge.task.controller.actuators if judge.task.controller else ()

    def step(kind: str, at_ms: int, values: Mapping[str, int]) -> Actuators:
        output = oracle.step(kind, values, at_ms)
        return {name: getattr(output, name) for name in names}

    zero = dict.fromkeys(
        judge.task.controller.values if judge.task.controller else (), 0
    )
    shown = step(_IDLE, 0, zero)
    looks: list[int] = []
    now_ms = 0
    for after_ms, lines in (*sequence, Exchange(_FOREVER_MS, ())):
        now_ms += after_ms
        for look_ms in sorted({each for each in looks if each < now_ms}):
            seen = step(_IDLE, look_ms, zero)
            if seen != shown:
                shown = seen
                yield Shown(start_ms + look_ms, shown)
        looks = [each for each in looks if each >= now_ms]
        looks += [now_ms + ms + by for ms in judge.task.timeouts_ms for by in (0, 1)]
        for line in lines:
            meant = meaning(line, judge.task.sensors)
            if meant is not None:
                values = zero | ({meant.value: meant.number} if meant.value else {})
                shown = step(meant.kind, now_ms, values)
                yield Shown(start_ms + now_ms, shown)


def _observed(judge: Judge, replayed: Replayed) -> Iterator[Shown]:
    """Yield what the firmware told, reply by reply, its start-up first."""
    controller = judge.task.controller
    names = controller.actuators if controller else ()
    state = judge.plant.initial()
    for at_us, line in replayed.heard():
        state = judge.plant.actuate(state, line)
        if line.startswith(_REPLY_END) and line not in _NOT_REPLIES:
            actuators = {name: bool(getattr(state, name)) for name in names}
            yield Shown(at_us / 1000, actuators)


def _start_ms(sequence: Sequence, replayed: Replayed) -> float:
    """Return when the sequence began, in the board's time."""
    if not replayed.sent_us:
        return 0.0
    return replayed.sent_us[0] / 1000 - sequence[0].after_ms


def _unexpected(told: Shown, current: Actuators) -> str:
    return (
        f"at {told.at_ms / 1000:.3f} s the firmware goes to {_words(told.actuators)}; "
        f"the brief asks for {_words(current)}"
    )


def _missing(
    wanted: Shown, latest_ms: float, answered: list[Shown], current: Actuators
) -> str:
    what = f"the brief asks for {_words(wanted.actuators)} by {latest_ms / 1000:.3f} s"
    if not answered:
        return f"{what}; the firmware says nothing and is at {_words(current)}"
    return f"{what}; the firmware is at {_words(answered[-1].actuators)}"


def _words(actuators: Actuators) -> str:
    return ", ".join(f"{name}={value}" for name, value in actuators.items())
