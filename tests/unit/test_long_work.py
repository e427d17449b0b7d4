"""How far long work is: the estimate, and what is said of it where nobody looks on."""

from __future__ import annotations

import io
import sys
from dataclasses import dataclass, field

import pytest

from pytest_embedbench.esr.truth.running import is_item_end
from pytest_embedbench.support.progress import LongWork, PlainLines, time_left


@dataclass
class HostTime:
    now_s: float = 100.0
    written: list[str] = field(default_factory=list[str])

    def __call__(self) -> float:
        return self.now_s


def work(time: HostTime, total: int, each_s: float, pieces: int) -> list[str]:
    lines = PlainLines("mutants", total, time, time.written.append)
    with LongWork("mutants", total, time, lines) as going:
        for _ in range(pieces):
            time.now_s += each_s
            going.piece_done()
    return time.written


def test_the_rest_is_estimated_by_the_mean_of_what_is_done() -> None:
    assert time_left(2, 5, 20.0) == "about 30 s to go"
    assert time_left(1, 100, 5.0) == "about 8 min to go"
    assert time_left(10, 1000, 100.0) == "about 2.8 h to go"
    assert time_left(0, 5, 20.0) == ""
    assert time_left(5, 5, 20.0) == ""
    assert time_left(6, 5, 20.0) == "", "an item that fails in teardown ends twice"


@pytest.mark.parametrize(
    ("line", "ends"),
    [
        ("[gw0] [ 50%] PASSED ../t.py::test_it[uno-strict] ", True),
        ("../t.py::test_it[uno-strict] FAILED            [100%]", True),
        ("FAILED ../t.py::test_it[uno-strict]", False),
        ("../t.py::test_it[uno-strict] ", False),
        ("images: 50% of 3 PASSED", False),
    ],
)
def test_the_end_of_an_item_is_told_from_all_else(line: str, *, ends: bool) -> None:
    assert is_item_end(line) is ends


def test_a_line_comes_at_most_every_so_many_per_cent() -> None:
    said = work(HostTime(), total=1000, each_s=1.0, pieces=1000)
    assert len(said) == 19
    assert said[0] == "mutants: 50 of 1000, about 16 min to go\n"
    assert said[-1] == "mutants: 950 of 1000, about 50 s to go\n"


def test_lines_are_far_enough_apart_in_time() -> None:
    said = work(HostTime(), total=10, each_s=4.0, pieces=10)
    assert said == [
        "mutants: 3 of 10, about 28 s to go\n",
        "mutants: 6 of 10, about 16 s to go\n",
        "mutants: 9 of 10, about 4 s to go\n",
    ]
    assert work(HostTime(), total=100, each_s=0.05, pieces=100) == []


def test_the_piece_that_is_under_way_is_named() -> None:
    time = HostTime()
    lines = PlainLines("setup", 3, time, time.written.append)
    with LongWork("setup", 3, time, lines) as going:
        for name in ("platforms", "SCons", "toolchain-atmelavr"):
            going.begin_piece(name)
            time.now_s += 20
    assert time.written == [
        "setup: 1 of 3, SCons, about 40 s to go\n",
        "setup: 2 of 3, toolchain-atmelavr, about 20 s to go\n",
    ]


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_terminal_has_a_bar_and_what_is_piped_stays_as_it_is(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pytest.importorskip("rich", reason="pip install rich")
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    terminal, piped = Terminal(), io.StringIO()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setattr(sys, "stdout", piped)
    time = HostTime()
    with LongWork("submissions", 4, time) as going:
        sys.stdout.write("[bold]PASS[/bold] s1\n")
        time.now_s += 90
        going.piece_done()
        sys.stderr.write("said meanwhile\n")
    assert piped.getvalue() == "[bold]PASS[/bold] s1\n"
    shown = terminal.getvalue()
    assert "submissions" in shown
    assert "about 4 min to go" in shown
    assert "said meanwhile" in shown
    assert sys.stderr is terminal
    monkeypatch.setenv("CI", "true")
    terminal.truncate(0)
    with LongWork("submissions", 4, time) as going:
        time.now_s += 90
        going.piece_done()
    assert (
        terminal.getvalue().lstrip("\0") == "submissions: 1 of 4, about 4 min to go\n"
    )
