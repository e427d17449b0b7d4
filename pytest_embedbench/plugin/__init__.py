"""The pytest plugin: hooks and fixtures by name, nothing else.

Starting pytest loads no engine, no builder, no plant: all of them come in when a
test first asks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from pytest_embedbench.grading.plugin.host import (
    controller,
    host,
    host_program,
    oracle,
    protocol,
    task,
)
from pytest_embedbench.grading.plugin.paper import paper_run
from pytest_embedbench.grading.plugin.reports import Reports
from pytest_embedbench.grading.plugin.tolerance import check_tolerates, stands
from pytest_embedbench.plugin import options
from pytest_embedbench.plugin.consoles import console
from pytest_embedbench.plugin.fixtures import (
    bench,
    board,
    board_spec,
    boot,
    fault_seed,
    firmware_image,
    firmware_source,
    make_bench,
    mega_board,
    nano_board,
    native_board,
    plant,
    qemu_esp32,
    registry,
    scenario,
    uno_board,
)
from pytest_embedbench.plugin.properties import fresh_board, judge
from pytest_embedbench.plugin.real import real_board, real_boards
from pytest_embedbench.plugin.stash import (
    CHECK,
    ROBUST,
    SHIPPED,
    TESTLOG,
    concerns_us,
    in_use,
    session_of,
)

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence

    Report = pytest.CollectReport | pytest.TestReport | None

    from pytest_embedbench.plugin.workers import WorkerNode

__all__ = [
    "bench",
    "board",
    "board_spec",
    "boot",
    "check_tolerates",
    "console",
    "controller",
    "fault_seed",
    "firmware_image",
    "firmware_source",
    "fresh_board",
    "host",
    "host_program",
    "judge",
    "make_bench",
    "mega_board",
    "nano_board",
    "native_board",
    "oracle",
    "paper_run",
    "plant",
    "protocol",
    "qemu_esp32",
    "real_board",
    "real_boards",
    "registry",
    "scenario",
    "stands",
    "task",
    "uno_board",
]


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add ``--board`` and ``--embedbench-*``, their ini keys and environment."""
    options.add_options(parser)


def pytest_configure(config: pytest.Config) -> None:
    """Declare the markers and check the options."""
    for marker in options.MARKERS:
        config.addinivalue_line("markers", marker)
    if options.any_set(config):
        session_of(config)
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(Reports(config), "embedbench-reports")


def pytest_report_header(config: pytest.Config) -> list[str]:
    """Say what boards will run, built by what, and where the files go."""
    # xdist shows nothing of a worker's.
    if hasattr(config, "workerinput") or not options.settings(config, "board"):
        return []
    from pytest_embedbench.plugin import header  # noqa: PLC0415  # late

    return header.lines(session_of(config))


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run a test that uses the ``board`` fixture once per ``--board``."""
    if any(map(metafunc.definition.get_closest_marker, ("brief", "profile"))):
        from pytest_embedbench.grading.plugin import profile  # noqa: PLC0415  # late

        profile.check_markers(metafunc)
    if "board_spec" not in metafunc.fixturenames:
        return
    from pytest_embedbench.plugin import collect  # noqa: PLC0415  # late

    collect.parametrize_by_board(metafunc)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(
    config: pytest.Config, items: list[pytest.Item]
) -> None:
    """Keep to the profile, and refuse to run board tests without a board."""
    if not any(map(concerns_us, items)):
        return
    from pytest_embedbench.grading.plugin import profile  # noqa: PLC0415  # late
    from pytest_embedbench.plugin import collect  # noqa: PLC0415  # late

    profile.select(config, items)
    collect.check_boards_chosen(config, items)


def pytest_deselected(items: Sequence[pytest.Item]) -> None:
    """Remember that checks were left out: what is left may not pass for all."""
    if not any(map(concerns_us, items)):
        return
    from pytest_embedbench.grading.plugin import profile  # noqa: PLC0415  # late

    profile.count_deselected(items)


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Leave a submission alone that has been seen to spin."""
    if CHECK in item.stash:
        from pytest_embedbench.grading.plugin import profile  # noqa: PLC0415  # late

        profile.skip_if_it_spins(item)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Say whose fault a failure is, and put the conversation under it."""
    if TESTLOG not in item.stash and CHECK not in item.stash:
        return (yield)
    from pytest_embedbench.plugin import report  # noqa: PLC0415  # late

    report.hide_our_frames(item, call)
    made = yield
    if CHECK in item.stash:
        from pytest_embedbench.grading.plugin import check_recorder  # noqa: PLC0415  # late

        check_recorder.attach(item, call, made)
    if TESTLOG in item.stash:
        if item.get_closest_marker(ROBUST) is not None:
            from pytest_embedbench.grading.plugin import robust  # noqa: PLC0415  # late

            robust.attach(item, call, made)
        report.complete(item, call, made)
    return made


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
