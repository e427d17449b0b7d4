"""The tutorials, as a reader takes them: each file written, each command run.

Installing is left out: ``scripts/package`` does that, with the wheel alone.
"""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_embedbench.processes import sandbox
from tests.e2e.evaluator import skip_without_engine
from tests.support.doc_pages import walk
from tests.support.pty_uno import missing, pty_uno

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_embedbench.builders.platformio.core_setup import CoreSetup

DOCS = Path(__file__).parents[2] / "docs"
# The environment of the tests has what these make.
GIVEN = ("python3 -m venv", ". .venv", "pip install", "embedbench setup")
PAGES = (
    "quick_start.md",
    "pytest_embedded.md",
    "tutorials/circuit.md",
    "tutorials/hidden_evaluator.md",
    "tutorials/esr_benchmark.md",
)
PORT = """\
port = "{port}"
options = {{ silent_after_reset_ms = 1000 }}
reset = {{ command = ["touch", "{button}"] }}
flash = {{ reset = ["touch", "{button}"], answer_within_s = 5.0 }}"""


@pytest.fixture
def reader(seeded: CoreSetup, images_dir: Path, tmp_path: Path) -> dict[str, str]:
    """The environment of somebody who has installed what a page says."""
    skip_without_engine("uno")
    home = tmp_path / "home"
    home.mkdir()
    return {
        "HOME": str(home),
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "EMBEDBENCH_CORE": str(seeded.core_dir),
        "EMBEDBENCH_CACHE": str(images_dir),
        "EMBEDBENCH_LOCKS": str(tmp_path / "locks"),
    }


def taken(
    page: str, desk: Path, reader: Mapping[str, str], **instead: str
) -> list[str]:
    desk.mkdir(exist_ok=True)
    return walk(
        DOCS / page, desk, environment=reader, given=GIVEN, instead=instead or None
    )


@pytest.mark.parametrize("page", PAGES)
def test_a_page_works_as_it_says(
    page: str, reader: dict[str, str], tmp_path: Path
) -> None:
    desk = tmp_path / "desk"
    assert taken(page, desk, reader)
    assert (desk / "report.html").stat().st_size > 10_000


def test_a_campaign(reader: dict[str, str], tmp_path: Path) -> None:
    if sandbox.missing() is not None:
        pytest.skip("no bubblewrap here: apt-get install bubblewrap")
    assert taken("tutorials/campaign.md", tmp_path / "desk", reader)
    assert (tmp_path / "desk" / "report.html").is_file()


@pytest.mark.host_time
@pytest.mark.timeout(300)
def test_an_arduino_project_that_then_goes_to_a_lab(
    reader: dict[str, str], tmp_path: Path
) -> None:
    """The lab is two simulated boards behind ptys, in real time."""
    if reason := missing():
        pytest.skip(reason)
    if shutil.which("avrdude") is None:
        pytest.skip("no avrdude: apt-get install avrdude")
    desk = tmp_path / "desk"
    assert taken("tutorials/arduino_project.md", desk, reader)
    folders = [tmp_path / "uno-1", tmp_path / "uno-2"]
    for folder in folders:
        folder.mkdir()
    with (
        pty_uno(folders[0], listens_s=2) as first,
        pty_uno(folders[1], listens_s=2) as second,
    ):
        ports = {
            f'port = "/dev/ttyACM{number}"': PORT.format(
                port=board.port, button=board.button
            )
            for number, board in enumerate((first, second))
        }
        assert taken("tutorials/lab.md", desk, reader, **ports)
