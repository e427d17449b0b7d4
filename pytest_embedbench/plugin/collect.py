"""Which boards a test runs on."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from pytest_embedbench.plugin.options import settings
from pytest_embedbench.plugin.stash import NO_BOARD, session_of

if TYPE_CHECKING:
    from collections.abc import Iterable

_PARAMETER = "board_spec"
_NO_BOARD_ID = "no-board"


def parametrize_by_board(metafunc: pytest.Metafunc) -> None:
    """Make one test per chosen board, unless the test names its boards itself."""
    if _PARAMETER not in metafunc.fixturenames or _names_its_boards(metafunc):
        return
    names = settings(metafunc.config, "board")
    metafunc.parametrize(
        _PARAMETER,
        names or [NO_BOARD],
        ids=None if names else [_NO_BOARD_ID],
        indirect=True,
    )


def check_boards_chosen(config: pytest.Config, items: Iterable[pytest.Item]) -> None:
    """Raise ``UsageError`` if a selected test needs a board and none is chosen.

    Only looking (``--collect-only``, ``--fixtures``) is free. A worker cannot end a
    session with a usage error: the controller does it for it, below.
    """
    option = config.option
    if option.collectonly or option.showfixtures or option.show_fixtures_per_test:
        return
    if hasattr(config, "workerinput"):
        return
    if any(_without_board(item) for item in items):
        raise pytest.UsageError(session_of(config).no_board_message())


def check_worker_boards_chosen(config: pytest.Config, ids: Iterable[str]) -> None:
    """Raise ``UsageError`` if a worker has selected a test that lacks a board."""
    if any(re.search(rf"[\[-]{_NO_BOARD_ID}[\]-]", name) for name in ids):
        raise pytest.UsageError(session_of(config).no_board_message())


def _names_its_boards(metafunc: pytest.Metafunc) -> bool:
    return any(
        _PARAMETER in str(marker.args[0]) if marker.args else False
        for marker in metafunc.definition.iter_markers("parametrize")
    )


def _without_board(item: pytest.Item) -> bool:
    callspec = getattr(item, "callspec", None)
    return callspec is not None and callspec.params.get(_PARAMETER) == NO_BOARD
