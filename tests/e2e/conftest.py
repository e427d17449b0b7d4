"""What end-to-end tests share: a PlatformIO that needs no registry."""

from __future__ import annotations

import socket
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_embedbench.builders.platformio import PlatformIO
from pytest_embedbench.errors import ToolMissing
from tests.e2e.browsers import browser
from tests.e2e.circuit_bench import circuit_image, wired
from tests.e2e.evaluator import Evaluator
from tests.e2e.host_controllers import HostStage
from tests.support.slim import WITHOUT

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator

    from pytest_embedbench.builders.platformio.core_setup import CoreSetup


__all__ = ["browser", "circuit_image", "wired"]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol() -> Generator[None, object, object]:
    """Have the pytests that these tests start do without what they do not need."""
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("PYTEST_ADDOPTS", " ".join(WITHOUT))
        return (yield)


@pytest.fixture(scope="session")
def seeded(tmp_path_factory: pytest.TempPathFactory) -> CoreSetup:
    """A private core directory, made of what this machine has."""
    try:
        return PlatformIO(core_dir=tmp_path_factory.mktemp("core")).set_up()
    except ToolMissing as missing:
        pytest.skip(str(missing))


@pytest.fixture
def platformio(seeded: CoreSetup, tmp_path: Path) -> PlatformIO:
    """A builder with a cache of its own."""
    return PlatformIO(
        core_dir=seeded.core_dir, cache_dir=tmp_path / "cache", offline=True
    )


@pytest.fixture
def host_stage(tmp_path: Path) -> Iterator[HostStage]:
    """What builds submissions to the tank, and steps them."""
    stage = HostStage(tmp_path)
    yield stage
    stage.stop()


@pytest.fixture
def make_project(tmp_path: Path) -> Callable[..., Path]:
    """Return a function that writes a PlatformIO project, files by relative path."""

    def make(
        ini: str, files: dict[str, str] | None = None, at: str = "project"
    ) -> Path:
        root = tmp_path / at
        for path, text in {"platformio.ini": ini, **(files or {})}.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text)
        return root

    return make


@pytest.fixture
def answering() -> Iterator[int]:
    """The number of a port on this machine where something answers."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port: int = server.getsockname()[1]
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError as error:
            pytest.skip(f"this machine cannot even reach itself: {error}")
        yield port


@pytest.fixture(scope="session")
def images_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache that evaluations share."""
    return tmp_path_factory.mktemp("images")


@pytest.fixture
def evaluate(seeded: CoreSetup, images_dir: Path, tmp_path: Path) -> Evaluator:
    """A function that runs a hidden suite."""
    return Evaluator(seeded.core_dir, images_dir, tmp_path)
