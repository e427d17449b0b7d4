"""Lines of UARTs on the terminal while they are said."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_embedbench.bench.live_lines import listen, listener_for
from pytest_embedbench.model import Direction, Line

if TYPE_CHECKING:
    from tests.plugin.conftest import Suite

TALK = """\
import logging


def test_talk(bench, caplog):
    bench.wait_for_boot()
    print("captured")
    assert (bench.folder / "running.json").exists()
    bench.send("\\x1b[2Jlevel 5")
    bench.run_for(20)
    assert caplog.messages == []
    assert bench.transcript.tail()
"""


def test_lines_are_shown_past_all_capturing_and_only_when_asked(suite: Suite) -> None:
    suite.test(TALK)
    silent = suite.run("--log-cli-level=INFO", "-v")
    silent.assert_outcomes(passed=1)
    silent.stdout.no_fnmatch_line("* s fw-> *")
    done = suite.run("--embedbench-live", "--log-cli-level=INFO", "-v")
    done.assert_outcomes(passed=1)
    done.stdout.re_match_lines(
        [r"lab \d\.\d{6} s fw-> \S+", r"lab \d\.\d{6} s ->fw \\x1b\[2Jlevel 5"]
    )
    done.stdout.no_fnmatch_line("*captured*")
    assert listener_for("lab") is None
    assert not [*suite.root.rglob("running.json")]


def test_a_mistyped_value_is_refused(suite: Suite) -> None:
    done = suite.run("--embedbench-live", "test_it.py")
    done.stderr.fnmatch_lines(
        ["ERROR: --embedbench-live: 'test_it.py' is not one of: on, off"]
    )


def test_a_line_shows_what_a_transcript_shows() -> None:
    shown: list[str] = []
    end = listen(shown.append)
    say = listener_for("uno")
    end()
    assert say is not None
    say([Line(12_345, Direction.FROM_FIRMWARE, b"nobody hears it")])
    end = listen(shown.append)
    say([Line(12_345, Direction.FROM_FIRMWARE, b"a\x00\xff")])
    end()
    assert shown == [r"uno 0.012345 s fw-> a\x00\xff"]
