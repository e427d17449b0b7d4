"""The brief as a program: an oracle per task, and how a controller differs from it.

A task's ``hidden/oracle.py`` has a class ``Oracle``. It says of every step what the
brief asks for, as a named tuple: the task's actuators, ``changed`` and ``state``;
``None`` where the brief leaves it free.
"""

from __future__ import annotations

from collections import deque
from itertools import islice, product
from typing import TYPE_CHECKING, Any, Protocol, cast

from pytest_embedbench.errors import WrongOutput
from pytest_embedbench.grading.host.controller import IDLE
from pytest_embedbench.support.modules import load_name

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from pytest_embedbench.grading.host.controller import Controller, Row
    from pytest_embedbench.grading.task import Suite

    Part = Sequence[Row]
    """Steps as input kind, time since the step before in ms, then the values."""

ORACLE_FILE = "hidden/oracle.py"
_SHOWN_STEPS = 12
_STEPS_AT_A_TIME = 512
_START_MS = 100
"""No board takes up a line at once."""


class Oracle(Protocol):
    """What a task's brief asks for, after ``controller_init``."""

    def step(self, kind: str, values: Mapping[str, int], now_ms: int) -> Any:  # noqa: ANN401  # fields as the task has them
        """Take one step and return what the brief asks for, as a named tuple."""
        ...


def load_oracle(suite: Suite) -> Callable[[], Oracle]:
    """Return a task's ``Oracle``, each call of which makes one anew.

    Raises:
        ConfigError: the task has none.
    """
    return cast("Callable[[], Oracle]", load_name(suite.root / ORACLE_FILE, "Oracle"))


def walk(parts: Iterable[Part], *, in_a_row: int) -> Iterator[Row]:
    """Yield one long history in which any ``in_a_row`` parts follow each other.

    As in the firmware, a step without a line comes before each line that lets time
    pass: who takes a line may rely on that.
    """
    now_ms = _START_MS
    for story in product(parts, repeat=in_a_row):
        for part in story:
            for kind, after_ms, *values in part:
                now_ms += int(after_ms)
                if after_ms or kind == IDLE:
                    yield (IDLE, now_ms)
                if kind != IDLE:
                    yield (kind, now_ms, *values)


def check_histories(
    controller: Controller,
    make_oracle: Callable[[], Oracle],
    histories: Iterable[Iterable[Row]],
) -> None:
    """Insist that a controller goes through histories as the oracle has it.

    Each begins with ``controller_init`` on whatever the one before has left.

    Raises:
        WrongOutput: a step is not as it should be; the last ones before it are told.
        FirmwareFault: as ``difference``.
    """
    for history in histories:
        controller.init()
        if wrong := difference(controller, make_oracle(), history):
            raise WrongOutput(f"controller_step: {wrong}")


def difference(controller: Controller, oracle: Oracle, rows: Iterable[Row]) -> str:
    """Return the first step that is not as the oracle has it, told; ``""`` for none.

    Raises:
        FirmwareCrash: the controller crashed, or did what C does not define.
        FirmwareSpin: it did not come back.
    """
    names = controller.api.values
    shown: deque[Row] = deque(maxlen=_SHOWN_STEPS)
    remaining, count = iter(rows), 0
    while steps := list(islice(remaining, _STEPS_AT_A_TIME)):
        for row, output in zip(steps, controller.run(steps), strict=True):
            kind, now_ms, *values = row
            expected = oracle.step(
                str(kind), dict(zip(names, map(int, values), strict=False)), int(now_ms)
            )
            shown.append(row)
            count += 1
            if wrong := _wrong(output, expected):
                told = "\n".join(f"  {' '.join(map(str, each))}" for each in shown)
                return f"{wrong} after step {count}, the last of\n{told}"
    return ""


def _wrong(output: Any, expected: Any) -> str:  # noqa: ANN401
    """Return what is not as it should be."""
    return ", ".join(
        f"{name} is {getattr(output, name)} and should be {value}"
        for name, value in expected._asdict().items()
        if value is not None and getattr(output, name) != value
    )
