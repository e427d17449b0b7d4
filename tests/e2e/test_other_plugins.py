"""Fixtures that other plugins own are theirs, and our checks run all the same."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.e2e.native_firmware import needs_gcc

if TYPE_CHECKING:
    from pathlib import Path

    from tests.e2e.evaluator import Evaluator

pytestmark = [needs_gcc, pytest.mark.timeout(300)]

# pytest-testinfra has a fixture of that name and scope; the others are names that a
# plugin with hosts and images would take.
THEIRS = """
import pytest


@pytest.fixture(scope="module")
def host(request):
    return "a machine to look at"


@pytest.fixture
def host_program(host):
    return f"a program on {host}"


@pytest.fixture(scope="session")
def registry():
    return "where images are"
"""


# Whatever comes later takes the place of fixtures of the same name.
BEFORE, AFTER = ["-pmachines"], list[str]()
TEST = """
def test_theirs(host, host_program, registry):
    assert host == "a machine to look at"
    assert host_program == "a program on a machine to look at"
    assert registry == "where images are"
"""


@pytest.mark.parametrize("early", [BEFORE, AFTER], ids=["before us", "after us"])
def test_a_plugin_with_fixtures_of_its_own_and_ours_get_along(
    early: list[str],
    evaluate: Evaluator,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (tmp_path / "machines.py").write_text(THEIRS)
    (tmp_path / "test_machines.py").write_text(TEST)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setenv("PYTEST_PLUGINS", "" if early else "machines")
    printed = evaluate.run(
        str(tmp_path / "test_machines.py"),
        *early,
        "--embedbench-firmware=solution",
        "-ka_short_silence or fills_and_stops or theirs",
    )
    assert "3 passed" in printed
    assert " failed" not in printed
    assert " error" not in printed
