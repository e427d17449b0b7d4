"""The pytest plugin of ESR: hooks by name, nothing else.

It stands on the hooks of the bench. A run without a marked check meets nothing of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pytest_embedbench.esr.plugin.options import ANSWERS, MARKERS, PINS, SETTINGS
from pytest_embedbench.esr.plugin.reports import CaseReports
from pytest_embedbench.esr.plugin.stash import ATTEMPT, KEPT, MARKER
from pytest_embedbench.esr.usual import FOLDER
from pytest_embedbench.model import NO_SOURCE
from pytest_embedbench.plugin.options import RESUME, add_settings, setting
from pytest_embedbench.plugin.stash import session_of
from pytest_embedbench.plugin.workers import input_of

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path

    from pytest_embedbench.contracts import Board
    from pytest_embedbench.model import BoardSpec, FirmwareImage, FirmwareSource
    from pytest_embedbench.plugin.workers import WorkerNode

_SESSION = "embedbench_esr_session"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options of ESR, their ini keys and environment."""
    add_settings(parser, SETTINGS)


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Declare the marker; see all reports, in the one process that can.

    Raises:
        pytest.UsageError: there are no such answers, or no run to go on with.
    """
    for marker in MARKERS:
        config.addinivalue_line("markers", marker)
    if not hasattr(config, "workerinput"):
        setting(config, PINS)
        config.pluginmanager.register(CaseReports(config), "embedbench-esr-reports")
    if not setting(config, ANSWERS):
        return
    from pytest_embedbench.esr.plugin import cases  # noqa: PLC0415  # late

    if setting(config, RESUME) and not input_of(config):
        from pytest_embedbench.esr.plugin.kept import JOURNAL  # noqa: PLC0415  # late
        from pytest_embedbench.plugin.resuming import choose_run  # noqa: PLC0415  # late

        choose_run(config, f"{FOLDER}/{JOURNAL}", "run on answers")
    cases.read(config)
    if not input_of(config) and not config.option.collectonly:
        from pytest_embedbench.plugin.resuming import hold  # noqa: PLC0415  # late

        hold(config)


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: WorkerNode) -> None:
    """Share answers with an xdist worker, and what all processes have in common."""
    from pytest_embedbench.esr.plugin import cases, kept  # noqa: PLC0415  # late

    node.workerinput[_SESSION] = kept.begun(node.config).session
    cases.tell_worker(node)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_generate_tests(metafunc: pytest.Metafunc) -> Generator[None]:
    """Make the items of a case: by answer before all else, by pins after all else."""
    marker = metafunc.definition.get_closest_marker(MARKER)
    if marker is None or "board_spec" not in metafunc.fixturenames:
        return (yield)
    from pytest_embedbench.esr.plugin import cases  # noqa: PLC0415  # late

    cases.check_marker(metafunc.definition, marker)
    cases.by_answer(metafunc, marker)
    result = yield
    cases.by_pins(metafunc)
    return result


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(
    config: pytest.Config, items: list[pytest.Item]
) -> None:
    """Run items of ESR as cases, and leave out those that nobody has answered."""
    if not any(MARKER in item.keywords for item in items):
        return
    from pytest_embedbench.esr.plugin import cases, judging, kept  # noqa: PLC0415  # late

    if cases.arrange(config, items) and not config.option.collectonly:
        told = input_of(config).get(_SESSION, "")
        config.stash[KEPT] = kept.begun(config, told)
        judging.watch(config)


@pytest.hookimpl(wrapper=True, optionalhook=True)
def pytest_embedbench_firmware_source(
    item: pytest.Item, spec: BoardSpec
) -> Generator[None, FirmwareSource | None, FirmwareSource | None]:
    """Build what is tried, in the place of whatever others would have built."""
    found = yield
    attempt = item.stash.get(ATTEMPT, None)
    if attempt is None:
        return found
    source = attempt.source or found
    attempt.was_asked = True
    if source is not None:
        is_built = source != NO_SOURCE
        rig = session_of(item.config).rig
        attempt.built = rig.for_board(source, spec) if is_built else source
    return source


@pytest.hookimpl(wrapper=True, optionalhook=True)
def pytest_embedbench_diagram(
    item: pytest.Item,
) -> Generator[None, Path | None, Path | None]:
    """Have a board stand in the circuit that is tried."""
    found = yield
    attempt = item.stash.get(ATTEMPT, None)
    return found if attempt is None or attempt.diagram is None else attempt.diagram


@pytest.hookimpl(optionalhook=True)
def pytest_embedbench_booted(
    item: pytest.Item, board: Board, image: FirmwareImage
) -> None:
    """Watch what a firmware that is tried does with its pins."""
    attempt = item.stash.get(ATTEMPT, None)
    if attempt is not None:
        attempt.note_board(board, image.elf_path)
