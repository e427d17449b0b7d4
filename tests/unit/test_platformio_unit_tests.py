"""Which suites of unit tests a project has in an environment."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

import pytest

from pytest_embedbench.builders.platformio.unit_tests import unit_tests

if TYPE_CHECKING:
    from pathlib import Path


def suites(root: Path, options: str) -> list[str]:
    for name in ("test_a", "test_b"):
        (root / "test" / name).mkdir(parents=True)
    (root / "platformio.ini").write_text(f"[env:x]\nplatform = native\n{options}\n")
    return [suite.name for suite in unit_tests(root, "x")]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("test_filter = nowhere", "test_filter = nowhere leaves .*: test_a, test_b$"),
        ("test_ignore = *_a, *_b", r"test_ignore = \*_a, \*_b leaves none"),
        ("test_filter = *_a\ntest_ignore = *_a", r"test_ignore = .* tests: test_a$"),
    ],
)
def test_the_option_that_leaves_no_suite_is_told(
    tmp_path: Path, options: str, said: str
) -> None:
    with pytest.warns(UserWarning, match=f"platformio.ini: env:x: {said}"):
        assert suites(tmp_path, options) == []


def test_options_that_leave_a_suite_are_not_told(tmp_path: Path) -> None:
    with warnings.catch_warnings(action="error"):
        assert suites(tmp_path, "test_ignore = *_b") == ["test_a"]
