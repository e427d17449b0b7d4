"""The fixture of property-based tests: fresh boards, many of them in one test."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING

import pytest

from pytest_embedbench.plugin.stash import rig_for

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pytest_embedbench.contracts import BoardUnderTest
    from pytest_embedbench.model import BoardSpec, FirmwareImage


@pytest.fixture
def fresh_board(
    request: pytest.FixtureRequest,
    board_spec: BoardSpec,
    firmware_image: FirmwareImage,
) -> Iterator[Callable[[], BoardUnderTest]]:
    """A function that boots a board as good as new, and closes the one before it.

    About a millisecond a board where the engine can copy a running one (``native``).
    """
    with ExitStack() as opened:
        yield rig_for(request).boot_often(opened, board_spec, firmware_image)
