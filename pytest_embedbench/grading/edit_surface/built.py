"""What was built of a submission for a board: how large, and out of which files.

A compiler for a board lists what it has read while it builds, and is believed where the
text of a submission leaves open what that is.
"""

from __future__ import annotations

import os.path
import re
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_embedbench.errors import DoesNotFit, OutsideEditSurface
from pytest_embedbench.grading.edit_surface.c_tokens import cut_up
from pytest_embedbench.grading.edit_surface.files import read
from pytest_embedbench.grading.edit_surface.reaching import leaves_open
from pytest_embedbench.grading.submitted import submitted
from pytest_embedbench.support.shown import shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_embedbench.grading.task import Suite
    from pytest_embedbench.model import FirmwareImage

MAX_IMAGE_BYTES = 64_000_000
"""Of a program with all that its ELF file says of it."""
_INSTALLED = ("/usr/", "/lib/", "/lib32/", "/lib64/", "/opt/")
_PACKAGE = Path(__file__).parents[2]
_ABSOLUTE = re.compile(r"/[^\s,;:\"'<>]+")


def check_built(suite: Suite, folder: Path, image: FirmwareImage) -> None:
    """Insist that an image is not too large, and made of nothing but what is built.

    Raises:
        DoesNotFit: its program is larger than ``MAX_IMAGE_BYTES``.
        OutsideEditSurface: naming every file that was read and is not of the package,
            the submission, the compiler, or what the package's settings name.
    """
    size_bytes = image.elf_path.stat().st_size
    if size_bytes > MAX_IMAGE_BYTES:
        raise DoesNotFit(too_large(size_bytes))
    if not image.metadata.get("cc") or not _leaves_open(suite, folder):
        return
    known = tuple(_known(suite, image))
    places = {os.path.normpath(path) for path, digest in image.inputs.items() if digest}
    of_the_task = f"{suite.root}/"
    beyond = sorted(
        path
        for path in places
        if path.startswith(of_the_task) or not path.startswith(known)
        if not suite.is_built(path.removeprefix(of_the_task))
    )
    if beyond:
        offences = [f"{shown(path)}: is read by the compiler" for path in beyond]
        surface = suite.task.edit_surface
        raise OutsideEditSurface(Path(shown(folder)), offences, surface)


def too_large(size_bytes: int) -> str:
    """Say that an image is beyond the limit."""
    return f"the program has {size_bytes} bytes, and may have {MAX_IMAGE_BYTES}"


def _leaves_open(suite: Suite, folder: Path) -> bool:
    found = {name: submitted(folder, name) for name in suite.task.edit_surface}
    return any(
        leaves_open(cut_up(read(file)), name, suite.is_built)
        for name, file in found.items()
        if file is not None
    )


def _known(suite: Suite, image: FirmwareImage) -> Iterator[str]:
    """Yield where headers and libraries may lie: folders, each with a stroke."""
    yield from _INSTALLED
    yield from (f"{_PACKAGE / name}/" for name in ("firmware", "platforms"))
    compiler = Path(image.metadata["cc"])
    if str(prefix := compiler.resolve().parents[1]) != "/":
        yield f"{prefix}/"
    core, packages, _ = str(compiler).partition("/packages/")
    if packages:
        yield f"{core}/"
    for path in _ABSOLUTE.findall((suite.root / "platformio.ini").read_text("utf-8")):
        yield f"{path.rstrip('/')}/"
