"""Real boards, by a name of the lab file or simply by a port, and their consoles."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING

import pytest

from pytest_embedbench.plugin.stash import rig_for

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pytest_embedbench.contracts import BoardUnderTest, TargetConsole
    from pytest_embedbench.model import FirmwareImage, FirmwareSource

ANY_BOARD = "any-serial"
ANY_TARGET = "raspberry-pi"


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
            baud_bps: int | None = None,
        ) -> list[BoardUnderTest]:
            rig = rig_for(request)
            specs = [
                rig.spec(place, board=board, baud_bps=baud_bps) for place in places
            ]
            wanted = [
                (spec, image or rig.image_if_flashed(spec, source)) for spec in specs
            ]
            return list(rig.boot_together(opened, wanted))

        yield take


@pytest.fixture
def real_board(
    real_boards: Callable[..., list[BoardUnderTest]],
) -> Callable[..., BoardUnderTest]:
    """A function from a port, or a name in the lab file, to the real board there.

    ``real_board("/dev/ttyUSB0", board="esp32-devkit")`` builds the suite's firmware,
    flashes it and starts it. Any pyserial URL is a port. Without ``board`` it is
    whatever is there, running what is on it. An ``image=`` or a ``source=`` takes the
    place of the suite's firmware. It speaks at ``baud_bps``; else as the lab file says,
    else as ``monitor_speed`` of what was built for it, else as its datasheet.
    """

    def take(
        place: str,
        *,
        board: str = ANY_BOARD,
        source: FirmwareSource | None = None,
        image: FirmwareImage | None = None,
        baud_bps: int | None = None,
    ) -> BoardUnderTest:
        return real_boards(
            place, board=board, source=source, image=image, baud_bps=baud_bps
        )[0]

    return take


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
