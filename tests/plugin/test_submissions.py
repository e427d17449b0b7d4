"""Many submissions in one run: each judged as if it were the only one."""

from __future__ import annotations

import csv
import json
import os
import re
from typing import TYPE_CHECKING, Any

import pytest

from pytest_embedbench.grading.verdict_lines import JUDGED
from tests.plugin.conftest import TANK
from tests.plugin.many import STAGES, make_task
from tests.plugin.test_verdicts import CRASHES_AT_BOOT, LAZY, LOOP

if TYPE_CHECKING:
    from pathlib import Path

    from tests.plugin.conftest import Suite


@pytest.fixture
def task(suite: Suite) -> Suite:
    """A task whose firmware is the file that is submitted, and five submissions."""
    return make_task(suite)


def verdicts(suite: Suite) -> dict[str, dict[str, Any]]:
    """Return the verdict of each submission of the latest run, by its label."""
    run = suite.runs()[-1]
    return {
        file.relative_to(run / "submissions").parts[0]: json.loads(file.read_text())
        for file in sorted(run.rglob("verdict.json"))
    }


def endings(suite: Suite) -> dict[str, tuple[str | None, str | None]]:
    return {
        name: (record["verdict"], record["stage"])
        for name, record in verdicts(suite).items()
    }


def timeless(record: dict[str, Any]) -> str:
    """Return all that a verdict says but for times."""
    text = json.dumps(record, indent=1)
    return re.sub(r'"(\w*duration_s|started_at|ended_at)": .*', r"\1", text)


@pytest.mark.parametrize("workers", ["-n0", "-n2"])
def test_each_submission_has_a_verdict_of_its_own(task: Suite, workers: str) -> None:
    result = task.run("--embedbench-submissions=all", workers)
    assert endings(task) == STAGES
    assert all(record["complete"] for record in verdicts(task).values())
    result.stdout.fnmatch_lines(
        [
            "broken   tank  lab  full  INT   TARGET_BUILD  *expected ;",
            "crashes  tank  lab  full  INT   BOOT  *hard fault",
            "empty    tank  lab  full  NONE  -  *nothing submitted*",
            "good     tank  lab  full  PASS  INTEGRATION   all 2 checks passed",
            "lazy     tank  lab  full  INT   INTEGRATION *",
        ]
    )


def test_a_verdict_is_told_while_others_are_judged(task: Suite) -> None:
    result = task.run("--embedbench-submissions=all", "-v")
    told = [line for line in result.outlines if line.startswith(JUDGED)]
    assert [line.removeprefix(JUDGED).split()[0] for line in told] == list(STAGES)
    assert told[3].endswith("good     lab  PASS  INTEGRATION   all 2 checks passed")
    others = [n for n, line in enumerate(result.outlines) if "lazy" in line]
    assert result.outlines.index(told[0]) < others[0]


def test_a_verdict_is_that_of_a_run_on_one_submission(task: Suite) -> None:
    task.run("--embedbench-submissions=all", "-n2")
    many = verdicts(task)
    for name in STAGES:
        task.run(f"--embedbench-firmware={task.root / 'all' / name}", "-n0")
        (file,) = task.runs()[-1].rglob("verdict.json")
        assert timeless(json.loads(file.read_text())) == timeless(many[name])


def test_equal_runs_give_equal_verdicts(task: Suite) -> None:
    # However checks are shared out, and whatever a submission does.
    spins = CRASHES_AT_BOOT.replace("FirmwareCrash", "FirmwareSpin")
    (task.root / "all" / "spins").mkdir()
    (task.root / "all" / "spins" / "firmware.py").write_text(spins)
    many = LOOP.replace(
        "def test_loop", "@pytest.mark.parametrize('n', range(6))\ndef test_loop"
    )
    told = many.replace("plant)", "plant, n)").replace("pump_on", "pump_on, object()")
    task.test(told, "test_loop.py")
    runs: list[dict[str, str]] = []
    for words in (
        ("-n0",),
        ("-n2",),
        ("-n2", "--dist=loadfile"),
    ):
        task.run("--embedbench-submissions=all", *words)
        runs.append({name: timeless(each) for name, each in verdicts(task).items()})
    assert runs[0] == runs[1] == runs[2]
    spun = json.loads(next(task.runs()[-1].rglob("spins/**/verdict.json")).read_text())
    assert spun["counts"]["failed"] == 2
    assert spun["counts"]["skipped"] == 4


def test_one_submission_has_equal_verdicts_too(task: Suite) -> None:
    spins = CRASHES_AT_BOOT.replace("FirmwareCrash", "FirmwareSpin")
    (task.root / "all" / "lazy" / "firmware.py").write_text(spins)
    many = LOOP.replace(
        "def test_loop", "@pytest.mark.parametrize('n', range(12))\ndef test_loop"
    )
    task.test(many.replace("plant)", "plant, n)"), "test_loop.py")
    told: list[str] = []
    for words in (["-n0"], ["-n2"], ["-n2", "--dist=worksteal"]):
        task.run("--embedbench-firmware=all/lazy", *words)
        (file,) = task.runs()[-1].rglob("verdict.json")
        told.append(timeless(json.loads(file.read_text())))
    assert told[0] == told[1] == told[2]


def test_a_build_that_fails_is_told_once(task: Suite) -> None:
    many = LOOP.replace(
        "def test_loop", "@pytest.mark.parametrize('n', range(9))\ndef test_loop"
    )
    task.test(many.replace("plant)", "plant, n)"), "test_loop.py")
    task.run("--embedbench-firmware=all/broken")
    (file,) = task.runs()[-1].rglob("verdict.json")
    text = file.read_text()
    assert text.count("full log: ") == 1
    assert text.count("(whole: the reason of the verdict)") == 9


def test_the_files_of_a_check_lie_with_its_submission(task: Suite) -> None:
    task.run("--embedbench-submissions=all")
    own_dir = task.runs()[-1] / "submissions" / "good"
    folders = [check["folder"] for check in verdicts(task)["good"]["checks"]]
    assert "test_loop.py/test_loop[lab]" in folders
    assert (own_dir / "test_loop.py/test_loop[lab]/transcript.log").is_file()


def test_tables_are_written_in_the_order_of_names(task: Suite) -> None:
    task.run("--embedbench-submissions=all", "-n2")
    run = task.runs()[-1]
    rows = json.loads((run / "submissions.json").read_text())["rows"]
    assert [row["submission"] for row in rows] == list(STAGES)
    assert all((run / row["file"]).is_file() for row in rows)
    listed = list(csv.DictReader((run / "submissions.csv").read_text().splitlines()))
    assert [(row["submission"], row["verdict"]) for row in listed] == [
        (name, verdict) for name, (verdict, _) in STAGES.items()
    ]


def test_node_ids_name_the_submission(task: Suite) -> None:
    result = task.run("--embedbench-submissions=all", "-v", "-k", "good or lazy")
    result.stdout.fnmatch_lines(
        [
            "test_host.py::test_host[[]good] PASSED*",
            "test_loop.py::test_loop[[]good-lab] PASSED*",
            "test_host.py::test_host[[]lazy] PASSED*",
            "test_loop.py::test_loop[[]lazy-lab] FAILED*",
        ]
    )
    assert endings(task) == {name: STAGES[name] for name in ("good", "lazy")}


def test_one_can_be_named_by_its_node_id(task: Suite) -> None:
    result = task.run(
        "--embedbench-submissions=all", "test_loop.py::test_loop[lazy-lab]"
    )
    result.assert_outcomes(failed=1)
    assert endings(task) == {"lazy": STAGES["lazy"]}


def test_a_worker_that_dies_takes_one_submission_with_it(task: Suite) -> None:
    dies = LOOP.replace(
        "    bench.wait_for_boot()",
        "    if 'lazy' in request.node.name:\n        import os\n        os._exit(1)\n"
        "    bench.wait_for_boot()",
    ).replace("(bench,", "(request, bench,")
    task.test(dies, "test_loop.py")
    task.run("--embedbench-submissions=all", "-n2")
    assert endings(task) == STAGES | {"lazy": (None, "BENCH")}
    assert "crashed" in verdicts(task)["lazy"]["reason"]


def test_odd_names_are_shown_and_kept_apart(task: Suite) -> None:
    for name in ("a b", "a-b", "new\nline", os.fsdecode(b"caf\xe9"), "[x]"):
        (task.root / "odd" / name).mkdir(parents=True)
        (task.root / "odd" / name / "firmware.py").write_text(TANK)
    result = task.run("--embedbench-submissions=odd", "-n2")
    assert [record["verdict"] for record in verdicts(task).values()] == ["PASS"] * 5
    result.stdout.fnmatch_lines([r"new\nline *PASS*"])
    result.stdout.no_fnmatch_line("*INTERNALERROR*")


def test_lines_of_a_file_are_submissions(task: Suite) -> None:
    lines(
        task,
        {"name": "good", "files": {"firmware.py": TANK}},
        {"name": "none", "files": {}},
        {"name": "../out", "files": {"firmware.py": LAZY}},
        {"name": "there", "folder": "all/crashes"},
    )
    task.run("--embedbench-submissions=all.jsonl")
    found = {record["submission"]: record["verdict"] for record in by_place(task)}
    assert found == {
        f"{task.root}/all.jsonl#good": "PASS",
        f"{task.root}/all.jsonl#none": "NONE",
        f"{task.root}/all.jsonl#../out": "INT",
        f"{task.root}/all/crashes": "INT",
    }


@pytest.mark.parametrize(
    "path", ["../firmware.py", "/tmp/firmware.py", "firmware.py/x", "a\0b", "x" * 300]
)
def test_a_file_without_a_place_concerns_its_submission_alone(
    task: Suite, path: str
) -> None:
    lines(
        task,
        {"name": "bad", "files": {"firmware.py": TANK, path: "int x;"}},
        {"name": "good", "files": {"firmware.py": TANK}},
    )
    task.run("--embedbench-submissions=all.jsonl")
    assert endings(task) == {
        "bad": ("HOST", "EDIT_SURFACE"),
        "good": ("PASS", "INTEGRATION"),
    }
    assert not (task.root.parent / "firmware.py").exists()


@pytest.mark.parametrize("workers", [[], ["-n2"]], ids=["alone", "-n2"])
@pytest.mark.parametrize(
    ("place", "told"),
    [
        ("typo", "*typo: No such file or directory: name a folder of submissions*"),
        ("bare", "*bare: holds no submission: each folder in it would be"),
        ("broken.jsonl", "*broken.jsonl:2: is no JSON (*): each line is a table*"),
        ("wrong.jsonl", "*wrong.jsonl:1: each line is a table of name and files*"),
        ("bytes.jsonl", "*bytes.jsonl:1: files: 'a.c': is no text"),
        ("twice.jsonl", "*twice.jsonl:3: a is called like *twice.jsonl:1: give each*"),
        ("void.jsonl", "*void.jsonl: holds no submission: each line in it would be"),
    ],
)
def test_what_is_no_list_of_submissions_is_told_at_once(
    task: Suite, place: str, told: str, workers: list[str]
) -> None:
    (task.root / "bare").mkdir()
    (task.root / "bare" / "README.md").touch()
    good = json.dumps({"name": "a", "files": {}})
    for name, text in {
        "broken": f"{good}\n{{\n",
        "wrong": '{"name": "a", "sources": {}}\n',
        "bytes": '{"name": "a", "files": {"a.c": 1}}\n',
        "twice": f"{good}\n\n{good}\n",
        "void": "\n",
    }.items():
        (task.root / f"{name}.jsonl").write_text(text)
    result = task.run(f"--embedbench-submissions={place}", *workers)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"ERROR: --embedbench-submissions: {told}"])


def test_one_submission_and_many_are_not_judged_at_once(task: Suite) -> None:
    result = task.run("--embedbench-submissions=all", "--embedbench-firmware=all/good")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*both say what is judged: leave one of them out"])


def test_a_check_that_takes_no_parameters_is_our_fault(task: Suite) -> None:
    task.test(
        "import unittest, pytest\nclass Old(unittest.TestCase):\n"
        "    @pytest.mark.brief('T1')\n    def test_old(self): pass\n",
        "test_old.py",
    )
    result = task.run("--embedbench-submissions=all", "test_old.py")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*cannot be run for each of many submissions*"])


def test_a_submission_that_spins_leaves_the_others_their_tries(task: Suite) -> None:
    spins = CRASHES_AT_BOOT.replace("FirmwareCrash", "FirmwareSpin")
    (task.root / "all" / "crashes" / "firmware.py").write_text(spins)
    many = LOOP.replace(
        "def test_loop", "@pytest.mark.parametrize('n', range(4))\ndef test_loop"
    )
    task.test(many.replace("plant)", "plant, n)"), "test_loop.py")
    task.run("--embedbench-submissions=all", "-n0")
    counts = {name: record["counts"] for name, record in verdicts(task).items()}
    assert (counts["crashes"]["failed"], counts["crashes"]["skipped"]) == (2, 2)
    assert (counts["lazy"]["failed"], counts["lazy"]["skipped"]) == (4, 0)


def lines(suite: Suite, *tables: dict[str, Any]) -> Path:
    file: Path = suite.root / "all.jsonl"
    file.write_text("".join(json.dumps(table) + "\n" for table in tables))
    return file


def by_place(suite: Suite) -> list[dict[str, Any]]:
    return list(verdicts(suite).values())
