"""What the build of somebody else's sources may see, write and use up."""

from __future__ import annotations

import json
import site
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_embedbench.builders.platformio.core_setup import set_up_files
from pytest_embedbench.builders.platformio.packages import module_dir
from pytest_embedbench.builders.platformio.run import pio_run
from pytest_embedbench.builders.platformio.variables import build_variables
from pytest_embedbench.contracts import LentTools
from pytest_embedbench.model import Isolation
from pytest_embedbench.processes import Limits
from pytest_embedbench.processes.sandbox import Policy, with_its_prefix
from pytest_embedbench.support.paths import example_suite_places

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pytest_embedbench.builders.platformio.scratch import Scratch

_PACKAGE = Path(__file__).parents[2]
_LIMITS = Limits(cpu_s=120, memory_bytes=4 * 1024**3, file_bytes=256 * 1024**2)
"""Of each process; the whole build has a deadline besides."""
_LINK = "symlink://"


def limits(isolation: Isolation) -> Limits | None:
    """Return what each process of a build may use up."""
    return None if isolation is Isolation.NONE else _LIMITS


def policy(scratch: Scratch, core_dir: Path, pio: str) -> Policy | None:
    """Return what a build in a sandbox sees; nothing if it needs none.

    That is its own scratch place, PlatformIO and what that runs on, and the packages
    in the core directory. What PlatformIO writes into that one goes with the build.
    """
    source = scratch.project.source
    if source.isolation is not Isolation.BUBBLEWRAP:
        return None
    tools = lent_tools(core_dir, pio)
    return Policy(
        empty=tools.empty,
        readable=(*tools.readable, *scratch.project.outside),
        hidden=(
            source.project_dir,
            *example_suite_places(),
            *_byte_code(source.project_dir),
        ),
        writable=(scratch.root,),
        folder=scratch.root,
        temporary=True,
    )


def lent_tools(core_dir: Path, pio: str) -> LentTools:
    """Return what a build takes of this machine: what ``pio`` is and runs on."""
    return LentTools(
        readable=(
            *_python(),
            *with_its_prefix(pio),
            *_interpreter(Path(pio)),
            *(_PACKAGE / name for name in ("firmware", "platforms")),
            *(core_dir / name for name in ("packages", "platforms")),
            *set_up_files(core_dir),
            *_linked(core_dir),
        ),
        empty=(core_dir,),
    )


def fetch(
    pio: Sequence[str], scratch: Scratch, core_dir: Path, timeout_s: float
) -> None:
    """Install what a build in a sandbox cannot: nothing of the sources is run."""
    place = ("-d", str(scratch.stage), "-e", scratch.project.source.environment)
    words = (*pio, "pkg", "install", *place)
    pio_run(words, build_variables(scratch, core_dir), timeout_s=timeout_s)


def variables() -> dict[str, str]:
    """Return where Python finds what its user has installed: the home is another."""
    return {"PYTHONUSERBASE": site.getuserbase()}


def _python() -> Iterator[Path]:
    yield from (Path(sys.prefix), Path(sys.base_prefix))
    if (platformio := module_dir("platformio")) is not None:
        yield platformio.parent
    if site.ENABLE_USER_SITE:
        yield Path(site.getusersitepackages())


def _byte_code(folder: Path) -> Iterator[Path]:
    """Yield where Python keeps what it has compiled of a folder, if not in there."""
    if sys.pycache_prefix is not None:
        yield Path(sys.pycache_prefix, *folder.absolute().parts[1:])


def _interpreter(script: Path) -> Iterator[Path]:
    """Yield what the Python of a ``pio`` outside of this environment runs on."""
    with script.open("rb") as file:
        words = file.readline().removeprefix(b"#!").split()
    if not words or not words[0].startswith(b"/"):
        return
    python = Path(words[0].decode(errors="replace"))
    settings = python.parent.parent / "pyvenv.cfg"
    yield from with_its_prefix(str(python))
    if settings.is_file():
        yield python.parent.parent


def _linked(core_dir: Path) -> Iterator[Path]:
    """Yield what is outside of a core directory and linked from there."""
    for link in core_dir.glob("platforms/*.pio-link"):
        uri: str = json.loads(link.read_bytes())["spec"]["uri"]
        yield Path(uri.removeprefix(_LINK))
    for entry in core_dir.glob("packages/*/*"):
        if entry.is_symlink():
            yield entry.resolve()
    for entry in core_dir.glob("packages/*/bin/*-gcc"):
        yield from with_its_prefix(str(entry.resolve()))
