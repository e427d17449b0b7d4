"""The native engine keeps the contract, booted alone and from a fork server."""

from __future__ import annotations

from contextlib import closing

import pytest

from pytest_embedbench.bench.registry import Registry
from pytest_embedbench.contracts import Board
from pytest_embedbench.engines.native import Native, NativeForkServer
from pytest_embedbench.errors import ToolMissing
from pytest_embedbench.model import BoardSpec, FirmwareImage
from pytest_embedbench.testing import check_engine
from tests.e2e.native_firmware import NativeCompiler, needs_gcc

pytestmark = needs_gcc


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory) -> FirmwareImage:
    compiler = NativeCompiler(tmp_path_factory.mktemp("native"))
    return compiler.task("tank_fill_drain", "solution")


def test_native_keeps_the_contract(image: FirmwareImage) -> None:
    check_engine(Native(), Registry().board("native"), image)


class Copies:
    """An engine whose boards are copies of one process."""

    def __init__(self, server: NativeForkServer) -> None:
        self._server = server

    def boot(self, spec: BoardSpec, image: FirmwareImage) -> Board:
        del spec, image
        return self._server.boot()

    def missing(self) -> ToolMissing | None:
        return None

    def version(self) -> str:
        return "copies"


def test_copies_keep_the_contract(image: FirmwareImage) -> None:
    spec = Registry().board("native")
    with closing(NativeForkServer(spec, image)) as server:
        check_engine(Copies(server), spec, image)
