"""The pytest plugin: hooks and fixtures by name, nothing else.

Starting pytest loads no engine, no builder, no plant: all of them come in when a
test first asks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pytest_embedbench.plugin import collect, header, options, report, session
from pytest_embedbench.plugin.fixtures import (
    bench,
    board,
    board_spec,
    boot,
    firmware_image,
    firmware_source,
    make_bench,
    mega_board,
    nano_board,
    native_board,
    plant,
    registry,
    scenario,
    uno_board,
)

if TYPE_CHECKING:
    from collections.abc import Generator

__all__ = [
    "bench",
    "board",
    "board_spec",
    "boot",
    "firmware_image",
    "firmware_source",
    "make_bench",
    "mega_board",
    "nano_board",
    "native_board",
    "plant",
    "registry",
    "scenario",
    "uno_board",
]


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add ``--board`` and ``--embedbench-*``, their ini keys and environment."""
    options.add_options(parser)


def pytest_configure(config: pytest.Config) -> None:
    """Declare the markers and check the options."""
    for marker in options.MARKERS:
        config.addinivalue_line("markers", marker)
    session.start(config)


def pytest_report_header(config: pytest.Config) -> list[str]:
    """Say what boards will run, built by what, and where the files go."""
    return header.lines(config.stash[session.SESSION])


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run a test that uses the ``board`` fixture once per ``--board``."""
    collect.parametrize_by_board(metafunc)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(
    config: pytest.Config, items: list[pytest.Item]
) -> None:
    """Refuse to run board tests without a board."""
    collect.check_boards_chosen(config, items)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Say whose fault a failure is, and put the conversation under it."""
    report.hide_our_frames(item, call)
    made = yield
    report.complete(item, call, made)
    return made


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    """Say where the artifacts are and whose faults the failures were."""
    report.summarise(terminalreporter, config.stash[session.SESSION])


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: session.WorkerNode) -> None:
    """Share the run's name with an xdist worker (a hook of xdist)."""
    session.tell_worker(node)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_node_collection_finished(
    node: session.WorkerNode, ids: list[str]
) -> None:
    """Refuse board tests without a board on behalf of a worker (a hook of xdist)."""
    collect.check_worker_boards_chosen(node.config, ids)
