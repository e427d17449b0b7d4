"""Events of the bench, for products and for plugins of other people.

Implement what you want to hear of in a plugin or a ``conftest.py``, under its name and
with those of its arguments that you need. The bench itself answers last where the first
answer counts, so any plugin comes before it. In a plugin that must also start without
the bench mark them ``@pytest.hookimpl(optionalhook=True)``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_embedbench.contracts import Board
    from pytest_embedbench.model import Blame, BoardSpec, FirmwareImage, FirmwareSource


@pytest.hookspec(firstresult=True)
def pytest_embedbench_firmware_source(
    item: pytest.Item, spec: BoardSpec
) -> FirmwareSource | None:
    """Say what is built for a test on a board; the first answer counts.

    Asked by the fixture ``firmware_source`` and by whatever boots a board by name,
    before anything is built. The bench takes the nearest project above the test, or the
    one that ``--embedbench-firmware`` names.

    Args:
        item: The test.
        spec: The datasheet of the board. An answer without an ``environment`` is built
            in the first one of the project that this board can run.

    Raises:
        EmbedbenchError: The test fails with its sentence. ``SubmissionRefused`` says
            that what was handed in is at fault, ``ConfigError`` that the call was.
    """


@pytest.hookspec
def pytest_embedbench_booted(
    item: pytest.Item, board: Board, image: FirmwareImage
) -> None:
    """Hear of a board that runs, for each that a test boots, before the test has it.

    Args:
        item: The test.
        board: The board; its firmware is at its beginning. Closing it is not yours.
        image: What it runs; ``NO_IMAGE`` for a board that runs what is on it.
    """


@pytest.hookspec(firstresult=True)
def pytest_embedbench_boot_line(item: pytest.Item) -> str | None:
    """Say what the firmware of a test says when it is up; the first answer counts.

    Asked when a bench is made. Without an answer ``bench.wait_for_boot()`` takes any
    line.
    """


@pytest.hookspec(firstresult=True)
def pytest_embedbench_plant(item: pytest.Item) -> str | None:
    """Name the plant that ``plant()`` without a name is; the first answer counts."""


@pytest.hookspec(firstresult=True)
def pytest_embedbench_diagram(item: pytest.Item, spec: BoardSpec) -> Path | None:
    """Say in which circuit the boards of a test stand; the first answer counts.

    Asked before a board is booted. Without an answer the board stands alone; with one
    the test needs a board that has the capability ``circuit``.

    Args:
        item: The test.
        spec: The datasheet of the board.

    Returns:
        Its ``diagram.json``.
    """


@pytest.hookspec(firstresult=True)
def pytest_embedbench_blame(
    item: pytest.Item,
    error: BaseException,
    ran: bool,  # noqa: FBT001  # hooks are called by keyword
) -> Blame | None:
    """Say whose fault an error is; the first answer counts.

    Asked for the error that ended a phase of a test which used anything of the bench,
    then for what that came from, and so on, until there is an answer. The bench blames
    ``firmware``, ``build`` or ``bench`` by the class of an error of its own, and the
    firmware for a plain ``assert`` if it had run; without any answer it is the test.

    Args:
        item: The test.
        error: One error of the chain.
        ran: Whether code under test had been running.
    """


@pytest.hookspec
def pytest_embedbench_test_record(item: pytest.Item, record: dict[str, Any]) -> None:
    """Add to the record of a test, just before it is written as ``test.json``.

    Called after the teardown of each attempt that had something to run.

    Args:
        item: The test.
        record: What the bench has put there; add fields under names of your own, with
            values for JSON.
    """
