"""A controller's way through a history, held against the oracle's.

A history is rows, and holds: the same lines for minutes, in which nothing new is said.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pytest_embedbench.errors import WrongOutput
from pytest_embedbench.grading.host.calling import IDLE, Calling, moved
from pytest_embedbench.grading.host.holding import Hold

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from pytest_embedbench.grading.checks.oracle import Oracle
    from pytest_embedbench.grading.host.controller import Controller, Row

    Story = Iterable[Row | Hold]
    Histories = Iterable[Story]

_SHOWN_STEPS, _LOOKED_AT_STEPS = 12, 500
_STEPS_AT_A_TIME = 512
_ONE_BY_ONE = 8
"""Up to so many last steps all are tried, then twice as many each time."""
_SOON_MS = 100
"""When a history begins that is tried from a fresh start."""
_SETTLED_MS = 3000
"""Longer than any timeout of a task: from then on a hold has nothing new to say."""


def check_histories(
    controller: Controller,
    make_oracle: Callable[[], Oracle],
    histories: Iterable[Story],
) -> None:
    """Insist that a controller goes through histories as the oracle has it.

    Each begins at power-on, and is filled up with the steps between its own. Of one
    that goes wrong the shortest end is told that goes wrong by itself.

    Raises:
        WrongOutput: a step is not as it should be; the last ones before it are told.
        FirmwareFault: as ``difference``.
    """
    for history in histories:
        controller.restart()
        way = _Way(controller, make_oracle())
        if wrong := way.first_wrong(history):
            whole = [*controller.batches]
            told = _shortest(controller, make_oracle, way.asked)
            if not told:  # what goes into the records is what goes wrong
                controller.batches[:] = whole
            raise WrongOutput(f"controller_step: {told or wrong}")


def difference(controller: Controller, oracle: Oracle, story: Story) -> str:
    """Return the first step that is not as the oracle has it, told; ``""`` for none.

    Raises:
        FirmwareCrash: the controller crashed, or did what C does not define.
        FirmwareSpin: it did not come back.
    """
    return _Way(controller, oracle).first_wrong(story)


@dataclass(slots=True)
class _Way:
    """One way from power-on, as far as it has gone."""

    controller: Controller
    oracle: Oracle
    asked: list[Row] = field(default_factory=list["Row"])
    """The steps since the last hold that were not made up, and the wrong one."""
    taken: list[Row | str] = field(default_factory=list["Row | str"])
    """All steps, holds in words."""
    calling: Calling = field(default_factory=Calling)
    skipped_ms: int = 0
    """What the oracle has slept through: only differences of time count for it."""
    expected: dict[str, Any] = field(default_factory=dict[str, Any])
    """What was due of the last step of each kind."""
    count: int = 0

    def first_wrong(self, story: Story) -> str:
        """Go on until a step is wrong, and return that; ``""`` if none is."""
        rows: list[Row] = []
        for part in story:
            if isinstance(part, Hold):
                if wrong := self._take(rows) or self._keep_on(part):
                    return wrong
                rows = []
            else:
                rows.append(part)
                if len(rows) == _STEPS_AT_A_TIME:
                    if wrong := self._take(rows):
                        return wrong
                    rows = []
        return self._take(rows)

    def _take(self, rows: Iterable[Row]) -> str:
        steps = list(self.calling.filled(rows))
        outputs = self.controller.run([row for row, _ in steps])
        names, expected = self.controller.api.values, self.expected
        step, skipped_ms = self.oracle.step, self.skipped_ms
        for (row, wanted), output in zip(steps, outputs, strict=True):
            kind: Any = row[0]
            given: Any = {} if kind == IDLE else dict(zip(names, row[2:], strict=False))
            due = expected[kind] = step(kind, given, int(row[1]) - skipped_ms)
            self.taken.append(row)
            if wanted:
                self.asked.append(row)
            if due == output:  # most are
                continue
            for value, shown in zip(due, output, strict=False):
                if value is not None and value != shown:
                    break
            else:
                continue
            if wrong := self._wrong(row, output, due):
                if not wanted:
                    self.asked.append(row)
                return wrong
        return ""

    def _keep_on(self, hold: Hold) -> str:
        """Take the same lines for long; the oracle looks at how it begins and ends."""
        since_ms = self.calling.now_ms
        judged = max(_SETTLED_MS // hold.every_ms, 5)
        between = hold.count - 2 * judged
        if between <= 0:
            return self._take(hold.rows(since_ms))
        if wrong := self._take(hold.rows(since_ms, only=judged)):
            return wrong
        self.asked.clear()
        self.count += len(self.taken) + between * len(hold.period())
        self.taken = [str(hold)]
        begun_ms = self.calling.now_ms
        for row, output in self.controller.hold(hold, since_ms=begun_ms, count=between):
            if wrong := self._wrong(row, output, self.expected[str(row[0])]):
                return wrong
        self.skipped_ms += between * hold.every_ms
        self.calling.now_ms += between * hold.every_ms
        return self._take(hold.rows(since_ms, skip=judged + between))

    def _wrong(self, row: Row, output: object, due: Any) -> str:  # noqa: ANN401
        """Return what is not as it should be."""
        told = ", ".join(
            f"{name} is {getattr(output, name)} at {row[1]} ms; it has to be {value}"
            for name, value in due._asdict().items()
            if value is not None and getattr(output, name) != value
        )
        count = self.count + len(self.taken)
        return told and f"{told} (step {count}, the last of\n{_shown(self.taken)})"


def _shortest(
    controller: Controller, make_oracle: Callable[[], Oracle], rows: Sequence[Row]
) -> str:
    """Return the difference at the end of the fewest last steps that have one.

    They are tried from a fresh start, soon after it and when they were.
    """
    for last in _ends(rows):
        sooner_ms = max(0, int(last[0][1]) - _SOON_MS)
        for story in ([moved(row, -sooner_ms) for row in last], last):
            controller.restart()
            if wrong := difference(controller, make_oracle(), story):
                return wrong
    return ""


def _ends(rows: Sequence[Row]) -> Iterator[Sequence[Row]]:
    count = 1
    while count < len(rows):
        yield rows[-count:]
        count = count + 1 if count < _ONE_BY_ONE else 2 * count


def _shown(taken: Sequence[Row | str]) -> str:
    """Return the last steps, those without a line that follow each other in one."""
    told: list[list[str]] = []
    was_idle = False
    for row in taken[-_LOOKED_AT_STEPS:]:
        is_idle = row[0] == IDLE
        if is_idle and was_idle:
            told[-1][1:] = [f"to {row[1]} ms"]
        else:
            told.append([row if isinstance(row, str) else " ".join(map(str, row))])
        was_idle = is_idle
    return "\n".join("  " + " ".join(words) for words in told[-_SHOWN_STEPS:])
