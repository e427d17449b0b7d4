"""What mutants of pins have to come to, and how the search is judged by that."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pytest_embedbench.errors import BenchFault, ConfigError
from pytest_embedbench.esr.model import Outcome
from pytest_embedbench.esr.truth.layout import (
    MutantCase,
    cases_in,
    lay_out,
    with_twins,
)
from pytest_embedbench.esr.truth.mutants import PinMutant
from pytest_embedbench.esr.truth.running import passed_in
from pytest_embedbench.esr.truth.verdicts import (
    due_of,
    verdict_record,
    verdict_table,
    verdicts_of,
)
from pytest_embedbench.support.sampling import sampled

SUITE = Path(__file__).parents[2] / "example_suites" / "esr"
LAMP = SUITE / "toggle_lamp"


def case(name: str, *, twin: str = "right", lenient: bool = False) -> MutantCase:
    mutant = PinMutant(
        name=name,
        kind=name,
        what="lamp 8 -> 9",
        text="",
        diagram="",
        twin=twin,
        lenient=lenient,
    )
    return MutantCase(LAMP, mutant)


def full(name: str) -> str:
    return f"toggle_lamp--{name}"


@pytest.mark.parametrize(
    ("passes", "twin_passes", "lenient", "due"),
    [
        (False, True, False, {Outcome.PERMISSIVE_CONFIRMED}),
        (False, False, False, {Outcome.LOGIC_FAIL}),
        (False, False, True, {Outcome.LOGIC_FAIL, Outcome.PERMISSIVE_REWIRED}),
        (True, True, False, {Outcome.STRICT}),
        (True, False, False, {Outcome.STRICT}),
    ],
)
def test_the_check_and_that_of_the_twin_decide(
    *, passes: bool, twin_passes: bool, lenient: bool, due: set[Outcome]
) -> None:
    passed = {full("wrong"): passes, full("right"): twin_passes}
    assert due_of(case("wrong", lenient=lenient), passed) == due


def searched(name: str, outcome: str, candidates: int = 0) -> dict[str, Any]:
    return {
        "case": name,
        "outcome": outcome,
        "candidates_tried": candidates,
        "seconds": 1.5,
    }


def test_what_is_wrong_is_told_and_counted() -> None:
    cases = [
        case("right"),
        case("moved"),
        case("blind"),
        case("logic1", twin="logic1"),
        case("logic1-moved", twin="logic1"),
    ]
    passed = {
        full(it.mutant.name): it.mutant.name in ("right", "blind") for it in cases
    }
    said = ("strict", "budget", "strict", "logic-fail", "permissive-confirmed")
    records: Any = {
        it.name: searched(it.name, outcome, candidates=3)
        for it, outcome in zip(cases, said, strict=True)
    }
    verdicts = verdicts_of(cases, passed, records)
    record = verdict_record(verdicts)
    assert [record[key] for key in ("detectable", "right", "false_confirmed")] == [
        4,
        2,
        1,
    ]
    table = verdict_table(verdicts).splitlines()
    assert table[-3].split() == ["all", "detectable", "4", "2", "1", "1", "3", "1.5"]
    assert table[-1] == (
        "wrong: toggle_lamp--logic1-moved: permissive-confirmed, not logic-fail "
        "(lamp 8 -> 9)"
    )
    with pytest.raises(ConfigError, match="fails its own check"):
        verdicts_of(cases, {**passed, full("right"): False}, records)


def test_mutants_become_cases_with_the_check_of_their_sketch(tmp_path: Path) -> None:
    every = cases_in([LAMP])
    lay_out(every, tmp_path / "cases")
    folder = tmp_path / "cases" / full("one-wrong-pin")
    assert {file.name for file in folder.iterdir()} == {
        *("diagram.json", "platformio.ini", "src", "test_toggle_lamp.py")
    }
    assert (folder / "diagram.json").read_text() == (LAMP / "diagram.json").read_text()
    assert (folder / "src" / "main.cpp").read_text() != (
        LAMP / "src" / "main.cpp"
    ).read_text()
    with pytest.raises(ConfigError, match="have one name"):
        cases_in([LAMP, LAMP])
    with pytest.raises(ConfigError, match=r"no pins\.toml"):
        cases_in([tmp_path])


def test_a_sample_is_the_same_each_time_and_brings_what_decides_it() -> None:
    every = cases_in([SUITE])
    drawn = sampled(every, 5)
    assert drawn == sampled(every, 5)
    assert len(drawn) == 5
    assert sampled(every, None) == every
    names = {it.name for it in with_twins(drawn, every)}
    assert names >= {it.name for it in drawn} | {it.twin for it in drawn}


def test_what_the_bench_is_to_blame_for_decides_nothing(tmp_path: Path) -> None:
    def write(outcome: str, blame: str) -> None:
        text = (
            f'{{"test": "cases/lamp--right/test_lamp.py::test_x[uno]", "outcome": '
            f'"{outcome}", "blame": "{blame}", "reason": "no simulator"}}'
        )
        (tmp_path / "test.json").write_text(text)

    write("failed", "firmware")
    assert passed_in(tmp_path) == {"lamp--right": False}
    write("failed", "bench")
    with pytest.raises(BenchFault, match="lamp--right could not be decided: no simul"):
        passed_in(tmp_path)
