"""Flash a board: first who it is, then what it holds, and only then write."""

from __future__ import annotations

import hashlib
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from pytest_embedbench.errors import ConfigError, WrongBoard
from pytest_embedbench.flashing.attempts import Attempts
from pytest_embedbench.flashing.model import (
    After,
    Erase,
    FlashReport,
    FlashTarget,
    Identity,
    normalized_chip,
)
from pytest_embedbench.model import FirmwareImage

if TYPE_CHECKING:
    from collections.abc import Generator

    from pytest_embedbench.flashing.model import FlashSettings
    from pytest_embedbench.model import BoardSpec


def flash(
    spec: BoardSpec, image: FirmwareImage, port: str, *, settings: FlashSettings
) -> FlashReport:
    """Bring ``image`` onto the board at ``port``; nobody else may have it open.

    Nothing is written if the board is seen to hold the image already and nothing is
    to be erased. Whatever was tried is in the report, or in the error.

    Raises:
        WrongBoard: another chip or serial than expected is there; nothing was written.
        FlashFailed: a command failed as often as it was tried.
        ToolMissing: the program that flashes is not here.
        NotSupported: it cannot erase what is to be erased.
        ConfigError: the image has no file that the program could write.
    """
    method = settings.method
    with _attempts(spec, port, settings) as attempts:
        # What cannot work is said before the board is touched.
        method.write(attempts.target, image)
        if settings.erase is not Erase.NONE:
            method.erase(attempts.target, image, settings.erase)
        identity = _insist_on_board(attempts)
        written = settings.erase is not Erase.NONE or not _already_holds(
            attempts, image
        )
        if settings.erase is not Erase.NONE:
            attempts.retry(lambda at: method.erase(at, image, settings.erase))
        if written:
            attempts.retry(lambda at: method.write(at, image))
    return FlashReport(
        port=port,
        method=method.name,
        image_sha256=image.sha256,
        written=written,
        identity=identity,
        attempts=tuple(attempts.made),
    )


def identify(spec: BoardSpec, port: str, settings: FlashSettings) -> Identity | None:
    """Ask the board at ``port`` who it is; ``None`` where the method has no way to.

    Raises:
        FlashFailed: it does not answer.
        ToolMissing: the program that asks is not here.
    """
    with _attempts(spec, port, settings) as attempts:
        return _query_identity(attempts)


def park(spec: BoardSpec, port: str, settings: FlashSettings) -> FlashReport | None:
    """Put a board that has failed back on its parking image, if it has one.

    So that it fails no other test; it changes nothing about the verdict on this one.

    Raises:
        ConfigError: the parking image cannot be read.
        BenchFault: as ``flash`` does.
    """
    if settings.parking is None:
        return None
    path = settings.parking
    try:
        sha256 = hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError as error:
        raise ConfigError(f"the parking image cannot be read: {error}") from error
    offset = settings.parking_offset
    image = FirmwareImage(
        environment="parking",
        elf_path=path,
        sha256=sha256,
        key=sha256,
        artifacts={path.name: path},
        metadata={} if offset is None else {"application_offset": f"{offset:#x}"},
    )
    calm = replace(settings, erase=Erase.NONE, after=After.RUN)
    return flash(spec, image, port, settings=calm)


@contextmanager
def _attempts(
    spec: BoardSpec, port: str, settings: FlashSettings
) -> Generator[Attempts]:
    with TemporaryDirectory(prefix="embedbench-flash-") as scratch:
        target = FlashTarget(
            port=port,
            chip=normalized_chip(settings.chip or spec.mcu),
            baud_bps=settings.baud_bps,
            after=settings.after,
            scratch=Path(scratch),
        )
        yield Attempts(settings, target)


def _insist_on_board(attempts: Attempts) -> Identity | None:
    """Return who the board is, or raise if it is not the expected one."""
    settings, target = attempts.settings, attempts.target
    wanted = settings.serial.lower()
    found = _query_identity(attempts)
    if found is None:
        if wanted:
            raise ConfigError(
                f"serial {wanted!r} is expected on {target.port}, but "
                f"{settings.method.name} has no way to ask a board for it"
            )
        return None
    if found.chip != target.chip or (wanted and found.serial != wanted):
        expected = Identity(chip=target.chip, serial=wanted)
        raise WrongBoard(target.port, str(expected), str(found))
    return found


def _query_identity(attempts: Attempts) -> Identity | None:
    """Ask until an answer can be read, if there is a way to ask."""
    method, target = attempts.settings.method, attempts.target
    if (first := method.query_identity(target)) is None:
        return None

    answer = attempts.retry(
        lambda at: method.query_identity(at) or first,
        accept=lambda attempt: (
            method.parse_identity(target, attempt.output) is not None
        ),
    )
    identity = method.parse_identity(target, answer.output)
    if identity is None:
        raise attempts.failure(f"{method.name} did not say what board it is")
    return identity


def _already_holds(attempts: Attempts, image: FirmwareImage) -> bool:
    """Say whether the board is seen to hold ``image``; a doubt is a no."""
    step = attempts.settings.method.compare(attempts.target, image)
    if step is None:
        return False
    return attempts.run_once(step, attempts.target.baud_bps).returncode == 0
