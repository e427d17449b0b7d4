"""The fixture of property-based tests: fresh boards, many of them in one test."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING

import pytest

from pytest_embedbench.plugin.failures import told_plainly
from pytest_embedbench.plugin.stash import session_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pytest_embedbench.contracts import Board
    from pytest_embedbench.model import BoardSpec, FirmwareImage


@pytest.fixture
def fresh_board(
    request: pytest.FixtureRequest,
    board_spec: BoardSpec,
    firmware_image: FirmwareImage,
) -> Iterator[Callable[[], Board]]:
    """A function that boots a board as good as new, and closes the one before it.

    About a millisecond a board where the engine can copy a running one (``native``).
    """
    from pytest_embedbench.contracts import SnapshotEngine  # noqa: PLC0415  # late

    session = session_of(request.config)
    with ExitStack() as opened:
        engine = session.registry.engine(board_spec.engine)
        standby = None
        if isinstance(engine, SnapshotEngine):
            with told_plainly():
                standby = engine.stand_ready(board_spec, firmware_image)
            opened.callback(standby.close)
        boards = opened.enter_context(ExitStack())

        def fresh() -> Board:
            boards.close()
            if standby is not None:
                board = standby.boot()
            else:
                (board,) = session.boot([(board_spec, firmware_image)])
            boards.callback(board.close)
            return board

        yield fresh
