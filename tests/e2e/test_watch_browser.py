"""The live view in a browser, beside a run that goes on."""

from __future__ import annotations

import json
import re
import threading
from typing import TYPE_CHECKING

import pytest

from pytest_embedbench.bench.artifacts import point_latest
from pytest_embedbench.bench.runs_in_use import release_runs
from pytest_embedbench.lab.inventory.labfile import load_lab
from pytest_embedbench.lab.leases.acquire import Leases
from pytest_embedbench.watch.choosing import WatchedRun
from pytest_embedbench.watch.lab_view import LabView
from pytest_embedbench.watch.server import WatchServer

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from playwright.sync_api import Browser

RUNNING = {"test": "t.py::test_fills[uno]", "board": "uno", "started_at": "2026"}
ENDED = {**RUNNING, "outcome": "failed", "blame": "firmware", "reason": "it ran dry"}
LAB = """\
[boards.desk]
board = "uno"
port = "/dev/ttyNONE0"
labels = ["relay"]
"""


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """The folder of a test that runs on a board by now."""
    run = tmp_path / "runs" / "20260101T000000Z-1"
    place = run / "t.py" / "test_fills[uno]"
    place.mkdir(parents=True)
    (place / "running.json").write_text(json.dumps(RUNNING) + "\n")
    (place / "transcript.log").write_text("     0.000520 fw-> DBG BOOTED\n")
    point_latest(run)
    yield place
    release_runs()


@pytest.fixture
def server(folder: Path, tmp_path: Path) -> Iterator[WatchServer]:
    """The server of that run, and of a lab whose board is not there."""
    (tmp_path / "lab.toml").write_text(LAB)
    lab = LabView(load_lab(tmp_path / "lab.toml"), Leases(folder=tmp_path))
    served = WatchServer(WatchedRun(folder.parents[2], lab=lab), token="known")
    thread = threading.Thread(target=served.serve_forever, args=(0.01,))
    thread.start()
    yield served
    served.shutdown()
    thread.join()
    served.close()


def test_lines_and_values_appear_as_they_come(
    browser: Browser, server: WatchServer, folder: Path
) -> None:
    tab = browser.new_page()
    complaints: list[str] = []
    tab.on("pageerror", lambda error: complaints.append(str(error)))
    tab.on("console", lambda message: complaints.append(message.text))
    tab.set_default_timeout(20_000)
    tab.goto(server.url)
    tab.get_by_text("DBG BOOTED").wait_for()
    tab.get_by_role("list", name="Boards").get_by_text("uno [relay]").wait_for()
    assert tab.get_by_text("absent not there: /dev/ttyNONE0").count() == 1
    with (folder / "transcript.log").open("a") as transcript:
        transcript.write("     0.010810 fw-> ACT PUMP ON\n     0.0200")
    (folder / "trace.csv").write_text("timestamp_ms,level\n0,20\n100,25\n")
    tab.locator(".lines").get_by_text("ACT PUMP ON").wait_for()
    tab.get_by_role("img", name=re.compile("lanes: level, from firmware")).wait_for()
    with (folder / "transcript.log").open("a") as transcript:
        transcript.write("00 fw-> </li><img src=x onerror=alert(1)>\n")
    tab.locator(".lines").get_by_text("</li><img src=x onerror=alert(1)>").wait_for()
    (folder / "test.json").write_text(json.dumps(ENDED) + "\n")
    tab.get_by_text("it ran dry").wait_for()
    tab.get_by_role("link", name="t.py test_fills[uno] failed").wait_for()
    assert complaints == []
    without_token = server.url.removesuffix("known/")
    answer = tab.goto(without_token)
    assert answer is not None
    assert answer.status == 403
    assert tab.inner_text("body").strip() == "this address is not for you"
    tab.close()
