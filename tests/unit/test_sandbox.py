"""From what a program may see to the words that start bubblewrap."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from pytest_embedbench.processes.sandbox import (
    Policy,
    refusal,
    with_its_prefix,
    words_for,
)


def pairs(policy: Policy) -> list[tuple[str, str]]:
    """Return each word with the one behind it."""
    return list(pairwise(words_for(policy)))


def test_nothing_is_writable_but_what_is_named(tmp_path: Path) -> None:
    words = words_for(Policy(writable=(tmp_path,)))
    assert [word for word in words if word in ("--bind", "--tmpfs")] == ["--bind"]
    assert words[-5:] == ("--remount-ro", "/", "--chdir", "/", "--")


def test_a_suite_among_what_is_readable_is_hidden(tmp_path: Path) -> None:
    suite = tmp_path / "lib" / "suite"
    suite.mkdir(parents=True)
    assert ("--tmpfs", str(suite)) in pairs(
        Policy(readable=(tmp_path / "lib",), hidden=(suite,))
    )


def test_a_suite_that_is_reached_by_a_link_is_hidden_there(tmp_path: Path) -> None:
    suite = tmp_path / "real" / "suite"
    suite.mkdir(parents=True)
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "real")
    policy = Policy(readable=(link,), hidden=(suite,))
    assert ("--tmpfs", str(link / "suite")) in pairs(policy)


def test_what_is_not_readable_need_not_be_hidden(tmp_path: Path) -> None:
    assert "--tmpfs" not in words_for(Policy(hidden=(tmp_path,)))


def test_what_lies_in_a_readable_folder_is_not_named_again(tmp_path: Path) -> None:
    policy = Policy(readable=(tmp_path / "a" / "b", tmp_path / "a", Path("/usr/x")))
    words = words_for(policy)
    assert words.count(str(tmp_path / "a")) == 2  # from and to
    assert str(tmp_path / "a" / "b") not in words
    assert "/usr/x" not in words


def test_a_program_in_the_home_does_not_open_the_home(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    program = tmp_path / "bin" / "cc"
    assert tmp_path not in with_its_prefix(str(program))
    deeper = tmp_path / "tools" / "bin" / "cc"
    assert tmp_path / "tools" in with_its_prefix(str(deeper))


@pytest.mark.parametrize(
    ("stderr", "why"),
    [
        ("bwrap: No permissions\n", "bwrap: No permissions"),
        ("a.c:1: error: bwrap: no\n", None),
        ("cc: error\nbwrap: no\n", None),
        ("", None),
    ],
)
def test_only_bubblewraps_own_and_only_line_is_its_refusal(
    stderr: str, why: str | None
) -> None:
    assert refusal(stderr) == why
