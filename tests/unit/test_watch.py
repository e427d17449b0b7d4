"""The live view: what is new in files, a run's state, and who is let in."""

from __future__ import annotations

import http.client
import json
import os
import socket
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest

from pytest_embedbench.bench.artifacts import json_text, point_latest
from pytest_embedbench.bench.runs_in_use import release_runs
from pytest_embedbench.errors import ConfigError, UnknownName
from pytest_embedbench.lab.inventory.labfile import load_lab
from pytest_embedbench.lab.leases.acquire import Leases
from pytest_embedbench.lab.leases.lease import BoardRequest
from pytest_embedbench.watch.choosing import WatchedRun, chosen
from pytest_embedbench.watch.following import news_of
from pytest_embedbench.watch.lab_view import EVERY_S, LabView
from pytest_embedbench.watch.run_view import RunView
from pytest_embedbench.watch.server import WatchServer

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

FIRST, SECOND = "20260101T000000Z-1", "20260101T000001Z-1"
TOKEN = "known"


def put(folder: Path, name: str, record: dict[str, Any] | str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    text = record if isinstance(record, str) else json_text(record)
    (folder / name).write_text(text, encoding="utf-8")


def running(test: str, board: str) -> dict[str, Any]:
    return {"test": test, "board": board, "started_at": "2026-01-01T00:00:00Z"}


@pytest.fixture
def run(tmp_path: Path) -> Iterator[Path]:
    """A run that goes on, with a test that has ended and one that has not."""
    folder = tmp_path / FIRST
    put(folder / "t.py" / "a", "running.json", running("t.py::a", "uno"))
    put(folder / "t.py" / "a", "transcript.log", "     0.000100 fw-> READY\n")
    put(folder / "t.py" / "a" / "bench-2", "transcript.log", "     0.000200 fw-> 2\n")
    ended = {**running("t.py::b", "nano"), "outcome": "failed", "blame": "firmware"}
    put(folder / "t.py" / "b", "test.json", ended)
    point_latest(folder)
    yield folder
    release_runs()


# ------------------------------------------------------------------ what is new
def test_news_are_whole_lines_since_an_offset(tmp_path: Path) -> None:
    file = tmp_path / "log"
    file.write_bytes(b"one\ntw")
    first = news_of(file, 0)
    assert (first.text, first.offset) == ("one\n", 4)
    assert news_of(file, 4).text == ""
    file.write_bytes(b"one\ntwo \xff\n")
    assert news_of(file, 4).text == "two \\xff\n"


def test_a_file_that_is_shorter_than_before_is_another_one(tmp_path: Path) -> None:
    file = tmp_path / "log"
    file.write_bytes(b"new\n")
    news = news_of(file, 100)
    assert (news.is_anew, news.text, news.offset) == (True, "new\n", 4)


def test_of_much_that_is_new_there_are_first_line_and_end(tmp_path: Path) -> None:
    file = tmp_path / "trace.csv"
    file.write_text("ms,level\n" + "".join(f"{ms:04},1\n" for ms in range(1000)))
    size = file.stat().st_size
    news = news_of(file, 0, most_bytes=20)
    assert (news.head, news.text) == ("ms,level\n", "0998,1\n0999,1\n")
    assert news.skipped_bytes == size - len(news.head) - len(news.text)
    assert news.offset == size
    later = news_of(file, 9, most_bytes=20)
    assert (later.head, later.skipped_bytes) == ("", size - 9 - 14)


def test_a_line_without_an_end_does_not_stop_the_news(tmp_path: Path) -> None:
    file = tmp_path / "log"
    file.write_bytes(b"x" * 50)
    news = news_of(file, 0, most_bytes=50)
    assert (len(news.text), news.offset) == (50, 50)


@pytest.mark.parametrize("kind", ["link", "pipe", "folder"])
def test_only_plain_files_are_read(tmp_path: Path, kind: str) -> None:
    file = tmp_path / "log"
    if kind == "link":
        (tmp_path / "secret").write_text("secret\n")
        file.symlink_to(tmp_path / "secret")
    elif kind == "pipe":
        os.mkfifo(file)
    else:
        file.mkdir()
    with pytest.raises(OSError, match="log"):
        news_of(file, 0)


# ------------------------------------------------------------------ a run's state
def test_a_run_shows_its_tests_and_what_its_boards_do(run: Path) -> None:
    state = RunView(run).state()
    assert state["is_going"]
    assert [(row["key"], row["state"]) for row in state["tests"]] == [
        ("t.py/a", "running"),
        ("t.py/b", "failed"),
    ]
    assert state["boards"] == [
        {"board": "nano", "tests": [], "ended": {"failed": 1}},
        {"board": "uno", "tests": ["t.py::a"], "ended": {}},
    ]
    only = RunView(run, board="nano").state()["tests"]
    assert [row["test"] for row in only] == ["t.py::b"]


def test_what_a_dead_run_had_begun_is_interrupted(run: Path) -> None:
    release_runs()
    put(run / "t.py" / "c", "test.json", '{"half":')
    states = {row["test"]: row["state"] for row in RunView(run).state()["tests"]}
    assert states == {"t.py::a": "interrupted", "t.py::b": "failed"}


def test_news_of_a_test_are_those_of_all_its_benches(run: Path) -> None:
    view = RunView(run)
    files = view.news("t.py/a", {})["files"]
    assert [*files] == ["bench-2/transcript.log", "transcript.log"]
    offsets = {name: news["offset"] for name, news in files.items()}
    assert all(not n["text"] for n in view.news("t.py/a", offsets)["files"].values())
    assert view.news("t.py/b", {})["record"]["blame"] == "firmware"


def test_nothing_outside_of_the_run_is_read(run: Path, tmp_path: Path) -> None:
    put(tmp_path / "other", "transcript.log", "secret\n")
    (run / "t.py" / "out").symlink_to(tmp_path / "other")
    (run / "t.py" / "a" / "linked").symlink_to(tmp_path / "other")
    view = RunView(run)
    for key in ("../other", "t.py/out", str(tmp_path / "other"), "t.py/none", "", "."):
        assert view.news(key, {}) == {"files": {}, "record": None}, key
    assert "linked/transcript.log" not in view.news("t.py/a", {})["files"]


def test_cells_of_a_campaign_have_states(run: Path) -> None:
    cells = [{"id": name, "agent": "a", "task": "t"} for name in ("x", "y", "z")]
    put(run, "campaign.json", {"cells": cells})
    put(run / "cells" / "x", "result.json", {"verdict": "HOST", "reason": "pump"})
    put(run / "cells" / "y", "agent.log", "thinking\n")
    put(run / "cells" / "y" / "workspace", "test.json", {"test": "agent's own"})
    (run / "cells" / "y" / "records" / "submissions" / "001").mkdir(parents=True)
    view = RunView(run)
    state = view.state()
    shown = [
        (cell["test"], cell["state"], cell["submitted"]) for cell in state["cells"]
    ]
    assert shown == [("x", "HOST", 0), ("y", "running", 1), ("z", "waiting", 0)]
    assert len(state["tests"]) == 2
    assert view.news("cells/y", {})["files"]["agent.log"]["text"] == "thinking\n"


def test_the_boards_of_a_lab_say_how_they_stand(tmp_path: Path) -> None:
    file = tmp_path / "lab.toml"
    boards = {"far": "socket://a:1", "near": "socket://b:1", "gone": "/dev/ttyNONE0"}
    file.write_text(
        "".join(
            f'[boards.{name}]\nboard = "any-serial"\nport = "{port}"\n'
            for name, port in boards.items()
        )
        + 'labels = ["desk"]\n[boards.off]\nboard = "uno"\nport = "socket://c:1"\n'
        'disabled = "it smokes"\n'
    )
    lab, leases = load_lab(file), Leases(listed=list, folder=tmp_path)
    now_s = [0.0]
    view = LabView(lab, leases, now_s=lambda: now_s[0])
    wanted = BoardRequest(name="far", boards=(("far", lab.boards["far"].query),))
    (lease,) = leases.acquire([wanted], wait_s=0)
    states = {row["board"]: row["state"] for row in view.rows()}
    assert states == {
        "far": "held", "near": "free", "gone": "absent", "off": "disabled",
    }  # fmt: skip
    assert f"by pid {os.getpid()} on " in view.rows()[0]["words"]
    assert view.rows()[2]["labels"] == ["desk"]
    lease.release()
    assert view.rows()[0]["state"] == "held", "it was looked at just now"
    now_s[0] = EVERY_S
    assert view.rows()[0]["state"] == "free"
    watched = WatchedRun(tmp_path, lab=view)
    assert [row["board"] for row in watched.state()["lab"]] == [*boards, "off"]


# ------------------------------------------------------------------ which run
def test_the_latest_run_is_waited_for_and_followed(tmp_path: Path) -> None:
    watched = WatchedRun(tmp_path / "runs")
    assert watched.state()["run"] == ""
    put(tmp_path / "runs" / FIRST / "t.py" / "a", "running.json", running("a", "uno"))
    assert watched.state()["run"] == FIRST
    put(tmp_path / "runs" / SECOND, "run.json", "{}\n")
    assert watched.state()["run"] == SECOND
    assert watched.news(FIRST, "t.py/a", {})["files"] == {}


def test_a_word_is_a_board_a_run_or_a_mistake(run: Path) -> None:
    root = run.parent
    assert chosen("latest", root, ["uno"]).run_dir is None
    assert chosen("uno", root, ["uno"]).board == "uno"
    assert chosen(FIRST, root, ["uno"]).run_dir == run.resolve()
    assert chosen(str(run), root, ["uno"]).run_dir == run.resolve()
    assert chosen(str(root), root, ["uno"]).root == root
    (root / "src").mkdir()
    with pytest.raises(ConfigError, match="is no run's folder"):
        chosen(str(root / "src"), root, ["uno"])
    with pytest.raises(UnknownName, match="uno"):
        chosen("unp", root, ["uno"])
    with pytest.raises(ConfigError, match="no such run"):
        chosen("20260102T000000Z-1", root, ["uno"])


# ------------------------------------------------------------------ who is let in
@contextmanager
def serving(watched: WatchedRun) -> Iterator[WatchServer]:
    server = WatchServer(watched, token=TOKEN)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join()
        server.close()


def get(server: WatchServer, path: str, **headers: str) -> tuple[int, str, Any]:
    asked = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=5)
    asked.request("GET", path, headers=headers)
    answer = asked.getresponse()
    body = answer.read().decode()
    asked.close()
    return answer.status, body, answer.headers


def test_a_page_is_served_to_whoever_knows_its_address(run: Path) -> None:
    with serving(WatchedRun(run.parent)) as server:
        status, page, headers = get(server, f"/{TOKEN}/")
        assert status == 200
        assert "<title>embedbench watch" in page
        assert "script-src 'sha256-" in headers["Content-Security-Policy"]
        _, text, _ = get(server, f"/{TOKEN}/state")
        answer = json.loads(text)
        assert answer["state"]["run"] == FIRST
        _, text, _ = get(server, f"/{TOKEN}/state?have={answer['version']}")
        assert json.loads(text) == {"version": answer["version"]}
        query = f"run={FIRST}&key=t.py/a&have=%7B%22transcript.log%22:3%7D"
        _, text, _ = get(server, f"/{TOKEN}/news?{query}")
        assert "READY" in json.loads(text)["files"]["transcript.log"]["text"]
        for have in ("[]", "{", "%7B%22transcript.log%22:-5%7D"):
            assert get(server, f"/{TOKEN}/news?run=x&key=y&have={have}")[0] == 200
        assert get(server, f"/{TOKEN}/../../etc/passwd")[0] == 404


@pytest.mark.parametrize(
    ("path", "host"),
    [
        ("/", None),
        ("/state", None),
        ("/known%00/state", None),
        (f"/{TOKEN}/state", "evil.example:80"),
        (f"/{TOKEN}/state", "127.0.0.1"),
    ],
)
def test_nobody_else_is_let_in(tmp_path: Path, path: str, host: str | None) -> None:
    with serving(WatchedRun(tmp_path)) as server:
        headers = {"Host": host} if host else {}
        status, body, _ = get(server, path, **headers)
    assert (status, body) == (403, "this address is not for you\n")


def test_whoever_says_nothing_does_not_keep_the_server(tmp_path: Path) -> None:
    before = threading.active_count()
    with serving(WatchedRun(tmp_path)) as server:
        port = server.server_port
        silent = socket.create_connection(("127.0.0.1", port), timeout=5)
        assert get(server, f"/{TOKEN}/")[0] == 200
    assert silent.recv(1) == b""
    silent.close()
    assert threading.active_count() == before
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", port), timeout=5)
