"""A page of runs: what is read of their folders, and that nothing in it can run."""

from __future__ import annotations

import base64
import json
import re
import zlib
from html.parser import HTMLParser
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote_plus

import pytest
from hypothesis import given, settings, strategies as st

from pytest_embedbench.cli import main
from pytest_embedbench.errors import ConfigError
from pytest_embedbench.report_page import browser_code, evidence, page
from pytest_embedbench.report_page.esr_rows import case_rows
from pytest_embedbench.report_page.evidence import read_evidence
from pytest_embedbench.report_page.packing import packed, script_json
from pytest_embedbench.report_page.page import rendered_page, write_page
from pytest_embedbench.report_page.run_folder import read_page_runs, read_run
from pytest_embedbench.report_page.test_entry import group_of

if TYPE_CHECKING:
    from collections.abc import Mapping

HOSTILE = "</script><script>alert(1)</script><!--<img src=x onerror=alert(1)>\0\ud800"


def put(run: Path, folder: str, **record: object) -> Path:
    """Write the record of a test, and return its folder."""
    place = run / folder
    place.mkdir(parents=True)
    whole = {"test": folder, "outcome": "passed", "board": "uno", **record}
    (place / "test.json").write_text(json.dumps(whole))
    return place


class Scripts(HTMLParser):
    """The elements of a page that hold data or run, by their ids."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: dict[str, str] = {}
        self.tags: list[str] = []
        self.handlers: list[str] = []
        self._id: str | None = None
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.handlers += [name for name, _ in attrs if name.startswith("on")]
        if tag == "script":
            self._id = dict(attrs).get("id") or "program"

    def handle_endtag(self, tag: str) -> None:
        if tag == "script":
            self._id = None

    def handle_data(self, data: str) -> None:
        if self._id is not None:
            self.found[self._id] = self.found.get(self._id, "") + data

    def evidence(self, number: int) -> Mapping[str, Any]:
        text = self.found[f"evidence-{number}"].strip()
        table: Mapping[str, Any] = json.loads(zlib.decompress(base64.b64decode(text)))
        return table


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text() | st.sampled_from([HOSTILE]),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)


@settings(max_examples=50)
@given(JSON)
def test_data_in_a_script_ends_no_element_and_is_the_same_when_read(
    data: object,
) -> None:
    text = script_json(data)
    assert text.isascii()
    assert not re.search(r"[<>&']", text)
    assert json.loads(text) == data
    assert json.loads(zlib.decompress(base64.b64decode(packed(data)))) == data


def test_what_is_no_number_in_a_browser_is_a_text() -> None:
    figures = {"mean": float("nan"), "most": [float("inf"), -float("inf")]}
    said = {"mean": "NaN", "most": ["Infinity", "-Infinity"]}
    assert json.loads(script_json(figures)) == said
    assert json.loads(zlib.decompress(base64.b64decode(packed(figures)))) == said


def test_nothing_that_a_run_has_left_becomes_markup(tmp_path: Path) -> None:
    run = tmp_path / "run"
    place = put(
        run, "test_x.py/a", test=HOSTILE, outcome=HOSTILE, board=HOSTILE, blame=HOSTILE,
        reason=HOSTILE, brief={HOSTILE: HOSTILE}, tools={HOSTILE: HOSTILE},
    )  # fmt: skip
    (place / "transcript.log").write_bytes(b"0.000001 fw-> \xff\0" + b"</script>" * 3)
    (place / "plot.svg").write_text("<svg onload='alert(1)'><script>1</script></svg>")
    told = dict.fromkeys(("task", "board", "verdict", "stage", "reason"), HOSTILE)
    (run / "verdict.json").write_text(
        json.dumps({**told, "submission": HOSTILE, "tools": HOSTILE, "checks": []})
    )
    (run / "robustness.json").write_text(
        json.dumps({"trials": [{"check": HOSTILE, "tolerance": HOSTILE}]})
    )
    (run / "run.json").write_text(
        json.dumps({"arguments": [HOSTILE], "boards": [{"board": HOSTILE}]})
    )
    table = {"title": HOSTILE, "head": [HOSTILE], "rows": [[HOSTILE]], "note": HOSTILE}
    text = rendered_page([read_run(run)], [table])
    read = Scripts(text)
    assert read.tags.count("script") == 3, "data, the program, and one evidence"
    assert read.tags.count("img") == 0
    assert read.handlers == []
    assert read.evidence(0)["reason"] == HOSTILE
    assert "\\xff\0</script>" in read.evidence(0)["logs"]["transcript.log"]
    assert json.loads(read.found["embedbench-data"])["tests"][0][4] == HOSTILE


def test_only_the_pages_own_program_may_run(tmp_path: Path) -> None:
    put(tmp_path, "test_x.py/a")
    text = rendered_page([read_run(tmp_path)])
    policy = re.search(r'content="(default-src [^"]*)"', text)
    assert policy is not None
    assert "default-src 'none'" in policy[1]
    assert browser_code.digest(Scripts(text).found["program"]) in policy[1]
    assert re.findall(r"""(?:src|href|url)\W{1,2}https?:""", text) == []


@pytest.mark.parametrize(
    ("test", "board", "submission", "group"),
    [
        ("t.py::test_a[uno]", "uno", "", "t.py::test_a"),
        ("t.py::test_a[s2-uno-50]", "uno", "s2", "t.py::test_a[50]"),
        ("t.py::test_a[50-uno]", "uno", "", "t.py::test_a[50]"),
        ("t.py::test_a[uno2-uno]", "uno", "", "t.py::test_a[uno2]"),
        ("t.py::test_a[x]", "uno", "", "t.py::test_a[x]"),
        ("t.py::test_a", "", "", "t.py::test_a"),
    ],
)
def test_a_group_is_the_test_without_board_and_submission(
    test: str, board: str, submission: str, group: str
) -> None:
    assert group_of(test, board, submission) == group


def test_a_check_that_left_no_record_is_there_by_its_verdict(tmp_path: Path) -> None:
    put(tmp_path, "submissions/s1/t.py/a[uno]", test="t.py::a[s1-uno]")
    checks = [
        {"check": "t.py::a[uno]", "outcome": "passed", "folder": "t.py/a[uno]"},
        {"check": "t.py::b[uno]", "outcome": "broken", "reason": "no compiler"},
    ]
    for board in ("uno", "native"):
        file = tmp_path / "submissions" / "s1" / "suite" / board / "verdict.json"
        file.parent.mkdir(parents=True)
        file.write_text(json.dumps({"board": board, "checks": checks}))
    tests = read_run(tmp_path).tests
    assert [(t.group, t.outcome, t.submission, t.reason) for t in tests] == [
        ("t.py::a", "passed", "s1", ""),
        ("t.py::b[uno]", "broken", "s1", "no compiler"),
    ]


def test_a_verdict_leads_to_the_check_that_decided_it(tmp_path: Path) -> None:
    put(tmp_path, "t.py/a[uno-2]", test="t.py::a[uno-2]", outcome="failed")
    record = {"board": "uno", "decided_by": "t.py::a[uno-2]", "reason": "dry\nlines"}
    (tmp_path / "verdict.json").write_text(json.dumps(record))
    text = rendered_page([read_run(tmp_path)])
    assert '<a href="#test=t.py%2Fa%5Buno-2%5D">dry</a>' in text


def test_what_had_begun_when_a_run_was_ended_is_unfinished(tmp_path: Path) -> None:
    place = put(tmp_path, "t.py/a")
    for folder in (place, tmp_path / "t.py" / "b"):
        folder.mkdir(exist_ok=True)
        (folder / "running.json").write_text('{"test": "t.py::b", "board": "uno"}')
    (place.with_name("b") / "transcript.log").write_text("     0.000001 fw-> UP\n")
    run = read_run(tmp_path)
    assert [(it.test, it.outcome, it.board) for it in run.tests] == [
        ("t.py/a", "passed", "uno"),
        ("t.py::b", "unfinished", "uno"),
    ]
    left = Scripts(rendered_page([run])).evidence(1)
    assert left["logs"] == {"transcript.log": "     0.000001 fw-> UP\n"}


def test_what_is_broken_in_a_run_is_told_and_the_rest_is_shown(tmp_path: Path) -> None:
    put(tmp_path, "test_x.py/a", phases=3, brief=["B1"], attempt="x", reason=None)
    (tmp_path / "test_x.py" / "b").mkdir()
    (tmp_path / "test_x.py" / "b" / "test.json").write_bytes(b'{"test": "\xff')
    (tmp_path / "esr.json").write_text("[1]")
    (tmp_path / "robustness.json").write_text('{"trials": [1, {}]}')
    run = read_run(tmp_path)
    assert len(run.tests) == 1
    assert [words.partition(":")[0] for words in run.oddities] == [
        "test_x.py/b/test.json",
        "esr.json",
    ]
    assert "test_x.py/b/test.json: cannot be read" in rendered_page([run])


def test_a_place_without_a_run_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(ConfigError, match="no such folder"):
        read_run(tmp_path / "none")
    with pytest.raises(ConfigError, match=r"is no run's folder: it has no test\.json"):
        read_run(tmp_path)
    put(tmp_path / "run", "t.py/a")
    assert main(["report", str(tmp_path / "run")]) == 1
    assert "of any other run --html=FILE makes a page" in capsys.readouterr().err
    assert main(["report", str(tmp_path / "none")]) == 1
    assert "none: no such folder or file" in capsys.readouterr().err
    (tmp_path / "run" / "run.json").write_text('{"exit_status": 0}')
    for part in ("t.py", "t.py/a"):
        with pytest.raises(ConfigError, match=r"is a part of a run: name .*run$"):
            read_run(tmp_path / "run" / part)
    (tmp_path / "latest").symlink_to("20260101")
    with pytest.raises(ConfigError, match="holds several runs: name one of them"):
        read_run(tmp_path)


def test_runs_of_one_name_are_told_apart_and_each_is_there_once(tmp_path: Path) -> None:
    for name in ("before/run", "after/run", "other"):
        put(tmp_path / name, "t.py/a")
    names = ["before/run", "after/run", "other", "other", "after/../before/run"]
    runs = read_page_runs(tmp_path / name for name in names)
    assert [run.name for run in runs] == ["before/run", "after/run", "other"]


def test_what_is_cut_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("LOG", "TRACE", "WAVES", "PICTURE"):
        monkeypatch.setattr(evidence, f"MOST_{name}_BYTES", 100)
    lines = [f"{number:08}" for number in range(100)]
    text = "\n".join(lines) + "\n"
    (tmp_path / "transcript.log").write_text(text)
    (tmp_path / "trace.csv").write_text("timestamp_ms,level\n" + text)
    (tmp_path / "circuit.vcd").write_text(text)
    (tmp_path / "plot.svg").write_text(text)
    found = read_evidence(tmp_path)
    assert found.cuts == [
        "circuit.vcd: its first 98 bytes of 900 are in this page",
        "plot.svg: left out of this page (900 bytes)",
        "trace.csv: one sample of 10 is in this page",
        "transcript.log: 811 bytes of 900 are left out of this page",
    ]
    assert found.logs["transcript.log"].splitlines() == [
        *lines[:5],
        "... 811 bytes of 900 are left out of this page ...",
        *lines[-5:],
    ]
    kept = found.traces["trace.csv"].splitlines()
    assert kept == ["timestamp_ms,level", *lines[::10]]
    assert found.waves["circuit.vcd"].splitlines() == lines[:11]
    assert found.pictures == {}
    assert set(found.digests) == {"circuit.vcd", "trace.csv", "transcript.log"}
    assert found.digests["circuit.vcd"] == found.digests["transcript.log"], (
        "equal files"
    )


def test_the_log_of_a_build_that_failed_comes_along(tmp_path: Path) -> None:
    log = tmp_path / "cache" / "build.log"
    log.parent.mkdir()
    log.write_text("main.c:1: error: everything\n")
    reason = f"the firmware does not build: everything\nfull log: {log}"
    place = put(tmp_path / "run", "test_x.py/a", reason=reason, outcome="failed")
    assert read_evidence(place).logs == {"build.log": "main.c:1: error: everything\n"}


def test_failures_have_room_before_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(tmp_path, "test_x.py/a")
    put(tmp_path, "test_x.py/b", outcome="failed")
    run = read_run(tmp_path)
    whole = rendered_page([run])
    size = len(Scripts(whole).found["evidence-1"].strip())
    monkeypatch.setattr(page, "MOST_PACKED_BYTES", size + 8)
    cut = rendered_page([run])
    assert "evidence-1" in Scripts(cut).found
    assert "evidence-0" not in Scripts(cut).found
    assert "The evidence of 1 test is not in this page" in cut


def test_a_page_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    put(tmp_path / "run", "test_x.py/a")
    (tmp_path / "page.html").mkdir()
    with pytest.raises(ConfigError, match=r"page\.html: cannot be written"):
        write_page(tmp_path / "page.html", [read_run(tmp_path / "run")])
    assert list(tmp_path.glob(".page*")) == []


def test_rates_of_esr_are_bars_whatever_is_missing(tmp_path: Path) -> None:
    share = {"share": 0.5, "interval": [0.25, 0.75]}
    rates = [
        {"by": "model", "name": "<b>", "cases": 4, "E_str": share},
        {"by": "all", "E_str": {"share": None, "interval": None}},
        3,
    ]
    (tmp_path / "esr.json").write_text(json.dumps({"rates": rates}))
    text = rendered_page([read_run(tmp_path)])
    assert "--share:0.5" in text
    assert "50.0 % <small>25.0 to 75.0</small>" in text
    assert "&lt;b&gt;" in text


def test_cases_of_esr_are_rows_and_their_trials_are_no_tests(tmp_path: Path) -> None:
    trial = "esr/t.py/a[uno]"
    put(tmp_path, "t.py/a[uno-strict]", test="t.py::a[uno-strict]", outcome="failed")
    put(tmp_path, trial, test="t.py::a[uno-strict]", outcome="failed", trial_of="a")
    put(tmp_path, f"{trial}.2", test="t.py::a[uno-strict]", trial_of="a")
    evidence = [{"how": "strict", "tried": "", "end": "failed", "folder": trial}]
    cases: list[Any] = [
        {"case": "works", "outcome": "strict", "why": "not said"},
        {
            "test": "t.py::a[uno]", "case": "<servo>", "model": "m", "board": "uno",
            "outcome": "permissive-confirmed", "why": "assert 0 == 45\n  more",
            "corrections": ["SERVO_PIN 9 -> 10"], "pins_used": {"9": "drives"},
            "observed": False, "evidence": evidence,
            "findings": [{"kind": "contention", "text": "two drive"}],
        },
        {"outcome": "another", "corrections": 3, "evidence": [1], "pins_used": []},
        "none",
    ]  # fmt: skip
    (tmp_path / "esr.json").write_text(json.dumps({"cases": cases, "not_run": ["n"]}))
    run = read_run(tmp_path)
    assert [entry.trial for entry in run.tests] == ["trial", "strict", ""]
    rows = case_rows(run, several=False)
    assert [row["name"] for row in rows] == ["", "m: <servo>", "works"]
    assert rows[1]["corrections"] == ["SERVO_PIN 9\u00a0\u2192\u00a010"]
    assert rows[1]["used"] == ["9 (drives)"]
    assert rows[1]["trials"] == [("strict", "failed", f"#test={quote_plus(trial)}")]
    assert [note.partition(":")[0] for note in rows[1]["notes"]] == [
        "assert 0 == 45",
        "unseen",
        "two drive [contention]",
    ]
    text = rendered_page([run])
    assert "<strong>1</strong> failed" in text
    assert "m: &lt;servo&gt;" in text
    assert "1 another, 1 permissive-confirmed, 1 strict" in text


def test_what_was_not_tolerated_comes_first_and_leads_to_its_test(
    tmp_path: Path,
) -> None:
    put(tmp_path, "t.py/a[uno-2]", test="t.py::a[uno-2]", outcome="failed")
    trials = [
        {"check": "t.py::a[uno-1]", "board": "uno", "tolerance": "tolerated"},
        {
            "check": "t.py::a[uno-2]", "board": "uno", "tolerance": "not tolerated",
            "violated": "dry", "faults": [{"fault": "Drop", "ticks": 3}, 1], "seed": 0,
        },
    ]  # fmt: skip
    (tmp_path / "robustness.json").write_text(json.dumps({"trials": trials}))
    text = rendered_page([read_run(tmp_path)])
    assert "1 of 2 tolerated" in text
    found = text.index('<a href="#test=t.py%2Fa%5Buno-2%5D">a[uno-2]</a>')
    assert found < text.index("a[uno-1]")
    assert "<div>Drop (3 ticks)</div></td><td>0</td>" in text


def test_the_command_makes_one_page_of_any_runs_and_of_tables(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    put(tmp_path / "one", "test_x.py/a")
    put(tmp_path / "two", "test_x.py/a")
    index = tmp_path / "index.csv"
    index.write_text(
        "repetition,task_id,mode,model_label,pass_fail\n1,tank,oracle_full,m<1>,PASS\n"
    )
    file = tmp_path / "page.html"
    runs = [str(tmp_path / name) for name in ("one", "two")]
    assert main(["report", *runs, "--html", str(file)]) == 0
    assert capsys.readouterr().out == f"report page in {file} (0.1 MB)\n"
    assert main(["report", *runs, str(index), "--html", str(file)]) == 0
    text = file.read_text("ascii")
    assert "<h2>Table 5: all modes by model</h2>" in text
    assert '<th scope="row">m&lt;1&gt;</th>' in text
    data = json.loads(Scripts(text).found["embedbench-data"])
    assert data["runs"] == [
        {"name": "one", "place": "one"},
        {"name": "two", "place": "two"},
    ]


def test_links_to_files_start_at_the_page(tmp_path: Path) -> None:
    put(tmp_path / "runs" / "a run", "test_x.py/a")
    file = tmp_path / "pages" / "page.html"
    write_page(file, [read_run(tmp_path / "runs" / "a run")])
    data = json.loads(Scripts(file.read_text("ascii")).found["embedbench-data"])
    assert data["runs"][0]["place"] == "../runs/a%20run"
