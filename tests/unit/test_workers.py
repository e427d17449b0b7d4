"""Which workers are on this machine."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, cast

import pytest

from pytest_embedbench.plugin.workers import is_away, sends_tests_away

if TYPE_CHECKING:
    from collections.abc import Sequence


def config(specs: Sequence[str] | None, **told: str) -> pytest.Config:
    """Return as much of a configuration as is looked at."""
    option = SimpleNamespace(tx=specs)
    return cast("pytest.Config", SimpleNamespace(option=option, workerinput=told))


@pytest.mark.parametrize(
    ("specs", "away"),
    [
        (None, False),
        (["popen"], False),
        (["2*popen", "popen//python=python3.13"], False),
        (["ssh=desk7"], True),
        (["3*ssh=desk7//python=/opt/popen/bin/python"], True),
        (["popen", "socket=desk7:8888"], True),
    ],
)
def test_a_controller_knows_whether_boards_are_elsewhere(
    specs: Sequence[str] | None, *, away: bool
) -> None:
    assert sends_tests_away(config(specs)) is away


def test_a_worker_sends_nothing_away_and_knows_where_it_is() -> None:
    # It is given the whole command line of its controller.
    worker = config(["ssh=desk7"], embedbench_away="yes")
    assert not sends_tests_away(worker)
    assert is_away(worker)
    assert not is_away(config(None, workerid="gw0"))
