"""Consoles of Linux targets, without a program of ours on them."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING

import pytest

from pytest_embedbench.plugin.failures import told_plainly
from pytest_embedbench.plugin.making import session_for
from pytest_embedbench.plugin.real import spec_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pytest_embedbench.contracts import HasConsoles, HeldConsole, TargetConsole
    from pytest_embedbench.model import BoardSpec

ANY_TARGET = "raspberry-pi"


@pytest.fixture
def console(request: pytest.FixtureRequest) -> Iterator[Callable[..., TargetConsole]]:
    """A function from a Linux target to a shell on it, logged in.

    ``console("pi-1").run("uname -a").text`` takes the target of a lab file, as
    ``real_board`` does; any ``ssh://user@host``, port or pyserial URL will do, too.
    A board that runs a program has its own: ``board.console``.
    """
    with ExitStack() as opened:
        from pytest_embedbench.contracts import HasConsoles  # noqa: PLC0415  # late

        def log_in(place: str, *, board: str = ANY_TARGET) -> TargetConsole:
            session = session_for(request)
            with told_plainly():
                spec = spec_of(request, place, board)
                engine = session.registry.engine(spec.engine)
                if not isinstance(engine, HasConsoles):
                    raise pytest.UsageError(
                        f"{place} is a {spec.name}, which runs on {spec.engine} and "
                        "has no console"
                    )
                held = _held(engine, spec)
            opened.callback(held.close)
            return held.console

        yield log_in


def _held(engine: HasConsoles, spec: BoardSpec) -> HeldConsole:
    from pytest_embedbench.errors import BoardGivenUp  # noqa: PLC0415  # late

    try:
        return engine.open_console(spec)
    except BoardGivenUp as lost:
        pytest.skip(f"lost earlier in this run: {lost}")
