"""A product on the hooks of the bench: which rules a test has made fire."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import pytest

from acme_bench.builder import SOURCE
from acme_bench.engine import RuleBoard
from pytest_embedbench import Blame, FirmwareSource, Setting, add_settings, setting

if TYPE_CHECKING:
    from collections.abc import Callable

    from acme_bench.rules import Rule
    from pytest_embedbench import Board, BoardSpec

BOARDS = pytest.StashKey[list[RuleBoard]]()
FIRED = Setting(
    name="acme_fired",  # ini: embedbench_acme_fired, env: EMBEDBENCH_ACME_FIRED
    flag="--acme-fired",
    metavar="HOW",
    help="How test.json says which rules fired: names or count",
    default="names",
    choices=("names", "count"),
)


class RuleNeverFired(Exception):
    """A test has not exercised all of the firmware."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add ``--acme-fired``, its ini key and environment."""
    add_settings(parser, (FIRED,))


@pytest.hookimpl(optionalhook=True)
def pytest_embedbench_firmware_source(
    item: pytest.Item, spec: BoardSpec
) -> FirmwareSource | None:
    """Build the rules beside the test, if there are any and its board runs such."""
    if spec.engine != "acme" or not (item.path.parent / SOURCE).is_file():
        return None
    return FirmwareSource(project_dir=item.path.parent)


@pytest.hookimpl(optionalhook=True)
def pytest_embedbench_boot_line(item: pytest.Item) -> str | None:
    """Say how a firmware of rules reports that it is up."""
    return "DBG BOOTED" if BOARDS in item.stash else None


@pytest.hookimpl(optionalhook=True)
def pytest_embedbench_booted(item: pytest.Item, board: Board) -> None:
    """Remember the boards that can tell what fired."""
    if isinstance(board, RuleBoard):
        item.stash.setdefault(BOARDS, []).append(board)


@pytest.hookimpl(optionalhook=True)
def pytest_embedbench_blame(error: BaseException) -> Blame | None:
    """A rule that never fired says nothing against the firmware."""
    if not isinstance(error, RuleNeverFired):
        return None
    return Blame("test", "rules that no test exercised")


@pytest.hookimpl(optionalhook=True)
def pytest_embedbench_test_record(item: pytest.Item, record: dict[str, Any]) -> None:
    """Put into ``test.json`` which rules fired."""
    if BOARDS in item.stash:
        names = [str(rule) for rule in _fired(item)]
        counted = setting(item.config, FIRED) == "count"
        record["acme_fired"] = len(names) if counted else names


@pytest.fixture
def check_every_rule_fired(request: pytest.FixtureRequest) -> Callable[[], None]:
    """A function that raises ``RuleNeverFired`` unless each rule has."""

    item = cast("pytest.Item", request.node)  # pytest leaves it without a type

    def check() -> None:
        every = [rule for board in _boards(item) for rule in board.program.rules]
        if idle := sorted({str(rule) for rule in every if rule not in _fired(item)}):
            raise RuleNeverFired(f"never fired: {'; '.join(idle)}")

    return check


def _boards(item: pytest.Item) -> list[RuleBoard]:
    return item.stash.get(BOARDS, list[RuleBoard]())


def _fired(item: pytest.Item) -> list[Rule]:
    return [rule for board in _boards(item) for rule in board.fired]
