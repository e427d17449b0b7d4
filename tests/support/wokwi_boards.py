"""Boards of the engine ``wokwi`` at a service of a test's own, and images for them."""

from __future__ import annotations

from contextlib import closing, contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_embedbench import FirmwareImage, Registry
from pytest_embedbench.engines.wokwi import Wokwi
from tests.support.scripted_service import TOKEN, running

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pytest_embedbench.engines.wokwi.board import WokwiBoard
    from pytest_embedbench.model import BoardSpec
    from tests.support.scripted_service import ScriptedService

HEX = ":00000001FF\n"


def engine(token: str = TOKEN) -> Wokwi:
    """Return an engine that has a token and no patience."""
    return Wokwi(environ={"WOKWI_CLI_TOKEN": token}, close_s=0.2, retry_s=0.0)


def at_service(
    service: ScriptedService, name: str = "wokwi-uno", **options: str | float
) -> BoardSpec:
    """Return a board at a service."""
    spec = Registry().board(name)
    chosen = {"server": service.url, "answer_s": 5.0, "run_s_per_s": 5.0, **options}
    return replace(spec, options={**spec.options, **chosen})


def avr_hex(folder: Path) -> FirmwareImage:
    """Return an image for an AVR, with nothing in it."""
    file = folder / "firmware.hex"
    file.write_text(HEX)
    return FirmwareImage(
        environment="uno",
        elf_path=file,
        sha256="0" * 64,
        artifacts={file.name: file},
    )


@contextmanager
def booted(
    service: ScriptedService, folder: Path, name: str = "wokwi-uno", **options: str
) -> Iterator[WokwiBoard]:
    """Have a service, and an Uno that runs there."""
    with running(service):
        spec = at_service(service, name, **options)
        with closing(engine().boot(spec, avr_hex(folder))) as board:
            yield board
