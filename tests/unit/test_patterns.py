"""Patterns for single lines, and how long one may take."""

from __future__ import annotations

import re
import signal
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from pytest_embedbench.errors import ConfigError
from pytest_embedbench.model import Direction, Line
from pytest_embedbench.wire import patterns
from pytest_embedbench.wire.patterns import Patterns, compiled, exact

if TYPE_CHECKING:
    from collections.abc import Callable, Generator


def numbered(*payloads: bytes) -> list[tuple[int, Line]]:
    said = [Line(0, Direction.FROM_FIRMWARE, payload) for payload in payloads]
    return list(enumerate(said))


def test_a_group_that_took_no_part_is_empty() -> None:
    found = compiled(r"(a)?(b)").search(numbered(b"b"))
    assert found is not None
    assert (found[1].group(1), found[1][2]) == ("", "b")


@pytest.mark.parametrize("pattern", ["a*", "a+", "a?", "a{2,9}", [b"a", "(a{1,9}){9}"]])
def test_a_pattern_that_repeats_may_run_away(pattern: str | list[str | bytes]) -> None:
    assert compiled(pattern).may_run_away


def test_a_plain_pattern_may_not() -> None:
    assert not compiled(["ACT PUMP ON", b"[0-9]", "a.b|c"]).may_run_away


@pytest.mark.parametrize(
    "pattern",
    [
        "OK\n",
        r"OK\r\n",
        b"OK\r\n",
        r"^OK\n$",
        r"a\\\n",
        ["A", "OK\n"],
        exact("OK\n"),
        re.compile("OK\n"),
    ],
)
def test_a_pattern_that_wants_a_line_end_is_refused(pattern: Patterns) -> None:
    with pytest.raises(ConfigError, match=r"can match no line, .*line ends"):
        compiled(pattern)


@pytest.mark.parametrize(
    ("pattern", "line"),
    [
        (r"OK\r?", b"OK"),
        (r"OK[\n]?", b"OK"),
        (r"a\\n", rb"a\n"),
        (exact(r"a\n"), rb"a\n"),
        (re.compile("O K\n", re.VERBOSE), b"OK"),
    ],
)
def test_a_pattern_that_only_looks_like_it_is_not(
    pattern: Patterns, line: bytes
) -> None:
    assert compiled(pattern).search(numbered(line))


def test_the_text_of_a_line_is_text() -> None:
    with pytest.raises(ConfigError, match=r"exact\(5\): give the text"):
        exact(5)  # type: ignore[arg-type]


def test_every_line_has_a_budget_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    renewed: list[None] = []

    @contextmanager
    def counted(_budget_s: float) -> Generator[Callable[[], None]]:
        yield lambda: renewed.append(None)

    monkeypatch.setattr(patterns, "cpu_budget", counted)
    assert compiled("x+").search(numbered(b"a", b"b", b"c")) is None
    assert len(renewed) == 3


def test_a_budget_leaves_no_timer_and_no_handler_behind() -> None:
    def theirs(_signum: int, _frame: object) -> None:
        pass

    before = signal.signal(signal.SIGVTALRM, theirs)
    try:
        compiled("x+").search(numbered(b"a"))
        assert signal.getitimer(signal.ITIMER_VIRTUAL) == (0.0, 0.0)
        assert signal.getsignal(signal.SIGVTALRM) is theirs
    finally:
        signal.signal(signal.SIGVTALRM, before)
