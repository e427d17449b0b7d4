"""Consoles of Linux targets, without a program of ours on them."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING

import pytest

from pytest_embedbench.plugin.stash import rig_for

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pytest_embedbench.contracts import TargetConsole

ANY_TARGET = "raspberry-pi"


@pytest.fixture
def console(request: pytest.FixtureRequest) -> Iterator[Callable[..., TargetConsole]]:
    """A function from a Linux target to a shell on it, logged in.

    ``console("pi-1").run("uname -a").text`` takes the target of a lab file, as
    ``real_board`` does; any ``ssh://user@host``, port or pyserial URL will do, too.
    A board that runs a program has its own: ``board.console``.
    """
    with ExitStack() as opened:

        def log_in(place: str, *, board: str = ANY_TARGET) -> TargetConsole:
            return rig_for(request).console(opened, place, board)

        yield log_in
