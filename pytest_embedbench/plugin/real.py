"""Real boards: by the name of a lab's board, label or pool, or simply by a port."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from pytest_embedbench.plugin.failures import told_plainly
from pytest_embedbench.plugin.making import (
    boot_all_for,
    image_for,
    log_of,
    session_for,
    source_for,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pytest_embedbench.contracts import BoardUnderTest
    from pytest_embedbench.model import BoardSpec, FirmwareImage, FirmwareSource

ANY_BOARD = "any-serial"


@pytest.fixture
def real_boards(
    request: pytest.FixtureRequest,
) -> Iterator[Callable[..., list[BoardUnderTest]]]:
    """A function from ports or lab names to real boards, all taken before any starts.

    ``left, right = real_boards("esp32", "esp32")`` waits until two are free at once,
    so two tests that want the same boards cannot block each other. Arguments are
    those of ``real_board``.
    """
    with ExitStack() as opened:

        def take(
            *places: str,
            board: str = ANY_BOARD,
            source: FirmwareSource | None = None,
            image: FirmwareImage | None = None,
        ) -> list[BoardUnderTest]:
            specs = [spec_of(request, place, board) for place in places]
            wanted = [(spec, image or _image(request, spec, source)) for spec in specs]
            return boot_all_for(request, wanted, opened)

        yield take


@pytest.fixture
def real_board(
    real_boards: Callable[..., list[BoardUnderTest]],
) -> Callable[..., BoardUnderTest]:
    """A function from a port, or a name in the lab file, to the real board there.

    ``real_board("/dev/ttyUSB0", board="esp32-devkit")`` builds the suite's firmware,
    flashes it and starts it. Any pyserial URL is a port. Without ``board`` it is
    whatever is there, running what is on it. An ``image=`` or a ``source=`` takes the
    place of the suite's firmware.
    """

    def take(
        place: str,
        *,
        board: str = ANY_BOARD,
        source: FirmwareSource | None = None,
        image: FirmwareImage | None = None,
    ) -> BoardUnderTest:
        return real_boards(place, board=board, source=source, image=image)[0]

    return take


def spec_of(request: pytest.FixtureRequest, place: str, board: str) -> BoardSpec:
    """Return what a place is: a lab file's name, or a port with ``board`` on it."""
    registry = session_for(request).registry
    with told_plainly():
        if place in registry.lab_names():
            return registry.board(place)
        spec = registry.board(board)
        return replace(spec, options={**spec.options, "port": place})


def _image(
    request: pytest.FixtureRequest, spec: BoardSpec, source: FirmwareSource | None
) -> FirmwareImage:
    """Build what the board is flashed with, if it is."""
    from pytest_embedbench.contracts import SharedEngine  # noqa: PLC0415  # late
    from pytest_embedbench.model import NO_IMAGE  # noqa: PLC0415  # late

    with told_plainly():
        engine = session_for(request).registry.engine(spec.engine)
        flashed = not isinstance(engine, SharedEngine) or engine.needs_image(spec)
    if flashed:
        return image_for(request, spec, source or source_for(request, spec))
    log_of(request).board = spec.name
    return NO_IMAGE
