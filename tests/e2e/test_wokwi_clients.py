"""The same talk by the engine here, by our client and by Wokwi's own: equal to the ns.

Wokwi's client needs an older websockets than ours, so it has an environment of its own:
``EMBEDBENCH_WOKWI_CLIENT_PYTHON`` names its Python.
"""

from __future__ import annotations

import json
import os
import subprocess
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_embedbench import Registry
from pytest_embedbench.contracts import HasCircuit
from pytest_embedbench.engines.wokwi import Wokwi
from tests.support.diagrams import diagram_text
from tests.support.wokwi_scripts import ATTRS, PARTS, PINS, SCRIPTS, WIRES, hold
from tests.support.wokwi_talk import TOKEN, wokwi_server

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pytest_embedbench.model import BoardSpec, FirmwareImage
    from pytest_embedbench.wokwi_server.server import WokwiServer
    from tests.support.wokwi_scripts import Step, Transcript

THEIRS = Path(__file__).parents[1] / "support" / "official_wokwi_client.py"
OFFICIAL = os.environ.get("EMBEDBENCH_WOKWI_CLIENT_PYTHON", "")


@pytest.fixture(scope="module")
def server() -> Iterator[WokwiServer]:
    with wokwi_server() as serving:
        yield serving


@pytest.fixture
def image(circuit_image: Callable[[str], FirmwareImage]) -> FirmwareImage:
    return circuit_image("uno")


@pytest.fixture
def diagram(tmp_path: Path) -> Path:
    file = tmp_path / "diagram.json"
    file.write_text(diagram_text(PARTS, *WIRES, attrs=ATTRS))
    return file


def with_options(name: str, **options: str) -> BoardSpec:
    spec = Registry().board(name)
    return replace(spec, options={**spec.options, **options})


def here(image: FirmwareImage, diagram: Path, steps: list[Step]) -> Transcript:
    spec = with_options("uno", diagram=str(diagram))
    with closing(Registry().engine(spec.engine).boot(spec, image)) as board:
        assert isinstance(board, HasCircuit)
        return hold(board, board.circuit, steps)


def by_ours(
    url: str, image: FirmwareImage, diagram: Path, steps: list[Step]
) -> Transcript:
    spec = with_options("wokwi-uno", diagram=str(diagram), server=url)
    engine = Wokwi(environ={"WOKWI_CLI_TOKEN": TOKEN})
    with closing(engine.boot(spec, image)) as board:
        return hold(board, board.circuit, steps)


def by_theirs(
    url: str, image: FirmwareImage, diagram: Path, steps: list[Step]
) -> Transcript:
    told = {
        "diagram": diagram.read_text(),
        "firmware": str(image.artifacts["firmware.hex"]),
        "steps": steps,
        "pins": PINS,
    }
    environ = {"WOKWI_CLI_SERVER": url, "WOKWI_CLI_TOKEN": TOKEN}
    done = subprocess.run(
        [OFFICIAL, str(THEIRS)],
        input=json.dumps(told),
        env={**os.environ, **environ},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    transcript: Transcript = json.loads(done.stdout)
    return transcript


@pytest.mark.parametrize("script", SCRIPTS)
def test_our_client_sees_what_is_here(
    server: WokwiServer, image: FirmwareImage, diagram: Path, script: str
) -> None:
    seen = here(image, diagram, SCRIPTS[script])
    assert len({json.dumps(row) for row in seen}) == len(seen) > 3
    assert by_ours(server.url, image, diagram, SCRIPTS[script]) == seen


@pytest.mark.skipif(not OFFICIAL, reason="needs EMBEDBENCH_WOKWI_CLIENT_PYTHON")
@pytest.mark.parametrize("script", SCRIPTS)
def test_wokwis_client_sees_what_is_here(
    server: WokwiServer, image: FirmwareImage, diagram: Path, script: str
) -> None:
    seen = here(image, diagram, SCRIPTS[script])
    assert by_theirs(server.url, image, diagram, SCRIPTS[script]) == seen
