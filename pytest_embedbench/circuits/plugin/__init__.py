"""The pytest plugin of circuits: hooks and a fixture by name, nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pytest_embedbench.plugin.failures import told_plainly
from pytest_embedbench.plugin.markers import check_text, refused
from pytest_embedbench.plugin.options import Setting, add_settings, setting, settings
from pytest_embedbench.plugin.stash import item_of, log_of, session_of

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator
    from pathlib import Path

    from pytest_embedbench.bench.bench import Bench
    from pytest_embedbench.circuits.circuit import Circuit
    from pytest_embedbench.contracts import BoardUnderTest
    from pytest_embedbench.model import BoardSpec

SCENARIO_LIMIT = Setting(
    name="scenario_limit_s",
    flag="--embedbench-scenario-limit-s",
    metavar="N",
    help="How long a Wokwi scenario may take, in seconds of simulated time",
    default="30",
    whole=True,
    least=1,
)
SCENARIOS = (".test.yaml", ".test.yml")
_PATHS = ("the path of a diagram.json",)
_MARKER = (
    "diagram(path): the board of this test stands in that circuit (Wokwi's "
    "diagram.json); paths are from the test's folder on"
)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option of scenarios, its ini key and environment."""
    add_settings(parser, (SCENARIO_LIMIT,))


def pytest_configure(config: pytest.Config) -> None:
    """Declare the marker."""
    config.addinivalue_line("markers", _MARKER)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Insist on the one path of the marker while tests are collected."""
    for marker in metafunc.definition.iter_markers("diagram"):
        check_text(metafunc.definition, marker, _PATHS)
        if len(marker.args) > 1:
            raise refused(metafunc.definition, marker, "takes one path", _PATHS)


def pytest_collect_file(
    file_path: Path, parent: pytest.Collector
) -> pytest.Collector | None:
    """Collect Wokwi's scenarios, if there is a board to run them on."""
    if not file_path.name.endswith(SCENARIOS) or not settings(parent.config, "board"):
        return None
    from pytest_embedbench.circuits.plugin import scenario_items  # noqa: PLC0415  # late

    return scenario_items.scenario_module(file_path, parent)


@pytest.hookimpl(trylast=True, optionalhook=True)
def pytest_embedbench_diagram(item: pytest.Item, spec: BoardSpec) -> Path | None:
    """Look for the diagram of a test that has to do with a circuit."""
    marker = item.get_closest_marker("diagram")
    if marker is not None:
        return item.path.parent / str(marker.args[0])
    fixtures = getattr(item, "fixturenames", ())
    if "wokwi_board" in fixtures and spec.engine == "wokwi":
        from pytest_embedbench.circuits import wokwi_boards  # noqa: PLC0415  # late

        return wokwi_boards.diagram_or_none(item.path, spec.name)
    if "circuit" not in fixtures:
        return None
    from pytest_embedbench.circuits.places import diagram_beside  # noqa: PLC0415  # late

    return diagram_beside(item.path, spec.name)


@pytest.fixture
def circuit(request: pytest.FixtureRequest, bench: Bench) -> Iterator[Circuit]:
    """The circuit of ``diagram.json`` round the board, with its parts by their ids."""
    from pytest_embedbench.circuits.live import open_circuit  # noqa: PLC0415  # late

    with told_plainly():
        made = open_circuit(bench)
    yield made
    from pytest_embedbench.circuits.evidence import leave_files  # noqa: PLC0415  # late

    log = log_of(item_of(request))
    draws = log.wants_plots(setting(request.config, "plots"))
    leave_files(made, bench.folder, draws=draws)


@pytest.fixture
def wokwi_board(
    request: pytest.FixtureRequest, boot: Callable[..., BoardUnderTest]
) -> BoardUnderTest:
    """A board of Wokwi's: of the test's diagram, of ``--board``, or a bare ESP32.

    It runs here if it can and no server is named, else in Wokwi's cloud.
    """
    from pytest_embedbench.circuits import wokwi_boards  # noqa: PLC0415  # late

    item, session = item_of(request), session_of(request.config)
    registry, chosen = session.registry, session.board_names()
    with told_plainly():
        likely = registry.board(wokwi_boards.board_meant(registry, None, chosen))
        diagram = item.ihook.pytest_embedbench_diagram(item=item, spec=likely)
        meant = wokwi_boards.board_meant(registry, diagram, chosen)
    return boot(meant)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Put what nets did last under the failure of a test with a circuit."""
    made = yield
    if made.when == "call" and made.failed and call.excinfo is not None:
        given: dict[str, object] = getattr(item, "funcargs", None) or {}
        if "circuit" in given:
            from pytest_embedbench.circuits import evidence  # noqa: PLC0415  # late

            shown = str(call.excinfo.value)
            if text := evidence.waves_of_failure(given["circuit"], shown):
                made.sections.append(("circuit", text))
    return made
