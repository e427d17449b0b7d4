"""A property holds or not; how fast the machine is has no say in it."""

from __future__ import annotations

import itertools
import re
import time
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import given, strategies as st

from pytest_embedbench.grading.properties import given_examples

ROOT = Path(__file__).parents[2]


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> None:
    """A clock that seconds go by on whenever hypothesis looks at it."""
    monkeypatch.setattr(time, "perf_counter", map(float, itertools.count()).__next__)


@pytest.mark.usefixtures("slow")
def test_our_own_properties_have_no_deadline() -> None:
    seen: list[list[int]] = []

    def takes(numbers: list[int]) -> None:
        seen.append(numbers)

    given(st.lists(st.integers()))(takes)()
    assert len(seen) > 20


@pytest.mark.usefixtures("slow")
def test_those_of_a_suite_have_none() -> None:
    seen: list[list[int]] = []

    def takes(numbers: list[int]) -> None:
        seen.append(numbers)

    request = SimpleNamespace(node=SimpleNamespace(user_properties=[]))
    given_examples(count=20, numbers=st.lists(st.integers()))(takes)(request=request)
    assert len(seen) >= 20


def test_nobody_has_a_profile_of_their_own() -> None:
    """Our own are in ``tests/conftest.py``, those of a suite in ``given_examples``."""
    tests = [*(ROOT / "tests").rglob("*.py"), *(ROOT / "example_suites").rglob("*.py")]
    settings = re.compile(
        r"settings\([^)]*(deadline|derandomize|health)|load_profile\("
    )
    having = [path for path in tests if settings.search(path.read_text())]
    assert having == [ROOT / "tests" / "conftest.py"]
