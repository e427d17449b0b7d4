"""Build for boards while the host stage runs: there are other processors."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from pytest_embedbench.errors import EmbedbenchError
from pytest_embedbench.grading.plugin.stash import CHECK, grading_of
from pytest_embedbench.grading.verdict import Stage
from pytest_embedbench.plugin.stash import session_of

if TYPE_CHECKING:
    import pytest


def begin(session: pytest.Session) -> None:
    """Begin to build what the first check in closed loop on each board will run."""
    first: dict[tuple[str, str], pytest.Item] = {}
    for item in session.items:
        if CHECK in item.stash and item.stash[CHECK].goal is Stage.INTEGRATION:
            check = item.stash[CHECK]
            first.setdefault((str(check.suite.root), check.board), item)
    for (_, board), item in first.items():
        # What is wrong with it the check itself will say.
        with contextlib.suppress(EmbedbenchError, OSError):
            _begin(item, board)


def _begin(item: pytest.Item, board: str) -> None:
    suite = item.stash[CHECK].suite
    known = session_of(item.config)
    spec = known.registry.board(board)
    if known.rig.is_flashed(spec):
        source = grading_of(item.config).source(suite, item, spec)
        source = known.rig.for_board(source, spec)
        known.rig.images.begin(known.rig.builder(source.environment), source)
