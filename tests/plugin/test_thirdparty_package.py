"""A package of somebody else's, on exported names alone, is all that a bench needs."""

from __future__ import annotations

import ast
import json
import shutil
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import pytest_embedbench
from pytest_embedbench import testing, wiring
from pytest_embedbench.cli import main
from tests.plugin.conftest import WITHOUT

if TYPE_CHECKING:
    from collections.abc import Iterator

PACKAGE = Path(__file__).parents[1] / "thirdparty_package"
MODULES = sorted(PACKAGE.rglob("*.py"))
EXPORTED = {
    "pytest_embedbench": set(dir(pytest_embedbench)),
    "pytest_embedbench.testing": set(testing.__all__),
    "pytest_embedbench.wiring": set(wiring.__all__),
}
WRONG = """
def test_one_rule_is_not_all(bench, check_every_rule_fired):
    bench.wait_for_boot()
    bench.send("SENSE TEMP 3")
    bench.expect("ACT HEATER ON", within_ms=10)
    check_every_rule_fired()


def test_it_never_says_so(bench):
    bench.send("HELLO")
    bench.expect("HELLO YOURSELF", within_ms=10)


def test_a_lamp_that_it_has_not(board):
    board.pin_trace()
"""


def entry_points() -> Iterator[str]:
    """Yield what an installer writes of the package's own pyproject.toml."""
    project = tomllib.loads((PACKAGE / "pyproject.toml").read_text())["project"]
    for group, entries in project["entry-points"].items():
        yield f"[{group}]"
        yield from (f"{name} = {value}" for name, value in entries.items())


@pytest.fixture
def installed(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Install it as an installer would, and return a copy of its suite."""
    site = pytester.mkdir("site")
    shutil.copytree(PACKAGE / "acme_bench", site / "acme_bench")
    info = site / "acme_bench-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: acme-bench\nVersion: 1.0\n"
    )
    (info / "entry_points.txt").write_text("\n".join(entry_points()))
    monkeypatch.syspath_prepend(site)
    monkeypatch.setenv("EMBEDBENCH_BUILDER", "acme")
    monkeypatch.setenv("EMBEDBENCH_CACHE", str(pytester.path / "cache"))
    for name in ("BOARD", "FIRMWARE", "REQUIRE", "ARTIFACTS"):
        monkeypatch.delenv(f"EMBEDBENCH_{name}", raising=False)
    suite = pytester.path / "suite"
    shutil.copytree(PACKAGE / "suite", suite)
    return suite


def run(pytester: pytest.Pytester, *args: str) -> pytest.RunResult:
    return pytester.runpytest_inprocess("--board=acme-thermostat", *WITHOUT, *args)


@pytest.mark.usefixtures("installed")
def test_its_suite_runs_on_its_board(pytester: pytest.Pytester) -> None:
    result = run(
        pytester, "suite", "-rs", "--embedbench-pio=pio", "--embedbench-core=core"
    )
    result.assert_outcomes(passed=6, skipped=1)
    result.stdout.fnmatch_lines(
        [
            "embedbench boards: acme-thermostat (acme, rules)*",
            "embedbench engines: acme: acme rules 1.0",
            "embedbench builds: acme rules 1.0; images: *",
            "SKIPPED * acme-thermostat lacks read-pins",
        ]
    )


def test_its_product_hears_of_tests_and_has_a_say(
    pytester: pytest.Pytester, installed: Path
) -> None:
    (installed / "test_wrong.py").write_text(WRONG)
    run(pytester, "suite/test_wrong.py").assert_outcomes(failed=3)
    records = {
        record["test"].rpartition("::")[2].partition("[")[0]: record
        for path in pytester.path.rglob("test.json")
        for record in [json.loads(path.read_text())]
    }
    idle = records["test_one_rule_is_not_all"]
    assert idle["acme_fired"] == ["SENSE TEMP < 19: ACT HEATER ON"]
    assert idle["blame"] == "test"
    never = "RuleNeverFired: never fired: SENSE TEMP > 22: ACT HEATER OFF"
    assert idle["reason"] == never
    assert records["test_it_never_says_so"]["blame"] == "firmware"
    assert "note: 1 lines" in records["test_it_never_says_so"]["reason"]
    lamp = records["test_a_lamp_that_it_has_not"]
    assert lamp["blame"] == "bench"
    assert lamp["reason"].startswith("acme-thermostat has no pins that can be read")


def test_its_builder_blames_what_does_not_build(
    pytester: pytest.Pytester, installed: Path
) -> None:
    (installed / "firmware.rules").write_text("SENSE TEMP ~ 19: ACT HEATER ON\n")
    result = run(pytester, "suite/test_thermostat.py")
    # One needs pins, which no firmware would give the board.
    result.assert_outcomes(errors=2, skipped=1)
    result.stdout.fnmatch_lines(
        ["*firmware.rules:1:1: error: no rule: SENSE TEMP ~ 19: ACT HEATER ON*"]
    )


@pytest.mark.usefixtures("installed")
def test_the_doctor_knows_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "acme-thermostat"]) == 0
    assert capsys.readouterr().out == "acme-thermostat: ready (acme rules 1.0)\n"


def test_its_product_has_a_setting(pytester: pytest.Pytester, installed: Path) -> None:
    (installed / "test_wrong.py").write_text(WRONG)
    run(pytester, "suite/test_wrong.py", "-kone_rule", "--acme-fired=count")
    (record,) = pytester.path.rglob("test_one_rule*/test.json")
    assert json.loads(record.read_text())["acme_fired"] == 1


def test_its_command_is_one_of_ours(
    installed: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rules = installed / "firmware.rules"
    assert main(["acme-rules", str(rules)]) == 0
    assert "SENSE TEMP < 19: ACT HEATER ON\n" in capsys.readouterr().out
    rules.write_text("nonsense\n")
    assert main(["acme-rules", str(rules)]) == 1
    assert capsys.readouterr().err == "firmware.rules:1:1: error: no rule: nonsense\n"
    rules.unlink()
    assert main(["acme-rules", str(rules)]) == 1
    assert (
        capsys.readouterr().err == f"embedbench: {rules}: No such file or directory\n"
    )


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.name)
def test_it_uses_exported_names_alone(path: Path) -> None:
    taken = [
        (node.module or "", alias.name)
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    ]
    taken += [
        (alias.name, "")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Import)
        for alias in node.names
    ]
    ours = [each for each in taken if each[0].startswith("pytest_embedbench")]
    assert [each for each in ours if each[1] not in EXPORTED.get(each[0], ())] == []
