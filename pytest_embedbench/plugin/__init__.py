"""The pytest plugin: hooks and fixtures by name, nothing else.

Starting pytest loads no engine, no builder, no plant: all of them come in when a
test first asks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import pytest_embedbench.hookspecs as events
from pytest_embedbench.plugin import live, options
from pytest_embedbench.plugin.fixtures import (
    bench,
    board,
    board_spec,
    boot,
    fault_seed,
    firmware_image,
    firmware_source,
    fresh_board,
    make_bench,
    mega_board,
    nano_board,
    native_board,
    plant,
    qemu_esp32,
    scenario,
    uno_board,
)
from pytest_embedbench.plugin.real import console, real_board, real_boards
from pytest_embedbench.plugin.stash import (
    SHIPPED,
    in_use,
    on_a_board,
    session_of,
)

if TYPE_CHECKING:
    from collections.abc import Generator

    from pytest_embedbench.model import Blame, BoardSpec, FirmwareSource

    Report = pytest.CollectReport | pytest.TestReport | None

    from pytest_embedbench.plugin.workers import WorkerNode

__all__ = [
    "bench",
    "board",
    "board_spec",
    "boot",
    "console",
    "fault_seed",
    "firmware_image",
    "firmware_source",
    "fresh_board",
    "make_bench",
    "mega_board",
    "nano_board",
    "native_board",
    "plant",
    "qemu_esp32",
    "real_board",
    "real_boards",
    "scenario",
    "uno_board",
]


def pytest_addhooks(pluginmanager: pytest.PytestPluginManager) -> None:
    """Declare what products and third parties can hear of."""
    pluginmanager.add_hookspecs(events)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add ``--board`` and ``--embedbench-*``, their ini keys and environment."""
    options.add_settings(parser, (*options.OPTIONS, live.LIVE))


def pytest_configure(config: pytest.Config) -> None:
    """Declare the markers and check the options."""
    for marker in options.MARKERS:
        config.addinivalue_line("markers", marker)
    options.check_values(config)
    if options.setting(config, options.RESUME):
        from pytest_embedbench.plugin import resuming  # noqa: PLC0415  # late

        resuming.check_taken(config)
    live.begin(config)
    if options.any_set(config):
        session_of(config)


def pytest_report_header(config: pytest.Config) -> list[str]:
    """Say what boards will run, built by what, and where the files go."""
    # xdist shows nothing of a worker's.
    if hasattr(config, "workerinput") or not options.settings(config, "board"):
        return []
    from pytest_embedbench.plugin import header  # noqa: PLC0415  # late

    return [*header.lines(session_of(config)), *live.header(config)]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run a test that uses the ``board`` fixture once per ``--board``."""
    if any(map(metafunc.definition.get_closest_marker, ("needs", "erase", "image"))):
        from pytest_embedbench.plugin import markers  # noqa: PLC0415  # late

        markers.check_board_markers(metafunc.definition)
    if "board_spec" not in metafunc.fixturenames:
        return
    from pytest_embedbench.plugin import collect  # noqa: PLC0415  # late

    collect.parametrize_by_board(metafunc)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection_modifyitems(
    config: pytest.Config, items: list[pytest.Item]
) -> Generator[None]:
    """Refuse to run board tests without a board, once all others have selected."""
    yield
    if not any(map(on_a_board, items)):
        return
    from pytest_embedbench.plugin import collect, running  # noqa: PLC0415  # late

    collect.check_boards_chosen(config, items)
    running.watch(config)


@pytest.hookimpl(wrapper=True)
def pytest_report_from_serializable(
    config: pytest.Config, data: dict[str, Any]
) -> Generator[None, Report, Report]:
    """Take in the files that a worker on another machine sends with a report."""
    if SHIPPED in data:
        from pytest_embedbench.plugin import shipping  # noqa: PLC0415  # late

        shipping.receive(config, data)
    return (yield)


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    """Say where the artifacts are and whose faults the failures were."""
    if in_use(config):
        from pytest_embedbench.plugin import report  # noqa: PLC0415  # late

        report.summarise(terminalreporter, session_of(config))


@pytest.hookimpl(trylast=True)
def pytest_embedbench_firmware_source(
    item: pytest.Item, spec: BoardSpec
) -> FirmwareSource:
    """Run a prebuilt image, build the nearest project, or what the user names."""
    session = session_of(item.config)
    prebuilt = session.prebuilt(item, spec)
    return prebuilt or session.project_source(item.path, spec)


@pytest.hookimpl(trylast=True)
def pytest_embedbench_blame(
    error: BaseException,
    ran: bool,  # noqa: FBT001  # hooks are called by keyword
) -> Blame | None:
    """Blame by the class of the error."""
    from pytest_embedbench.plugin.blame import blame_of  # noqa: PLC0415  # late

    return blame_of(error, ran=ran)


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: WorkerNode) -> None:
    """Share the run's name with an xdist worker (a hook of xdist)."""
    from pytest_embedbench.plugin.workers import tell_worker  # noqa: PLC0415  # late

    tell_worker(node)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_node_collection_finished(node: WorkerNode, ids: list[str]) -> None:
    """Refuse board tests without a board on behalf of a worker (a hook of xdist)."""
    from pytest_embedbench.plugin import collect  # noqa: PLC0415  # late

    collect.check_worker_boards_chosen(node.config, ids)
