"""Checks of the host stage once more, on the CPU of each board: the target stage.

A check that takes ``controller`` or ``protocol`` is collected for the host, and then
for each board with virtual time: there one test goes through all its parameters.
"""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from pytest_embedbench.contracts import KnowsCapabilities
from pytest_embedbench.grading.plugin.options import PAPER, PROFILE
from pytest_embedbench.grading.plugin.profile import BOARD_FIXTURES
from pytest_embedbench.grading.plugin.stash import (
    HOST_FIXTURES,
    SUBMISSION,
    TARGET_BOARD,
)
from pytest_embedbench.grading.plugin.submissions import (
    PARAMETER,
    label_of,
    submission_of,
)
from pytest_embedbench.model import Capability
from pytest_embedbench.plugin.options import setting, settings
from pytest_embedbench.plugin.stash import session_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

HOST_ONLY = "host_only"
_PROVIDED = HOST_FIXTURES | {"oracle", "task"}
"""What each set of parameters gets anew."""
_HOST_CPU = "host"
"""The ``mcu`` of boards whose CPU has been tried in the host stage."""
_LEFT_OUT = ("skip", "skipif", "xfail")
_BOARDS: pytest.StashKey[tuple[str, ...]] = pytest.StashKey()


class ParameterSet(NamedTuple):
    """One of the tests that a check is on the host."""

    name: str
    parameters: Mapping[str, Any]
    call: Callable[..., None]

    @property
    def argument_names(self) -> list[str]:
        """What the test takes by name, but for what it has a default of its own for."""
        taken = inspect.signature(self.call).parameters.values()
        return [each.name for each in taken if each.default is each.empty]


def on_boards(
    collected: Sequence[pytest.Item | pytest.Collector],
) -> Iterator[pytest.Function]:
    """Yield a test for each board of what is one check on the host, if it is one.

    Raises:
        pytest.Collector.CollectError: its parameters go through fixtures.
    """
    made = [item for item in collected if isinstance(item, pytest.Function)]
    boards = _boards(made[0].config) if made else ()
    if not boards or not _steps_by_hand(made[0]):
        return
    by_submission: dict[str, list[pytest.Function]] = {}
    for item in made:
        if not any(map(item.get_closest_marker, _LEFT_OUT)):
            by_submission.setdefault(label_of(item), []).append(item)
    for label, items in by_submission.items():
        test = _test(items)
        for board in boards:
            yield _on_board(items[0], test, label, board)


def _on_board(
    first: pytest.Function, test: Callable[..., None], label: str, board: str
) -> pytest.Function:
    ids = "-".join(filter(None, (label, board)))
    from_parent: Callable[..., pytest.Function] = pytest.Function.from_parent  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]  # untyped
    item = from_parent(
        first.parent, name=f"{first.originalname}_on_target[{ids}]", callobj=test
    )
    item.stash[TARGET_BOARD] = board
    if (submission := submission_of(first)) is not None:
        item.stash[SUBMISSION] = submission
    return item


def _steps_by_hand(item: pytest.Function) -> bool:
    return (
        not BOARD_FIXTURES.intersection(item.fixturenames)
        and item.get_closest_marker("brief") is not None
        and item.get_closest_marker(HOST_ONLY) is None
    )


def _set(item: pytest.Function) -> ParameterSet:
    callspec = getattr(item, "callspec", None)
    if callspec is None:
        return ParameterSet("", {}, item.obj)
    arguments = {*inspect.signature(item.obj).parameters, PARAMETER}
    if any(_is_indirect(mark) for mark in item.iter_markers("parametrize")) or any(
        name not in arguments for name in callspec.params
    ):
        raise pytest.Collector.CollectError(
            f"{item.name}: some of its parameters go through fixtures, which a check "
            f"cannot have on a board: mark it {HOST_ONLY}(reason), or let it take them "
            "itself"
        )
    parameters = {k: v for k, v in callspec.params.items() if k != PARAMETER}
    label = label_of(item)
    name = callspec.id.removeprefix(label).removeprefix("-") if label else callspec.id
    return ParameterSet(name, parameters, item.obj)


def _is_indirect(mark: pytest.Mark) -> bool:
    return bool(mark.kwargs.get("indirect") or mark.args[2:3] not in ((), (False,)))


def _test(made: Sequence[pytest.Function]) -> Callable[..., None]:
    """Return a function that runs all sets, marked as they are."""
    sets = [*map(_set, made)]

    def run_on_target(request: pytest.FixtureRequest, **shared: object) -> None:
        __tracebackhide__ = True
        from pytest_embedbench.grading.plugin.target_stage import run_sets  # noqa: PLC0415

        run_sets(request, sets, {"request": request, **shared})

    first = made[0]
    names = [
        name
        for name in ("request", *sets[0].argument_names)
        if name not in _PROVIDED and name not in sets[0].parameters
    ]
    told = vars(run_on_target)
    told["__signature__"] = inspect.Signature(
        [
            inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD)
            for name in dict.fromkeys(names)
        ]
    )
    told["__wrapped__"] = getattr(first.obj, "__func__", first.obj)
    told["pytestmark"] = _marks(made)
    return run_on_target


def _marks(made: Sequence[pytest.Function]) -> list[pytest.Mark]:
    """Return the marks of a check, with the sentences of all its sets in one."""
    sentences = dict.fromkeys(
        name
        for item in made
        for mark in item.own_markers
        if mark.name == "brief"
        for name in mark.args
    )
    others = [
        mark
        for mark in made[0].own_markers
        if mark.name not in ("brief", "parametrize")
    ]
    return [*others, pytest.mark.brief(*sentences).mark] if sentences else others


def _boards(config: pytest.Config) -> tuple[str, ...]:
    """Return the chosen boards whose CPU is one that checks are tried on."""
    if _BOARDS not in config.stash:
        is_paper = setting(config, PROFILE) == PAPER
        names = () if is_paper else settings(config, "board")
        config.stash[_BOARDS] = tuple(name for name in names if _counts(config, name))
    return config.stash[_BOARDS]


def _counts(config: pytest.Config, board: str) -> bool:
    registry = session_of(config).registry
    spec = registry.board(board)
    engine = registry.engine(spec.engine)
    return (
        spec.mcu != _HOST_CPU
        and isinstance(engine, KnowsCapabilities)
        and Capability.VIRTUAL_TIME in engine.capabilities(spec)
    )
