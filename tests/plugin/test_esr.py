"""Checks as cases of ESR: two items of one search, answers, tables, runs that go on.

The search here is a short one of the suite's own, as its board has no pins; what the
real one does is tested elsewhere.
"""

from __future__ import annotations

import json
import re
from importlib import import_module
from typing import TYPE_CHECKING, Any

import pytest

from pytest_embedbench.esr.rates import HINT, has_scipy
from tests.support.diagrams import UNO, diagram_text

if TYPE_CHECKING:
    from pathlib import Path

    from tests.plugin.conftest import Suite

pytestmark = pytest.mark.skipif(not has_scipy(), reason=HINT)


@pytest.fixture(scope="module", autouse=True)
def _scipy() -> None:
    """Load it once in this process: numpy cannot be loaded anew in each inner run."""
    import_module("scipy.stats")


FIRMWARE = """\
PIN = 9


def firmware(uart):
    uart.write(b"pin %d\\n" % PIN)
    yield 10
"""
CHECK = """\
import os
from pathlib import Path

import pytest


@pytest.fixture
def fresh():
    return []


@pytest.mark.esr(module="servo", tags=["hardware operation"])
def test_pin(bench, fresh):
    with Path("cache/ran").open("a") as ran:
        ran.write("ran\\\\n")
    assert not fresh
    fresh.append(1)
    bench.expect("^pin 10$", within_ms=100)
"""
# Tries 10 and then 11 in the place of 9; what a firmware says of itself is its outcome.
SEARCH = """\
import dataclasses

import pytest_embedbench.esr.search as room
from pytest_embedbench.esr.model import (
    CaseResult, Correction, Evidence, FindingNote, Outcome, TrialEnd, TrialFirmware,
)

REAL = room.search


def search(case, trial, budget):
    own = case.source.project_dir / "firmware.py"
    text = case.source.overlay.get("firmware.py", own).read_text()
    strict = trial.run(case.firmware, observe=True)
    evidence = [Evidence("strict", "", strict.end, strict.why, strict.seconds)]
    corrections, outcome = (), Outcome.LOGIC_FAIL
    if "OUTCOME" in text:
        outcome = Outcome(text.split("OUTCOME ")[1].split()[0])
    elif "PIN = 9" in text:
        for pin in ("11", "10"):
            other = text.replace("PIN = 9", f"PIN = {pin}").encode()
            corrected = TrialFirmware(
                source=case.source, corrected={"firmware.py": other}
            )
            result = trial.run(corrected)
            evidence.append(Evidence("source", pin, result.end, result.why))
            if result.end is TrialEnd.PASSED:
                corrections = (Correction("PIN", "9", pin),)
                outcome = Outcome.PERMISSIVE_CONFIRMED
    return CaseResult(
        name=case.name, outcome=outcome, corrections=corrections,
        pins_used={"9": "output"}, pins_wired={"10": "servo1 PWM"},
        candidates_tried=len(evidence) - 1, evidence=tuple(evidence), why=strict.why,
        findings=(FindingNote("floating-input", "2 floats"),),
    )


def pytest_configure():
    room.search = search


def pytest_unconfigure():
    room.search = REAL
"""
LAST = re.compile(r"delta_pin = .*")


@pytest.fixture
def case(suite: Suite, monkeypatch: pytest.MonkeyPatch) -> Suite:
    """A case whose firmware has its pin wrong."""
    monkeypatch.chdir(suite.root)
    suite.firmware(FIRMWARE)
    suite.test(CHECK.replace("\\\\n", "\\n"))
    (suite.root / "conftest.py").write_text(SEARCH)
    (suite.root / "diagram.json").write_text(diagram_text(UNO))
    return suite


def answers(case: Suite, *lines: dict[str, Any]) -> str:
    name = case.root.name
    texts = (json.dumps({"case": name, **line}) for line in lines)
    (case.root / "answers.jsonl").write_text("\n".join(texts))
    return "--embedbench-answers=answers.jsonl"


def files(text: str) -> dict[str, Any]:
    return {"files": {"firmware.py": text}}


GOOD = files(FIRMWARE.replace("9", "10"))
PINS = files(FIRMWARE)
LOGIC = files(FIRMWARE.replace("pin %d", "pins %d"))
BROKEN = files(f"# syntax error\n{FIRMWARE}")
FOUR = (
    {"model": "a", "name": "good", **GOOD},
    {"model": "a", "name": "pins", **PINS},
    {"model": "b", "name": "logic", **LOGIC, "tags": ["own"]},
    {"model": "b", "name": "broken", **BROKEN},
)
OUTCOMES = {
    "good": "strict",
    "pins": "permissive-confirmed",
    "logic": "logic-fail",
    "broken": "build-fail",
}


def run_dir(case: Suite) -> Path:
    return case.runs()[-1]


def table(case: Suite) -> dict[str, Any]:
    record: dict[str, Any] = json.loads((run_dir(case) / "esr.json").read_text())
    return record


def outcomes(case: Suite) -> dict[str, str]:
    return {each["answer"]: each["outcome"] for each in table(case)["cases"]}


def ran(case: Suite) -> int:
    """Return how often the check has run since this was asked last."""
    file = case.root / "cache" / "ran"
    count = len(file.read_text().split()) if file.is_file() else 0
    file.unlink(missing_ok=True)
    return count


def test_two_items_share_one_search(case: Suite) -> None:
    result = case.run("-rA")
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines_random(
        [
            "PASSED *::test_pin[[]lab-permissive]",
            "FAILED *::test_pin[[]lab-strict]*",
            "permissive-confirmed: it works once its pin constants are corrected",
            "smallest correction that works: PIN 9 -> 10",
            "the code uses 9 (output)",
            "wired are 10 (servo1 PWM)",
            "note: 2 floats [[]floating-input]",
            "embedbench: 1 x firmware fault",
        ]
    )
    # As it is wired, with 11, with 10.
    assert ran(case) == 3
    assert result.outlines[-1].startswith("delta_pin = 1.000")


def test_each_trial_leaves_its_evidence(case: Suite) -> None:
    case.run()
    (record,) = table(case)["cases"]
    folders = [run_dir(case) / each["folder"] for each in record["evidence"]]
    assert len({*folders}) == 3
    said = [(folder / "transcript.log").read_text() for folder in folders]
    assert ["pin 9" in said[0], "pin 11" in said[1], "pin 10" in said[2]] == [True] * 3
    kept = [json.loads((f / "test.json").read_text()) for f in folders]
    assert {each["trial_of"] for each in kept} == {record["test"]}
    ended = [each["outcome"] for each in kept]
    assert ended == ["failed", "failed", "passed"]


@pytest.mark.parametrize(
    ("outcome", "blame"),
    [
        ("permissive-rewired", "bench fault"),
        ("budget", "bench fault"),
        ("bench-fault", "bench fault"),
        ("logic-fail", "firmware fault"),
        ("build-fail", "firmware fault"),
    ],
)
def test_whose_fault_an_outcome_is(case: Suite, outcome: str, blame: str) -> None:
    case.firmware(f"# OUTCOME {outcome}\n{FIRMWARE}")
    result = case.run()
    result.assert_outcomes(failed=2)
    result.stdout.fnmatch_lines([f"embedbench: 2 x {blame}"])


@pytest.mark.parametrize("workers", ["-n0", "-n2"])
def test_answers_are_judged_and_counted(case: Suite, workers: str) -> None:
    result = case.run(answers(case, *FOUR), workers)
    assert outcomes(case) == OUTCOMES
    result.assert_outcomes(passed=3, failed=5)
    assert result.outlines[-1].startswith("delta_pin = 0.250")
    result.stdout.fnmatch_lines(
        [
            "all *4 *1/4 25.0 %*2/4 50.0 %*1/4 25.0 %*",
            "model*a *2 *1/2 50.0 %*2/2 100.0 %*",
            "model*b *2 *0/2 0.0 %*",
            "tag *hardware operation *4 *",
            "tag *own *1 *",
            "outcomes: 1 strict, 1 permissive-confirmed, 1 logic-fail, 1 build-fail",
        ]
    )
    names = {path.name for path in run_dir(case).iterdir()}
    assert {"esr.json", "esr.csv", "esr.svg"} <= names
    assert "delta_pin 0.50" in (run_dir(case) / "esr.svg").read_text()
    assert not list(run_dir(case).rglob(".locks"))


def test_an_answer_without_code_is_told(case: Suite) -> None:
    result = case.run(answers(case, {"model": "m", "answer": "I cannot."}))
    result.stdout.fnmatch_lines(["build-fail: it does not build", "no code in the *"])
    assert ran(case) == 0


def test_an_answer_to_no_case_is_told(case: Suite) -> None:
    line = {"model": "m", **GOOD, "case": f"{case.root.name[:-1]}x"}
    result = case.run(answers(case, {"model": "m", "name": "fine", **GOOD}, line))
    result.stdout.fnmatch_lines([f"*:2: case *; do you mean '{case.root.name}'[?]"])
    assert len(table(case)["not_run"]) == 1


def test_strict_pins_alone_are_not_searched(case: Suite) -> None:
    result = case.run("--embedbench-pins=strict")
    result.assert_outcomes(failed=1)
    assert ran(case) == 1
    result.stdout.fnmatch_lines(["embedbench: 1 x firmware fault"])
    assert result.outlines[-1].startswith("E_str = 0/1 ")


def test_a_run_goes_on_with_what_is_not_decided(case: Suite) -> None:
    undecided = {"model": "c", "name": "open", **files(f"# OUTCOME budget\n{FIRMWARE}")}
    case.run(answers(case, *FOUR[:3], undecided), "-k", "not logic")
    assert ran(case) == 5
    words = answers(case, *FOUR[:3], undecided)
    result = case.run(words, "--embedbench-resume")
    # Three of logic and one of open; the others are as they were.
    assert ran(case) == 4
    assert len(case.runs()) == 1
    assert len(outcomes(case)) == 4
    result.assert_outcomes(passed=3, failed=5)
    changed = {**FOUR[0], **PINS}
    case.run(answers(case, changed, *FOUR[1:3]), "--embedbench-resume")
    assert ran(case) == 3


def test_a_subtest_that_fails_ends_a_trial(case: Suite) -> None:
    case.test(
        "import pytest\n"
        "@pytest.mark.esr\n"
        "def test_pin(bench, subtests):\n"
        "    for n in range(3):\n"
        "        with subtests.test(n=n), open('cache/ran', 'a') as ran:\n"
        "            ran.write('ran ')\n"
        "            bench.expect('^pin 10$', within_ms=20)\n"
    )
    case.firmware(f"# OUTCOME logic-fail\n{FIRMWARE}")
    result = case.run()
    assert ran(case) == 1
    result.assert_outcomes(failed=2)


@pytest.mark.parametrize(
    "words", ["'servo'", "modul='servo'", "module=3", "tags='one'", "tags=[1]"]
)
def test_a_marker_takes_known_words(case: Suite, words: str) -> None:
    case.test(CHECK.replace('module="servo", tags=["hardware operation"]', words))
    result = case.run()
    result.stdout.fnmatch_lines(["*test_pin: esr(*): it takes case and module as *"])


@pytest.mark.parametrize(
    ("lines", "words", "told"),
    [
        ([{"model": "m"}], [], "*answers.jsonl:1: give one of answer, *"),
        ([FOUR[0]], ["--embedbench-firmware=x"], "*both say what is judged*"),
        ([FOUR[0]], ["--embedbench-pins=none"], "*'none' is not one of: strict, *"),
        ([FOUR[0]], ["--embedbench-resume"], "*'latest' is no run on answers in *"),
    ],
)
def test_what_makes_no_sense_is_told(
    case: Suite, lines: list[dict[str, Any]], words: list[str], told: str
) -> None:
    result = case.run(answers(case, *lines), *words)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"ERROR: {told}"])


def test_what_a_check_skips_is_no_case(case: Suite) -> None:
    needs = "@pytest.mark.needs('read-pins')\n@pytest.mark.esr"
    case.test(CHECK.replace("@pytest.mark.esr", needs))
    case.board("blind")
    result = case.run(board="blind")
    result.assert_outcomes(skipped=2)
    assert "delta_pin" not in result.outlines[-1]
