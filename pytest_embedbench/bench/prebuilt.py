"""Whether a firmware that was built elsewhere is one for a board."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_embedbench.contracts import ChecksImages, KnowsImageKinds
from pytest_embedbench.errors import ConfigError, FirmwareFault
from pytest_embedbench.support.image_kinds import ImageKind, image_kind, read_segments

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_embedbench.contracts import Engine
    from pytest_embedbench.model import BoardSpec, FirmwareSource

_NAMED = {
    ".elf": ImageKind.ELF,
    ".hex": ImageKind.HEX,
    ".ihex": ImageKind.HEX,
    ".uf2": ImageKind.UF2,
}
_SHOWN_BYTES = 16


def check_kind(engine: Engine, spec: BoardSpec, source: FirmwareSource) -> None:
    """Insist that an engine runs that image on a board, as far as it can tell.

    Raises:
        ConfigError: it does not run such images, and the message says which it runs; or
            the file is damaged, not what its name says, or not made for the board.
    """
    file = source.project_dir / source.parts[0]
    kind = image_kind(file)
    _check_whole(file, kind)
    if not isinstance(engine, KnowsImageKinds):
        return
    kinds = engine.image_kinds(spec)
    if kind.value not in kinds:
        raise ConfigError(
            f"image {file}: is {kind.value}, and board {spec.name!r} ({spec.engine}) "
            f"runs {', '.join(kinds)}"
        )
    if isinstance(engine, ChecksImages):
        try:
            engine.check_image(spec, file)
        except FirmwareFault as misfit:
            raise ConfigError(
                f"image {misfit}; board {spec.name!r} needs one that is built for it"
            ) from misfit


def _check_whole(file: Path, kind: ImageKind) -> None:
    named = _NAMED.get(file.suffix.lower())
    if kind is ImageKind.BIN and named is not None:
        with file.open("rb") as opened:
            begins = opened.read(_SHOWN_BYTES)
        raise ConfigError(
            f"image {file}: is named {file.suffix}, and is no {named.value}: it begins "
            f"with {begins!r}"
        )
    if kind in (ImageKind.HEX, ImageKind.UF2):
        try:
            read_segments(file)
        except FirmwareFault as damage:
            raise ConfigError(f"image {damage}") from damage
