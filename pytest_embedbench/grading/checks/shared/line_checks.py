"""Line by line: what a parser takes each for, and what is written."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pytest_embedbench.grading.checks import malformed_lines
from pytest_embedbench.grading.checks.protocol_checks import (
    check_lines,
    check_refused,
    check_written,
)
from pytest_embedbench.grading.checks.shared.marks import enforcing

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from pytest_embedbench.grading.checks.shared.marks import Test
    from pytest_embedbench.grading.host.line_protocol import LineProtocol
    from pytest_embedbench.grading.task import Task


def readings(*brief: str) -> Test:
    """Check that every valid line is read."""
    return _of_lines(malformed_lines.readings, brief)


def malformed(*brief: str) -> Test:
    """Check that what begins as a reading and is none is told apart."""
    return _of_lines(malformed_lines.malformed, brief)


def faults(*brief: str) -> Test:
    """Check that sensors can report a failure of their own."""
    return _of_lines(lambda _task: malformed_lines.faults(), brief)


def ignored(*brief: str) -> Test:
    """Check that what is nobody's line is ignored."""
    return _of_lines(malformed_lines.ignored, brief)


def spaced(*brief: str) -> Test:
    """Check that space where it does not count changes nothing."""
    return _of_lines(malformed_lines.spaced, brief)


def miscased(*brief: str) -> Test:
    """Check that words in another case are other words."""
    return _of_lines(malformed_lines.miscased, brief)


def odd(*brief: str) -> Test:
    """Check that a byte that is no blank is part of the word that it is in."""
    return _of_lines(malformed_lines.odd, brief)


def written(*brief: str, **words: tuple[str, str]) -> Test:
    """Check that each actuator's line is written if it fits.

    Args:
        brief: What that enforces.
        words: By serialiser, what its line says for true and for false:
            ``pump=("ON", "OFF")``.
    """

    @enforcing(*brief)
    @_each_line(words)
    def check(protocol: LineProtocol, actuator: str, on: bool, line: str) -> None:  # noqa: FBT001  # as pytest gives it
        check_written(protocol, actuator, on=on, line=line)

    return check


def refused(*brief: str, **words: tuple[str, str]) -> Test:
    """Check that a line which does not fit is not written in part; as ``written``."""

    @enforcing(*brief)
    @pytest.mark.host_only("the driver on a board looks at what fits")
    @_each_line(words)
    def check(protocol: LineProtocol, actuator: str, on: bool, line: str) -> None:  # noqa: FBT001  # as pytest gives it
        check_refused(protocol, actuator, on=on, line=line)

    return check


def _each_line(words: Mapping[str, tuple[str, str]]) -> Callable[[Test], Test]:
    rows = [
        (name, on, f"ACT {name.upper()} {word}\n")
        for name, pair in words.items()
        for on, word in zip((True, False), pair, strict=True)
    ]
    names = [str(on) for _, on, _ in rows] if len(words) == 1 else None
    return pytest.mark.parametrize(("actuator", "on", "line"), rows, ids=names)


def _of_lines(lines: Callable[[Task], Iterable[str]], brief: Iterable[str]) -> Test:
    @enforcing(*brief)
    def check(protocol: LineProtocol, task: Task) -> None:
        check_lines(protocol, task, lines(task))

    return check
