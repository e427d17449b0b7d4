"""What every fixture that makes something does: build, boot, keep a record."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, cast

import pytest

from pytest_embedbench.plugin.failures import told_plainly
from pytest_embedbench.plugin.stash import TESTLOG, session_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from contextlib import ExitStack

    from pytest_embedbench.contracts import BoardUnderTest
    from pytest_embedbench.model import (
        BoardSpec,
        Capability,
        FirmwareImage,
        FirmwareSource,
    )
    from pytest_embedbench.plugin.session import Session
    from pytest_embedbench.plugin.testlog import TestLog


def session_for(request: pytest.FixtureRequest) -> Session:
    """Return what this process knows."""
    return session_of(request.config)


def node_of(request: pytest.FixtureRequest) -> pytest.Item:
    """Return the test that asks; only function-scoped fixtures may."""
    return cast("pytest.Item", request.node)


def log_of(request: pytest.FixtureRequest) -> TestLog:
    """Return the record of this attempt; a rerun starts a new one."""
    from pytest_embedbench.plugin.testlog import TestLog  # noqa: PLC0415  # late

    node = node_of(request)
    if TESTLOG not in node.stash:
        node.stash[TESTLOG] = TestLog(
            nodeid=node.nodeid,
            run_dir=session_for(request).run_dir,
            attempt=getattr(node, "execution_count", 1),
        )
    return node.stash[TESTLOG]


def source_for(request: pytest.FixtureRequest, spec: BoardSpec) -> FirmwareSource:
    """Return what the options say is built for a board in this test's suite."""
    log_of(request)  # whose fault it is if this fails is for the report
    with told_plainly():
        return session_for(request).source(node_of(request), spec)


def image_for(
    request: pytest.FixtureRequest, spec: BoardSpec, source: FirmwareSource
) -> FirmwareImage:
    """Return the built source, and note in the record what it is."""
    log = log_of(request)
    log.board = spec.name
    log.environment = source.environment
    with told_plainly():
        log.image = session_for(request).image(source, spec)
    return log.image


def boot_for(
    request: pytest.FixtureRequest,
    spec: BoardSpec,
    image: FirmwareImage,
    opened: ExitStack,
) -> BoardUnderTest:
    """Return a running board that ``opened`` will close."""
    return boot_all_for(request, [(spec, image)], opened)[0]


def boot_all_for(
    request: pytest.FixtureRequest,
    wanted: Sequence[tuple[BoardSpec, FirmwareImage]],
    opened: ExitStack,
) -> list[BoardUnderTest]:
    """Return running boards of one engine, all of them taken before any is touched."""
    from pytest_embedbench.bench.under_test import under_test  # noqa: PLC0415  # late

    log = log_of(request)
    wanted = [(_erased(request, spec), image) for spec, image in wanted]
    session = session_for(request)
    for spec, _ in wanted:
        with told_plainly():
            foreseen = session.foreseen(spec)
        if foreseen is not None:
            _skip_unless_able(request, spec, foreseen)
    with told_plainly():
        boards = [under_test(board) for board in session.boot(wanted)]
    for board, (_, image) in zip(boards, wanted, strict=True):
        opened.callback(board.close)
        log.note_board(board, image)
    for board in boards:
        _skip_unless_able(request, board.spec, board.capabilities)
    node = node_of(request)
    for board, (_, image) in zip(boards, wanted, strict=True):
        node.ihook.pytest_embedbench_booted(item=node, board=board, image=image)
    return boards


def _erased(request: pytest.FixtureRequest, spec: BoardSpec) -> BoardSpec:
    """Have a board that is flashed wiped first, if the test says so.

    Others start empty for every test.
    """
    marker = node_of(request).get_closest_marker("erase")
    if marker is None or not {"flash_method", "lab"} & spec.options.keys():
        return spec
    return replace(spec, options={**spec.options, "erase": marker.args[0]})


def _skip_unless_able(
    request: pytest.FixtureRequest, spec: BoardSpec, able: Iterable[Capability]
) -> None:
    from pytest_embedbench.model import Capability  # noqa: PLC0415  # late

    has = {capability.value for capability in able}
    known = sorted(capability.value for capability in Capability)
    for marker in node_of(request).iter_markers("needs"):
        if unknown := set(marker.args) - set(known):
            listed = f"{', '.join(map(repr, unknown))}; known: {', '.join(known)}"
            pytest.fail(f"needs(): no such capability: {listed}", pytrace=False)
        if lacking := set(marker.args) - has:
            pytest.skip(f"{spec.name} lacks {', '.join(sorted(lacking))}")
