"""What an engine has promised."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

from pytest_embedbench.contracts import (
    ChecksBoards,
    Engine,
    KnowsCapabilities,
    SnapshotEngine,
    VersionsByOptions,
    capabilities_of,
)
from pytest_embedbench.testing.check_board import STEP_MS, check_board, is_exact
from pytest_embedbench.testing.insist import insist, insist_on_all

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_embedbench.contracts import Board
    from pytest_embedbench.model import BoardSpec, Chunk, FirmwareImage

CHECKED_MS = 300


def check_engine(engine: Engine, spec: BoardSpec, image: FirmwareImage) -> None:
    """Insist on the promises of ``Engine``, of its boards, and of what else it has.

    ``image`` has to run for 300 ms without a fault; it is booted more than once.

    Raises:
        ContractViolation: naming the promise that was broken.
    """
    insist_on_all(engine, Engine)
    missing = engine.missing()
    insist(missing is None, f"{missing}")
    insist(engine.version().strip(), "version() must name the engine")
    if isinstance(engine, VersionsByOptions):
        insist(
            engine.version_for(spec).startswith(engine.version()),
            "version_for() must begin with what version() returns",
        )
    if isinstance(engine, ChecksBoards):
        engine.check(spec)

    def boot() -> Board:
        return engine.boot(spec, image)

    exact = _check_boots(engine, spec, boot)
    lines = _check_steps_do_not_matter(boot) if exact else []
    if isinstance(engine, SnapshotEngine):
        with closing(engine.stand_ready(spec, image)) as snapshot:
            _check_boots(engine, spec, snapshot.boot)
            if exact:
                copied = _check_steps_do_not_matter(snapshot.boot)
                insist(copied == lines, "a copy differs from a board that was booted")


def _check_boots(engine: Engine, spec: BoardSpec, boot: Callable[[], Board]) -> bool:
    """Check a board, and say whether its time is exact."""
    board = boot()
    insist(board.spec == spec, "spec must be what the board was booted from")
    able, exact = capabilities_of(board), is_exact(board)
    check_board(board)
    if isinstance(engine, KnowsCapabilities):
        unforeseen = [each.value for each in able - engine.capabilities(spec)]
        insist(not unforeseen, f"capabilities() does not know of {unforeseen}")
    return exact


def _check_steps_do_not_matter(boot: Callable[[], Board]) -> list[tuple[int, bytes]]:
    def lines(step_ms: int) -> list[tuple[int, bytes]]:
        with closing(boot()) as board:
            chunks: list[Chunk] = []
            for _ in range(CHECKED_MS // step_ms):
                board.advance(step_ms)
                chunks += board.link().receive()
        return _whole_lines(chunks)

    whole, halves, small = lines(CHECKED_MS), lines(CHECKED_MS // 2), lines(STEP_MS)
    insist(whole == lines(CHECKED_MS), "two equal runs differ")
    same = whole == halves == small
    insist(same, "stamps depend on how time is cut into steps")
    return whole


def _whole_lines(chunks: list[Chunk]) -> list[tuple[int, bytes]]:
    lines: list[tuple[int, bytes]] = []
    pending = b""
    for chunk in chunks:
        pending += chunk.data
        if pending.endswith(b"\n"):
            lines.append((chunk.at_us, pending))
            pending = b""
    return lines
