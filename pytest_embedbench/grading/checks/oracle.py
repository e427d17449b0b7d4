"""The brief as a program: an oracle per task, and a walk through all that can happen.

A task's ``hidden/oracle.py`` has a class ``Oracle``. It says of every step what the
brief asks for, as a named tuple: the task's actuators, ``changed`` and ``state``;
``None`` where the brief leaves it free.
"""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any, Protocol, cast

from pytest_embedbench.errors import ConfigError
from pytest_embedbench.grading.brief import load_brief
from pytest_embedbench.grading.host.calling import IDLE
from pytest_embedbench.support.modules import load_name

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from pytest_embedbench.grading.host.controller import Row
    from pytest_embedbench.grading.task import ControllerApi, Suite

    Part = Sequence[Row]
    """Steps as input kind, time since the step before in ms, then the values."""

ORACLE_FILE = "hidden/oracle.py"
_SPREAD = 2_654_435_761
"""2^32 over the golden ratio: multiples of it, modulo 2^32, lie evenly."""
_PUBLISHED = "Published"
_START_MS = 100
"""No board takes up a line at once."""


class Oracle(Protocol):
    """What a task's brief asks for, after ``controller_init``."""

    def step(self, kind: str, values: Mapping[str, int], now_ms: int) -> Any:  # noqa: ANN401  # fields as the task has them
        """Take one step and return what the brief asks for, as a named tuple."""
        ...


def due_of(oracle: Oracle, api: ControllerApi | None, row: Row) -> Any:  # noqa: ANN401  # as above
    """Return what an oracle makes of a step that is told as a row."""
    kind, now_ms, *values = row
    given: Any = dict(zip(api.values if api else (), values, strict=False))
    return oracle.step(str(kind), given, int(now_ms))


def load_oracle(suite: Suite, *, published: bool = False) -> Callable[[], Oracle]:
    """Return a task's ``Oracle``, each call of which makes one anew.

    Args:
        suite: Whose it is.
        published: Whether it is to leave free what only sentences of ours say: class
            ``Published`` of the same file.

    Raises:
        ConfigError: the task has none.
    """
    name = _PUBLISHED if published and _has_published(suite) else "Oracle"
    return cast("Callable[[], Oracle]", load_name(suite.root / ORACLE_FILE, name))


def _has_published(suite: Suite) -> bool:
    """Say whether a task's oracle knows what the published brief leaves free.

    Raises:
        ConfigError: it does not, but some sentences are not of that brief.
    """
    file = suite.root / ORACLE_FILE
    if file.is_file() and f"class {_PUBLISHED}" in file.read_text(encoding="utf-8"):
        return True
    if ours := load_brief(suite.root / suite.task.brief).ours:
        raise ConfigError(
            f"{file}: paper-strict needs a class {_PUBLISHED}, for which "
            f"{', '.join(sorted(ours))} of {suite.task.brief} do not count"
        )
    return False


def walk(parts: Iterable[Part], *, in_a_row: int, sampled: int = 1) -> Iterator[Row]:
    """Yield one long history in which any ``in_a_row`` parts follow each other.

    As in the firmware, a step without a line comes before each line that lets time
    pass: who takes a line may rely on that.

    With ``sampled``, one in so many of these is in it, spread evenly over all.
    """
    now_ms = _START_MS
    for number, story in enumerate(product(parts, repeat=in_a_row)):
        if number * _SPREAD % (1 << 32) * sampled >= 1 << 32:
            continue
        for part in story:
            for kind, after_ms, *values in part:
                now_ms += int(after_ms)
                if after_ms or kind == IDLE:
                    yield (IDLE, now_ms)
                if kind != IDLE:
                    yield (kind, now_ms, *values)
