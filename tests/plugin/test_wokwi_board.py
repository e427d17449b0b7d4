"""Boards at a server that speaks Wokwi's protocol, as suites have them."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from tests.plugin.conftest import WITHOUT
from tests.support.diagrams import UNO, diagram_text
from tests.support.scripted_service import TOKEN, ScriptedService, running
from tests.support.wokwi_boards import HEX

if TYPE_CHECKING:
    from collections.abc import Iterator

SUITE = """
import pexpect
import pytest

@pytest.mark.image("firmware.{suffix}")
def test_it(wokwi_board, make_bench):
    bench = make_bench(wokwi_board)
    bench.wait_for_boot("ready", within_ms=100)
    bench.dut.write("hello")
    bench.dut.expect("got hello", timeout=1)
    with pytest.raises(pexpect.TIMEOUT):
        bench.dut.expect("foo bar not found", timeout=0.1)
    bench.reset()
    bench.expect("ready", within_ms=100)
    print("RUNS", wokwi_board.spec.name)
"""
SCENARIO = """
name: it blinks
version: 1
steps:
  - wait-serial: "ready"
  - expect-pin: {part-id: uno, pin: "13", value: 0}
  - write-serial: "hello\\n"
  - wait-serial: "got hello"
  - delay: 100ms
  - expect-pin: {part-id: uno, pin: "13", value: 1}
  - set-control: {part-id: btn, control: pressed, value: 1}
"""


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch) -> Iterator[ScriptedService]:
    """A server that the environment names."""
    with running(ScriptedService()) as service:
        monkeypatch.setenv("WOKWI_CLI_TOKEN", TOKEN)
        monkeypatch.setenv("WOKWI_CLI_SERVER", service.url)
        yield service


@pytest.fixture
def suite(pytester: pytest.Pytester) -> pytest.Pytester:
    """A suite with images for an Uno and an ESP32."""
    pytester.makeini("[pytest]\n")
    pytester.path.joinpath("firmware.hex").write_text(HEX)
    pytester.path.joinpath("firmware.bin").write_bytes(b"\xe9\x01" + bytes(64))
    return pytester


def write(suite: pytest.Pytester, suffix: str, diagram: str = "") -> None:
    suite.path.joinpath("test_it.py").write_text(SUITE.format(suffix=suffix))
    if diagram:
        suite.path.joinpath("diagram.json").write_text(diagram)


def run(suite: pytest.Pytester, *args: str) -> pytest.RunResult:
    return suite.runpytest_inprocess(*WITHOUT, "-rs", "-s", *args)


@pytest.mark.parametrize(
    ("suffix", "diagram", "args", "board"),
    [
        ("bin", "", [], "wokwi-esp32"),
        ("hex", "", ["--board=native", "--board=wokwi-mega"], "wokwi-mega"),
        ("hex", diagram_text(UNO), ["--board=wokwi-esp32"], "wokwi-uno"),
    ],
    ids=["bare", "chosen", "drawn"],
)
def test_a_board_is_the_diagrams_or_the_chosen_or_an_esp32(
    suite: pytest.Pytester,
    service: ScriptedService,
    suffix: str,
    diagram: str,
    args: list[str],
    board: str,
) -> None:
    write(suite, suffix, diagram)
    result = run(suite, *args)
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines([f"*RUNS {board}"])
    if diagram:
        assert service.files["diagram.json"] == diagram
    assert TOKEN not in result.stdout.str()


def test_without_a_token_a_test_is_skipped_with_advice(
    suite: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("WOKWI_CLI_TOKEN", raising=False)
    monkeypatch.delenv("WOKWI_CLI_SERVER", raising=False)
    write(suite, "bin")
    result = run(suite)
    result.assert_outcomes(skipped=1)
    result.stdout.fnmatch_lines(
        ["SKIPPED*wokwi needs a token in WOKWI_CLI_TOKEN*wokwi.com/dashboard/ci*"]
    )


def test_a_service_that_fails_is_a_bench_fault(
    suite: pytest.Pytester, service: ScriptedService
) -> None:
    service.at["sim:resume"] = "drop"
    write(suite, "hex", diagram_text(UNO))
    result = run(suite)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        ["*broke the connection off*", "*embedbench: 1 x bench fault*"]
    )


def test_a_scenario_runs_at_a_server(
    suite: pytest.Pytester, service: ScriptedService
) -> None:
    drawn = diagram_text({**UNO, "btn": "wokwi-pushbutton"})
    suite.path.joinpath("diagram.json").write_text(drawn)
    suite.path.joinpath("it.test.yaml").write_text(SCENARIO)
    result = run(suite, "--board=wokwi-uno", "--embedbench-image=firmware.hex")
    result.assert_outcomes(passed=1)
    told = service.params_of("control:set")
    assert told == {"part": "btn", "control": "pressed", "value": 1.0}


@pytest.mark.usefixtures("service")
def test_a_scenario_may_take_longer(suite: pytest.Pytester) -> None:
    suite.path.joinpath("diagram.json").write_text(diagram_text(UNO))
    late = '\n  - delay: 1s\n  - write-serial: "hello\\n"\n  - wait-serial: "got hello"'
    text = SCENARIO[: SCENARIO.index("\n  - set-control")] + late
    suite.path.joinpath("it.test.yaml").write_text(text)
    args = ["--board=wokwi-uno", "--embedbench-image=firmware.hex"]
    result = run(suite, *args, "--embedbench-scenario-limit-s=1")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["the scenario's 1 s are over before this step: *"])
    suite.makeini("[pytest]\nembedbench_scenario_limit_s = 2\n")
    run(suite, *args).assert_outcomes(passed=1)


@pytest.mark.usefixtures("service")
def test_a_scenario_that_is_wrong_fails_by_itself(suite: pytest.Pytester) -> None:
    suite.path.joinpath("diagram.json").write_text(diagram_text(UNO))
    suite.path.joinpath("broken.test.yaml").write_text("version: 1\nsteps: [\n")
    suite.path.joinpath("other.test.yaml").write_text("version: 1\n")
    image = "--embedbench-image=firmware.hex"
    result = run(suite, "--board=wokwi-uno", image, "-Wdefault")
    result.assert_outcomes(failed=1, warnings=1)
    result.stdout.fnmatch_lines(
        [
            "broken.test.yaml:3: no YAML: *",
            "*other.test.yaml: not run: no scenario, which has version and steps*",
        ]
    )
    result.stdout.no_fnmatch_line("*scenario_items.py*")


_READER = "pytest_embedbench.circuits.scenario_text"


@pytest.mark.parametrize(
    ("required", "outcome"),
    [
        ("wokwi", {"skipped": 1}),
        ("all", {"failed": 1}),
    ],
)
def test_a_scenario_without_a_reader_of_yaml_takes_no_build(
    suite: pytest.Pytester,
    monkeypatch: pytest.MonkeyPatch,
    required: str,
    outcome: dict[str, int],
) -> None:
    """It is told with advice before anything is built, or is an error if required."""
    monkeypatch.delitem(sys.modules, _READER, raising=False)
    monkeypatch.setitem(sys.modules, "yaml", None)
    suite.path.joinpath("diagram.json").write_text(diagram_text(UNO))
    suite.path.joinpath("it.test.yaml").write_text(SCENARIO)
    result = run(suite, "--board=uno", f"--embedbench-require={required}")
    result.assert_outcomes(**outcome)
    result.stdout.fnmatch_lines(
        ["*a scenario needs PyYAML, not found here: *'pytest-embedbench?wokwi?'"]
    )
