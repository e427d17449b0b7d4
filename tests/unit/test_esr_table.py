"""The table of ESR as text, for files, and as a picture."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import pytest

from pytest_embedbench.esr import table
from pytest_embedbench.esr.model import CaseResult, Correction, Outcome
from pytest_embedbench.esr.picture import draw
from pytest_embedbench.esr.rates import HINT, has_scipy
from pytest_embedbench.esr.records import passes, record_of
from pytest_embedbench.esr.usual import PERMISSIVE, STRICT

if TYPE_CHECKING:
    from pytest_embedbench.esr.records import CaseRecord

pytestmark = pytest.mark.skipif(not has_scipy(), reason=HINT)


def record(outcome: Outcome, model: str = "m", why: str = "") -> CaseRecord:
    fix = (Correction("LED", "9", "10"),)
    corrections = fix if outcome is Outcome.PERMISSIVE_CONFIRMED else ()
    result = CaseResult(name="c", outcome=outcome, corrections=corrections, why=why)
    about = dict.fromkeys(("test", "case", "check", "board", "module"), "x")
    tags = ["one", "two"]
    return record_of(
        result,
        {**about, "model": model, "answer": model, "origin": "", "tags": tags},  # type: ignore[typeddict-item]
    )


CASES = [
    record(Outcome.STRICT, "a"),
    record(Outcome.PERMISSIVE_CONFIRMED, "b"),
    record(Outcome.BUDGET, "b", "line 1\nline 2"),
]


def test_what_passes_is_by_outcome_and_pins() -> None:
    assert [passes(each, STRICT) for each in CASES] == [True, False, False]
    assert [passes(each, PERMISSIVE) for each in CASES] == [True, True, False]


def test_the_last_line_has_all_of_it() -> None:
    assert table.delta_line(CASES) == (
        "delta_pin = 0.500 [0.000, 0.905] (E_str 1/2, E_per 2/2; 1 undecided: "
        "0.333 to 0.667)"
    )
    undecided = table.delta_line([record(Outcome.BUDGET)])
    assert undecided.startswith("delta_pin = unknown (no case of 1 was decided")


def test_a_case_is_a_line_of_csv() -> None:
    rows = list(csv.DictReader(io.StringIO(table.csv_text(CASES))))
    assert [row["corrections"] for row in rows] == ["", "LED 9 -> 10", ""]
    assert (rows[2]["why"], rows[2]["tags"]) == ("line 1", "one; two")


def test_the_picture_has_two_bars_of_each_model() -> None:
    picture = draw(table.by_model([*CASES, record(Outcome.BUDGET, "c<&")]))
    root = ET.fromstring(picture)
    texts = [each.text for each in root.iter("{http://www.w3.org/2000/svg}text")]
    assert {"a", "b", "c<&", "delta_pin unknown"} <= {*texts}
    bars = list(root.iter("{http://www.w3.org/2000/svg}rect"))
    # The paper, two of the legend, and those of a and b: of c nothing was decided.
    assert len(bars) == 1 + 2 + 4


def test_what_is_broken_of_ours_is_told_once() -> None:
    gone = [record(Outcome.BENCH_FAULT, name, "no simavr\nmore") for name in "ab"]
    told = table.lines([*CASES, *gone])
    assert [it for it in told if "no simavr" in it] == [
        "bench-fault, 2 cases: no simavr"
    ]
