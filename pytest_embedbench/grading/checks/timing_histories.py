"""Histories in which it is a time that matters.

How long something has gone on, what comes between two steps without a line, and which
reading is just about to be too old when another one comes back.
"""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass, field, replace
from itertools import product
from typing import TYPE_CHECKING, Any

from pytest_embedbench.grading.checks.oracle import due_of
from pytest_embedbench.grading.checks.situations import (
    FIRST_FRAMES,
    STEP_MS,
    TICK_MS,
    middles,
    situations,
    story,
    without_each,
)
from pytest_embedbench.grading.host.calling import IDLE, Between, Calling
from pytest_embedbench.grading.host.holding import Hold

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from pytest_embedbench.grading.checks.oracle import Oracle
    from pytest_embedbench.grading.checks.situations import History, Line, Situation
    from pytest_embedbench.grading.host.controller import Row
    from pytest_embedbench.grading.task import Task

    MakeOracle = Callable[[], Oracle]
    Found = tuple[Hold, Situation, "_DueSteps"]
    """How it is come to, what is said, and the brief that has seen both."""

STATE_MS = 330_000
"""More than a limit of 10, 30, 60 or 300 s to whatever goes on, or 15 bits of 10 ms."""
_HELD_MS = ((33_000, 100), (65_600, 100), (2_600, 100), (STATE_MS, 500))
"""For how long, with lines how often: counts in 15, 16 and 8 bits have run over."""
_FEW_FRAMES = 4
_WHILE = 30
"""Frames in a while."""
_GAPS_MS = (30, 1, 49)
"""How long before a line the last step without one was."""
_JUST_SAID_MS = 40


def long_states(task: Task, make_oracle: MakeOracle) -> Iterator[History]:
    """Yield histories in which whatever may go on goes on for minutes.

    That is each situation, once for each state in which the brief has it, come to from
    another one that has lasted for a moment or a while. What a line comes to later and
    not at once is tried after as long as counts can tell.
    """
    found = [*_found(task, make_oracle)]
    silence = Hold(every_ms=STEP_MS, count=2 + max(task.timeouts_ms) // STEP_MS)
    for frames, situation, brief in found:
        for line in _awaited(brief, situation):
            history: History = []
            for held_ms, every_ms in _HELD_MS:
                lasting = Hold(
                    lines=situation, every_ms=every_ms, count=held_ms // every_ms
                )
                then = Hold(lines=(line,), every_ms=STEP_MS, count=1)
                history += [frames, lasting, then, silence]
            yield history
    for number, (frames, situation, _) in enumerate(found):
        lasting = Hold(lines=situation, every_ms=500, count=STATE_MS // 500)
        yield story(task, number, frames, lasting)


def between_steps(task: Task) -> Iterator[History]:
    """Yield histories in which lines come between two steps without one.

    Then all is silent for just as long as readings count, and a moment longer.
    """
    for number, situation in enumerate(situations(task)):
        history: History = []
        now_ms = 0
        for place, lines in enumerate((situation, situation[::-1])):
            gap_ms = _GAPS_MS[(number + place) % len(_GAPS_MS)]
            for _ in range(_FEW_FRAMES):
                now_ms += TICK_MS
                history.append((IDLE, now_ms - gap_ms))
                history += [Between(row) for row in _at(now_ms, lines)]
                history.append((IDLE, now_ms))
            ages_ms = [age + by for age in sorted(task.timeouts_ms) for by in (0, 1)]
            history += [(IDLE, now_ms + age_ms) for age_ms in ages_ms]
            now_ms += ages_ms[-1]
        yield history


def returns(task: Task) -> Iterator[History]:
    """Yield histories in which a sensor comes back after it was silent for too long.

    The others have just said something, exactly as long ago as it counts, or a moment
    longer ago.
    """
    stale_ms = max(task.timeouts_ms)
    for situation in situations(task):
        history: History = []
        now_ms = 0
        for line, others in zip(situation, without_each(situation), strict=True):
            for age_ms in (_JUST_SAID_MS, stale_ms, stale_ms + 1):
                for _ in range(_FEW_FRAMES):
                    now_ms += TICK_MS
                    history += _at(now_ms, situation)
                back_ms = now_ms + stale_ms
                while now_ms + age_ms <= back_ms:
                    now_ms += TICK_MS
                    history += _at(now_ms, others)
                now_ms += age_ms
                history += [*_at(now_ms, [line]), (IDLE, now_ms)]
        yield history


@dataclass(slots=True)
class _DueSteps:
    """What the brief makes of steps, after ``controller_init``."""

    task: Task
    oracle: Oracle
    calling: Calling = field(default_factory=Calling)

    def due(self, lines: Iterable[Line], *, after_ms: int) -> tuple[Any, ...]:
        """Take lines; return actuators and state, as they have to be after them."""
        due: Any = None
        for row, _ in self.calling.filled(_at(self.calling.now_ms + after_ms, lines)):
            due = due_of(self.oracle, self.task.controller, row)
        return tuple(
            is_due for name, is_due in due._asdict().items() if name != "changed"
        )

    def due_after(self, hold: Hold) -> tuple[Any, ...]:
        """Take the same lines over and over; return what is due in the end."""
        due: tuple[Any, ...] = ()
        for _ in range(hold.count):
            due = self.due(hold.lines, after_ms=hold.every_ms)
        return due

    def copy(self) -> _DueSteps:
        """Return one that goes on from here by itself."""
        return replace(
            self, oracle=deepcopy(self.oracle), calling=replace(self.calling)
        )


def _found(task: Task, make_oracle: MakeOracle) -> Iterator[Found]:
    """Yield each situation once for each state in which it is found."""
    known: set[object] = set()
    here = [*situations(task)]
    for count, before in product((FIRST_FRAMES, _FEW_FRAMES), here):
        frames = Hold(lines=before, every_ms=TICK_MS, count=count)
        brief = _DueSteps(task, make_oracle())
        brief.due_after(frames)
        for number, situation in enumerate(here):
            after = brief.copy()
            state = (number, after.due(situation, after_ms=TICK_MS))
            if state not in known:
                known.add(state)
                yield frames, situation, after


def _awaited(brief: _DueSteps, situation: Situation) -> Iterator[Line]:
    """Yield lines that come to something else after a while that changes nothing."""
    later = brief.copy()
    soon = later.due(situation, after_ms=TICK_MS)
    if later.due_after(Hold(lines=situation, every_ms=TICK_MS, count=_WHILE)) != soon:
        return
    for sensor in brief.task.sensors:
        for line in middles(brief.task, sensor):
            at_once = brief.copy().due([line], after_ms=STEP_MS)
            if later.copy().due([line], after_ms=STEP_MS) != at_once:
                yield line


def _at(now_ms: int, lines: Iterable[Line]) -> list[Row]:
    return [(kind, now_ms, *values) for kind, *values in lines]
