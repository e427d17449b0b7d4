"""A bench without pytest, in a script of its own and here."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_embedbench import (
    BoardLost,
    BuildError,
    ConfigError,
    UnknownName,
    open_bench,
)
from tests.e2e.evaluator import skip_without_engine
from tests.e2e.native_firmware import SUITES

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_embedbench.builders.platformio.core_setup import CoreSetup

ROOT = SUITES.parent
TANK = SUITES / "tank_fill_drain"
PAGE = ROOT / "docs" / "bench.md"
CODE = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
NO_PYTEST = """
import sys
tests = {"pytest", "_pytest", "pluggy", "xdist", "hypothesis"}
print("loaded:", *sorted(tests & {name.split(".")[0] for name in sys.modules}))
"""
INI = "[env:native]\nplatform = native\nlib_deps = embedbench_port\n"


@pytest.fixture(autouse=True)
def _set_up(seeded: CoreSetup, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have what ``embedbench setup`` would have made, and a cache of our own."""
    monkeypatch.setenv("PLATFORMIO_CORE_DIR", str(seeded.core_dir))
    monkeypatch.setenv("EMBEDBENCH_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)


def script_of_the_page() -> str:
    blocks = re.findall(
        r"^```python\n(.*?)^```", PAGE.read_text(), re.MULTILINE | re.DOTALL
    )
    (script,) = (block for block in blocks if "open_bench" in block)
    return str(script)


def test_the_script_on_the_page_runs_and_loads_no_pytest(tmp_path: Path) -> None:
    skip_without_engine("uno")
    Path("example_suites").symlink_to(SUITES)
    done = subprocess.run(
        [sys.executable, "-c", script_of_the_page() + NO_PYTEST],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    answer, transcript, loaded = done.stdout.splitlines()
    assert answer.startswith("ACT PUMP O")
    assert answer in (tmp_path / transcript).read_text()
    assert loaded == "loaded:"


def test_each_bench_has_a_folder_of_its_own_where_it_is_asked_for() -> None:
    folders = []
    for environment in ("", "native"):
        with open_bench(
            "native", TANK, environment=environment, artifacts="kept"
        ) as bench:
            bench.wait_for_boot()
            folders.append(bench.folder)
    assert len(set(folders)) == 2
    for folder in folders:
        assert folder.parent == Path("kept", "benches")
        assert "DBG BOOTED" in (folder / "transcript.log").read_text()


def test_the_board_is_gone_after_the_block_whatever_ended_it() -> None:
    with suppress(ZeroDivisionError), open_bench("native", TANK) as bench:
        bench.wait_for_boot()
        raise ZeroDivisionError
    with pytest.raises(BoardLost):
        bench.run_for(10)


def test_options_of_the_board_are_its_engines() -> None:
    with (
        pytest.raises(ConfigError, match="cpu_limit"),
        open_bench("native", TANK, options={"cpu_limit": 1}),
    ):
        pass


def test_options_are_a_mapping() -> None:
    with (
        pytest.raises(ConfigError, match=r"options = \[1\]: give a mapping"),
        open_bench("native", TANK, options=[1]),  # type: ignore[arg-type]
    ):
        pass


@pytest.mark.parametrize(
    ("board", "environment"), [("native", "uno"), ("uno", "native")]
)
def test_an_environment_of_another_board_is_the_callers_mistake(
    board: str, environment: str
) -> None:
    skip_without_engine(board)
    with (
        pytest.raises(
            ConfigError,
            match=f"what environment '{environment}' builds does not run on board "
            f"'{board}', which runs {board}",
        ),
        open_bench(board, TANK, environment=environment),
    ):
        pass


def test_what_cannot_be_is_told_by_our_own_errors(
    make_project: Callable[..., Path], tmp_path: Path
) -> None:
    for error, arguments in (
        (UnknownName, ("nativ", TANK)),
        (ConfigError, ("native", tmp_path / "nowhere")),
        (BuildError, ("native", make_project(INI, {"src/main.c": "int main(\n"}))),
    ):
        with pytest.raises(error), open_bench(*arguments):
            pass
    with pytest.raises(UnknownName), open_bench("native", TANK, builder="make"):
        pass
