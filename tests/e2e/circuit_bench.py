"""Benches in circuits: one sketch, built once for a board, in many a diagram."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import pytest

from pytest_embedbench import FirmwareSource, Rig
from pytest_embedbench.builders.platformio import PlatformIO
from pytest_embedbench.circuits.live import open_circuit
from pytest_embedbench.engines.simavr import Simavr
from tests.support.diagrams import diagram_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from pytest_embedbench.bench.bench import Bench
    from pytest_embedbench.builders.platformio.core_setup import CoreSetup
    from pytest_embedbench.circuits.circuit import Circuit
    from pytest_embedbench.model import FirmwareImage

__all__ = ["Wired", "circuit_image", "wired"]

SKETCH = Path(__file__).parent / "firmware_arduino" / "circuits.cpp"
INI = """
[env]
platform = atmelavr
framework = arduino
[env:uno]
board = uno
[env:mega]
board = megaatmega2560
"""


class Wired(Protocol):
    """Boots the sketch in a mode, in a circuit of parts and wires."""

    def __call__(
        self,
        mode: str,
        parts: Mapping[str, str],
        *wires: str,
        attrs: Mapping[str, Mapping[str, object]] | None = None,
        board: str = "uno",
        **options: int | bool,
    ) -> tuple[Bench, Circuit]: ...


@pytest.fixture(scope="session")
def circuit_image(
    seeded: CoreSetup, tmp_path_factory: pytest.TempPathFactory
) -> Callable[[str], FirmwareImage]:
    """Return a function that builds the sketch for a board, once."""
    missing = Simavr().missing()
    if missing is not None:
        pytest.skip(str(missing))
    root, out = (tmp_path_factory.mktemp(name) for name in ("circuits", "built"))
    (root / "src").mkdir()
    (root / "src" / "main.cpp").write_text(SKETCH.read_text())
    (root / "platformio.ini").write_text(INI)
    builder = PlatformIO(
        core_dir=seeded.core_dir, cache_dir=out / "cache", offline=True
    )
    built: dict[str, FirmwareImage] = {}

    def build(board: str) -> FirmwareImage:
        if board not in built:
            source = FirmwareSource(project_dir=root, environment=board)
            built[board] = builder.build(source, out / board)
        return built[board]

    return build


@pytest.fixture
def wired(
    circuit_image: Callable[[str], FirmwareImage], tmp_path: Path
) -> Iterator[Wired]:
    """Return a function that boots the sketch in a circuit; closes it in the end."""
    rig = Rig()
    with ExitStack() as opened:

        def boot(
            mode: str,
            parts: Mapping[str, str],
            *wires: str,
            attrs: Mapping[str, Mapping[str, object]] | None = None,
            board: str = "uno",
            **options: int | bool,
        ) -> tuple[Bench, Circuit]:
            count = len(list(tmp_path.iterdir()))
            file = tmp_path / f"{count}.json"
            whole = {board: f"wokwi-arduino-{board}", **parts}
            file.write_text(diagram_text(whole, *wires, attrs=attrs))
            spec = rig.registry.board(board)
            spec = replace(
                spec, options={**spec.options, **options, "diagram": str(file)}
            )
            folder = tmp_path / f"{count}-bench"
            folder.mkdir()
            booting = rig.bench(spec, circuit_image(board), folder=folder)
            bench = opened.enter_context(booting)
            bench.expect("ready", within_ms=100)
            bench.uart.send_bytes(mode.encode())
            return bench, open_circuit(bench)

        yield boot
