"""What a compiler says that it reads for a submission, judged before it compiles it."""

from __future__ import annotations

import os.path
import re
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from pytest_embedbench.errors import OutsideEditSurface
from pytest_embedbench.grading.edit_surface.c_tokens import cut_up
from pytest_embedbench.grading.edit_surface.reaching import may_assemble
from pytest_embedbench.support.shown import shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from pytest_embedbench.processes.guarded import Finished

_HEADER = re.compile(r"^\.+ (.+)$", re.MULTILINE)
"""Of ``-H``: a dot for each file that includes it."""
_SEARCHED = re.compile(r"^ (/.+)$", re.MULTILINE)
"""Of ``-v``: folders of headers, between commands that look alike."""
_ASSEMBLED, _OBJECT = "assembled.d", "assembled.o"


class RunCompiler(Protocol):
    """Runs the compiler in the scratch folder, with the flags of the host driver."""

    def __call__(self, *words: str) -> Finished:
        """Return how it ended; a failure is no error here."""
        ...


def check_reads(
    overlay: Mapping[str, Path],
    sources: Iterable[str],
    stage: Path,
    run: RunCompiler,
) -> str:
    """Insist that nothing but what is built and installed headers is read.

    The preprocessor is asked, who opens what ``#include`` names however it is made and
    whether or not the rest compiles; and the assembler, if a source can make it open
    anything.

    Args:
        overlay: The files of the submission, by where they lie in ``stage``.
        sources: What is compiled, by where it lies in ``stage``.
        stage: The folder of all that is built.
        run: The compiler.

    Returns:
        The sources preprocessed, if that was done and could be.

    Raises:
        OutsideEditSurface: naming every file beyond.
    """
    if not overlay:
        return ""
    done = run("-E", "-H", "-v", *sources)
    told = done.stderr
    folders = [path for path in _SEARCHED.findall(told) if Path(path).is_dir()]
    read = {*_HEADER.findall(told), *_assembled(overlay, sources, stage, run)}
    known = [os.path.normpath(path) for path in (str(stage), *folders)]
    places = {os.path.normpath(os.path.join(stage, path)) for path in read}  # noqa: PTH118
    beyond = sorted(path for path in places if not _is_below(path, known))
    if beyond:
        folder = os.path.commonpath([file.parent for file in overlay.values()])
        offences = [f"{shown(path)}: is read by the compiler" for path in beyond]
        raise OutsideEditSurface(Path(shown(folder)), offences, overlay)
    return done.stdout if done.returncode == 0 else ""


def _assembled(
    overlay: Mapping[str, Path], sources: Iterable[str], stage: Path, run: RunCompiler
) -> Iterator[str]:
    """Yield what the assembler opens; it has lists of its own."""
    if not any(may_assemble(cut_up((stage / name).read_bytes())) for name in overlay):
        return
    for source in sources:
        (stage / _ASSEMBLED).unlink(missing_ok=True)
        run("-c", f"-Wa,--MD,{_ASSEMBLED}", source, "-o", _OBJECT)
        if (stage / _ASSEMBLED).is_file():
            rule = (stage / _ASSEMBLED).read_text(errors="surrogateescape")
            words = rule.replace("\\\n", " ").partition(":")[2].split()
            # What the compiler hands over lies in a temporary file of no name.
            yield from (word for word in words if (stage / word).exists())


def _is_below(path: str, folders: Iterable[str]) -> bool:
    return any(path.startswith(f"{folder}/") for folder in folders)
