"""A night in the small: many tests, few boards, and what goes wrong in a lab."""

from __future__ import annotations

import json
import re
import select
import threading
from collections import Counter
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

import pytest

from pytest_embedbench.cli import main
from pytest_embedbench.faults.seeded_random import SeededRandom
from tests.plugin.test_bad_boards import WRONG_CHIP
from tests.plugin.test_lab import KIND
from tests.support.network_ports import SharedPort, server
from tests.support.pty_board import Pty, PtyBoard

if TYPE_CHECKING:
    import socket
    from collections.abc import Generator
    from pathlib import Path

    from pytest_embedbench.testing import LoopbackUart
    from tests.plugin.conftest import Suite

TESTS = 24
"""As many as show all that goes wrong: each on the far board takes most of a second."""
SEED = 12
PULLED_AFTER = 3
"""Few enough that it has so many tests, however slow the others are."""
SUITE = f"""
import pytest

@pytest.mark.parametrize("turn", range({TESTS}))
def test_it(bench, turn):
    bench.send("HELLO")
    bench.wait_for_boot("^READY$", within_ms=30_000)
    bench.send(f"PING {{turn}}")
    bench.expect(f"^PONG {{turn}}$", within_ms=30_000)
"""
LAB = """\
[boards.wrong]
board = "kind"
port = "{wrong}"
labels = ["desk"]
{wrong_chip}

[boards.loose]
board = "kind"
port = "socket://{loose}"
labels = ["desk"]
options = {{ reappears_within_ms = 30_000 }}

[boards.pulled]
board = "kind"
port = "{pulled}"
labels = ["desk"]

[boards.held]
board = "kind"
port = "{held}"
labels = ["desk"]

[boards.far]
board = "kind"
port = "rfc2217://{far}"
labels = ["desk"]
"""


def answer(line: bytes) -> bytes:
    return b"READY\n" if line == b"HELLO" else line.replace(b"PING", b"PONG") + b"\n"


def answering(uart: LoopbackUart) -> Generator[int, None, None]:
    pending = b""
    while True:
        *lines, pending = (pending + uart.read()).split(b"\n")
        for line in lines:
            uart.write(answer(line))
        yield 1


class Pulled:
    """A board on a thread that somebody unplugs after ``answers`` of its answers."""

    def __init__(self, link: Path, *, answers: int) -> None:
        self._link = link
        self._answers = answers
        self._pty = Pty()
        link.symlink_to(self._pty.path)
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def close(self) -> None:
        self._stop.set()
        self._thread.join()
        self._pull()

    def _pull(self) -> None:
        self._link.unlink(missing_ok=True)
        self._pty.unplug()

    def _run(self) -> None:
        asked = b""
        while not self._stop.is_set():
            asked += self._pty.hear(1, within_s=0.05)
            if not asked.endswith(b"\n"):
                continue
            line, asked = asked[:-1], b""
            self._answers -= line.startswith(b"PING")
            if self._answers < 0:
                self._pull()
                return
            self._pty.say(answer(line))


class Loose:
    """A board behind a socket that loses power at random, and its connection too."""

    def __init__(self, *, seed: int) -> None:
        self._chance = SeededRandom.of(seed)
        self._has_restarted = False

    def __call__(self, connection: socket.socket, stop: int) -> None:
        if self._has_restarted:
            connection.sendall(b"READY\n")
            self._has_restarted = False
        pending = b""
        while stop not in select.select([connection.fileno(), stop], [], [])[0]:
            if not (data := connection.recv(4096)):
                return
            *lines, pending = (pending + data).split(b"\n")
            for line in lines:
                if line.startswith(b"PING") and self._chance.once_in(2):
                    self._has_restarted = True
                    return
                connection.sendall(answer(line))


@contextmanager
def night(folder: Path) -> Generator[Path]:
    """Set up the lab of five boards; yields its file."""
    folder.mkdir()
    file = folder / "embedbench.toml"
    with ExitStack() as plugged:
        wrong, held, far = (PtyBoard(answering) for _ in range(3))
        pulled = Pulled(folder / "pulled", answers=PULLED_AFTER)
        for board in (wrong, held, far, pulled):
            plugged.callback(board.close)
        desk = plugged.enter_context(server(SharedPort(far.path)))
        loose = plugged.enter_context(server(Loose(seed=SEED)))
        file.write_text(
            LAB.format(
                wrong=wrong.path,
                loose=loose.place,
                pulled=folder / "pulled",
                held=held.path,
                far=desk.place,
                wrong_chip=WRONG_CHIP,
            )
        )
        hold = ["lab", "hold", "held", "--why", "soldering", "--lab", str(file)]
        assert main(hold) == 0
        yield file


@pytest.mark.timeout(600)
def test_a_night_in_the_small(
    suite: Suite, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EMBEDBENCH_LOCKS", str(tmp_path / "locks"))
    suite.board("kind", KIND)
    suite.test(SUITE)
    verdicts: list[list[str]] = []
    for number in range(2):
        with night(tmp_path / f"night-{number}") as file:
            result = suite.run(
                *("-n4", "--reruns=5", "--only-rerun=BoardLost"),
                f"--embedbench-lab={file}",
                board="desk",
            )
        said = result.stdout.str()
        # What met a bad board had another one: all that can pass has passed.
        assert result.parseoutcomes() == {"passed": TESTS, "rerun": 4}, said
        assert "firmware fault" not in said
        result.stdout.fnmatch_lines(
            [
                "embedbench: loose is out for this run after 3 faults: loose was away*",
                "embedbench: pulled is out for this run after 1 fault: pulled: */*",
                "embedbench: wrong is out for this run after 3 faults: wrong: the wr*",
            ]
        )
        run = suite.runs()[number]
        record = json.loads((run / "lab.json").read_text())
        boards = {name: its["passed"] for name, its in record["boards"].items()}
        assert boards["pulled"] == PULLED_AFTER
        assert boards["wrong"] == 0
        assert "held" not in boards
        assert sum(boards.values()) == TESTS
        blames = Counter(
            json.loads(each.read_text())["blame"] for each in run.rglob("test.json")
        )
        assert blames == {None: TESTS, "bench": 4}
        verdicts.append(sorted(re.findall(r"embedbench: (\w+) is out", said)))
    assert verdicts[0] == verdicts[1] == ["loose", "pulled", "wrong"]
