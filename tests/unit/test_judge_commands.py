"""``embedbench answer`` and ``embedbench judge``, from questions to a table."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from pytest_embedbench.cli import main
from tests.support.chat_server import (
    Answered,
    ChatServer,
    chat_server,
    grades,
    reach_it_directly,
    said,
)

pytest.importorskip("httpx", reason="pip install 'pytest-embedbench[judge]'")

KEY = "sk-this-is-secret"


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ChatServer]:
    reach_it_directly(monkeypatch)
    monkeypatch.setenv("JUDGE_KEY", KEY)
    with chat_server() as serving:
        yield serving


@pytest.fixture
def triplets(tmp_path: Path) -> Path:
    (tmp_path / "board.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(8))
    rows = [
        {"question_id": name, "task_query": f"{name}?", "answer": "D9",
         "capability": "pins", "device_image": "board.png"}
        for name in ("q1", "q2")
    ]  # fmt: skip
    file = tmp_path / "triplets.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return file


def run(server: ChatServer, *words: object) -> int:
    asked = (f"--endpoint={server.url}", "--key-variable=JUDGE_KEY", "--retries=0")
    return main([*map(str, words), *asked])


def answer(server: ChatServer, triplets: Path, *words: str) -> int:
    out = f"--out={triplets.parent / 'answers.jsonl'}"
    return run(server, "answer", triplets, out, "--model=m", *words)


def judge(server: ChatServer, triplets: Path, *words: str) -> int:
    folder = triplets.parent
    places = (triplets, folder / "answers.jsonl", f"--out={folder / 'out'}")
    return run(server, "judge", *places, "--model=j", *words)


def test_answers_are_written_judged_and_go_on(
    server: ChatServer, triplets: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    answers = triplets.parent / "answers.jsonl"
    server.otherwise = lambda _: said(f"use D{len(server.requests)}")
    assert answer(server, triplets, "--no-images") == 0
    assert [type(each["messages"][1]["content"]) for each in server.requests] == [
        str
    ] * 2
    answers.write_bytes(answers.read_bytes().rstrip(b"\n"))  # as an editor may leave it
    assert answer(server, triplets) == 0
    assert answer(server, triplets) == 0
    assert len(server.requests) == 4
    lines = [json.loads(line) for line in answers.read_text().splitlines()]
    assert [(each["question_id"], each["input"]) for each in lines] == [
        ("q1", "text"), ("q2", "text"), ("q1", "text+image"), ("q2", "text+image"),
    ]  # fmt: skip

    server.otherwise = lambda _: said(grades(4))
    assert judge(server, triplets, "--judgings=2", "--jobs=2") == 0
    assert len(server.requests) == 4 + 4 * 2 * 4
    assert judge(server, triplets, "--judgings=2") == 0
    assert len(server.requests) == 4 + 4 * 2 * 4, "all was kept"
    out = triplets.parent / "out"
    assert (out / "judge.csv").read_text().splitlines() == [
        "model,input,pins,overall,scored",
        "m,text,75.0 ± 0.0,75.0 ± 0.0,4/4",
        "m,text+image,75.0 ± 0.0,75.0 ± 0.0,4/4",
    ]
    about = json.loads((out / "judge.json").read_text())
    assert (about["judge"], about["prompts"]["version"]) == ("j", 1)
    kept = [file for file in triplets.parent.rglob("*") if file.is_file()]
    assert len(kept) > 10
    assert not any(KEY.encode() in file.read_bytes() for file in kept)
    assert KEY not in str(capsys.readouterr())


def test_gaps_are_named_and_the_judge_compared(
    server: ChatServer, triplets: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("scipy", reason="pip install 'pytest-embedbench[stats]'")
    row = {"model": "m", "question_id": "q1", "answer": "D9"}
    (triplets.parent / "answers.jsonl").write_text(json.dumps(row) + "\n")
    scores = triplets.parent / "people.jsonl"
    scores.write_text(json.dumps({**row, "rating": 3}) + "\n")
    server.script = [said(grades(4))] * 4 + [said("no idea")] * 2
    words = ("--judgings=2", f"--against={scores}")
    assert judge(server, triplets, *words) == 3
    captured = capsys.readouterr()
    assert "m (text+image): 1 of 2 questions have no answer, q2 for one" in captured.err
    assert "q1, judging 2: no score: initial: unreadable twice" in captured.err
    assert "75.0" in captured.out
    row_of = next(line for line in captured.out.splitlines() if "people" in line)
    assert row_of.split()[1:] == ["1", "0.250", "1", "-"]


def test_a_fault_of_the_server_is_one_line(
    server: ChatServer, triplets: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    server.otherwise = lambda _: Answered(b"no", 401)
    assert answer(server, triplets) == 1
    said_so = capsys.readouterr().err
    assert said_so.count("\n") == 1
    assert "HTTP 401: it does not let us in" in said_so


def test_a_refused_request_is_a_gap(
    server: ChatServer, triplets: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    server.script = [Answered(b"too large", 413), said("D9")]
    assert answer(server, triplets) == 3
    captured = capsys.readouterr()
    assert "q1: " in captured.err
    assert captured.out.endswith("1 answers added\n")


@pytest.mark.parametrize(
    ("word", "told"),
    [
        ("--setting=temperature", "is no NAME=JSON"),
        ("--setting=model=1", "setting 'model': is set already"),
        ("--jobs=0", "--jobs=0: must be 1 or more"),
    ],
)
def test_an_option_that_cannot_be_is_named(
    server: ChatServer,
    triplets: Path,
    word: str,
    told: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert answer(server, triplets, word) == 1
    assert told in capsys.readouterr().err
    assert server.requests == []
