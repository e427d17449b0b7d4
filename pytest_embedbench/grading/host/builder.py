"""Build the host driver: the submission's sources, and a program that steps them.

A builder like any other, so that the image cache serves it: built once per content,
shared by workers, its digest taken after the build and checked at each use.
"""

from __future__ import annotations

import hashlib
import re
import shutil
import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_embedbench.errors import BenchFault, BuildError, ToolMissing
from pytest_embedbench.grading.host.interface import header
from pytest_embedbench.model import FirmwareImage
from pytest_embedbench.processes import Limits
from pytest_embedbench.processes.guarded import GuardedExit, run_guarded
from pytest_embedbench.support.compilers import HOST_COMPILER, broken_here
from pytest_embedbench.support.paths import cache_root

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pytest_embedbench.errors import EmbedbenchError
    from pytest_embedbench.grading.task import ControllerApi
    from pytest_embedbench.model import FirmwareSource
    from pytest_embedbench.processes.guarded import Finished

ENVIRONMENT = "host driver"
_DRIVER = Path(__file__).with_name("driver.c")
_FRAME = Path(__file__).parents[2] / "firmware" / "embedbench_frame"
_COMPILED = ("src/controller.c", "src/protocol.c")
_COMPILERS = ("cc", "gcc", "clang")
_LIMITS = Limits(cpu_s=60, memory_bytes=2 * 1024**3)
"""So that a source file that never ends is no danger to other submissions."""
_TIMEOUT_S = 900.0
"""For a machine so busy that the compiler does not even come to its limits."""
_FLAGS = ("-std=gnu17", "-O0", "-g", "-pipe", "-fmax-errors=20")
_SANITIZED = ("-fsanitize=address,undefined", "-fno-sanitize-recover=undefined")
_MAX_ERROR_LINES = 40
_ERROR = re.compile(r"\berror\b|undefined reference|multiple definition")
_EMPTY = "int main(void) { return 0; }\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class HostDriver:
    """Compiles the driver program against a submission's own headers.

    Args:
        api: What the task's functions take and return.
        sanitize: Whether to look for undefined behaviour, where the compiler can.
        cache_dir: Where logs of failed builds are kept.
        compiler: The C compiler; by default the first on PATH of cc, gcc, clang.
    """

    api: ControllerApi
    sanitize: bool = True
    cache_dir: Path | None = None
    compiler: str = ""

    def environments(self, project_dir: Path) -> tuple[str, ...]:
        """Return the one thing that is built."""
        del project_dir
        return (ENVIRONMENT,)

    def missing(self) -> ToolMissing | None:
        """Say that a C compiler has to be installed, if there is none."""
        try:
            self._compiler()
        except ToolMissing as missing:
            return missing
        return None

    def version(self) -> str:
        """Return the compiler's name for itself."""
        return _version(self._compiler())

    def fingerprint(self, source: FirmwareSource) -> str:
        """Return a digest of every file that goes in, the compiler and its flags."""
        digest = hashlib.sha256()
        for text in (header(self.api), self.version(), str(self._flags())):
            digest.update(f"{len(text)}\n{text}".encode())
        for name, file in sorted((_sources(source) | _ours()).items()):
            data = file.read_bytes()
            digest.update(f"{name}\n{len(data)}\n".encode() + data)
        return digest.hexdigest()

    def build(self, source: FirmwareSource, out_dir: Path) -> FirmwareImage:
        """Compile ``source`` in a scratch folder, which is all it can be built from.

        Raises:
            BuildError: the submission does not compile, or lacks a name of the API.
            ToolMissing: there is no C compiler, or but half of one.
            BenchFault: the disk is full, or the machine too busy.
        """
        out_dir.mkdir(parents=True, exist_ok=True)
        program = out_dir / "driver"
        with tempfile.TemporaryDirectory(prefix="embedbench-host-") as scratch:
            stage = Path(scratch)
            for name, file in (_sources(source) | _ours()).items():
                (stage / name).parent.mkdir(exist_ok=True)
                shutil.copyfile(file, stage / name)
            (stage / "host" / "host_task.h").write_text(header(self.api))
            sanitizers = self._flags()
            done = self._compile(stage, program, sanitizers)
            if done.returncode != 0 and sanitizers and not self._can_sanitize(stage):
                sanitizers = ()
                done = self._compile(stage, program, sanitizers)
        if done.ending is GuardedExit.TIMED_OUT or done.returncode != 0:
            raise self._failure(done)
        sha256 = hashlib.sha256(program.read_bytes()).hexdigest()
        return FirmwareImage(
            environment=ENVIRONMENT,
            elf_path=program,
            sha256=sha256,
            artifacts={program.name: program},
            metadata={
                "compiler": self.version(),
                "flags": " ".join((*_FLAGS, *sanitizers)),
            },
        )

    def _flags(self) -> tuple[str, ...]:
        return _SANITIZED if self.sanitize else ()

    def _compile(
        self, stage: Path, program: Path, sanitizers: Iterable[str]
    ) -> Finished:
        sources = [*_COMPILED, *(name for name in _ours() if name.endswith(".c"))]
        folders = ("-Isrc", "-Ihost")
        words = (*_FLAGS, *sanitizers, f"-ffile-prefix-map={stage}=.", *folders)
        return run_guarded(
            [self._compiler(), *words, *sources, "-o", program],
            timeout_s=_TIMEOUT_S,
            cwd=stage,
            limits=_LIMITS,
        )

    def _can_sanitize(self, stage: Path) -> bool:
        (stage / "empty.c").write_text(_EMPTY)
        words = [self._compiler(), *_SANITIZED, "empty.c", "-o", "empty"]
        return run_guarded(words, timeout_s=_TIMEOUT_S, cwd=stage).returncode == 0

    def _failure(self, done: Finished) -> EmbedbenchError:
        if done.ending is GuardedExit.TIMED_OUT:
            return BenchFault(
                f"the compiler was not done after {_TIMEOUT_S:.0f} s, without using "
                f"its {_LIMITS.cpu_s} s of CPU: this machine is too busy"
            )
        text = f"{done.stdout}{done.stderr}"
        digest = hashlib.sha256(text.encode()).hexdigest()[:8]
        log_path = (self.cache_dir or cache_root()) / "failed" / f"host-{digest}.log"
        log_path.parent.mkdir(parents=True, exist_ok=True)
        log_path.write_text(text, encoding="utf-8")
        fault = broken_here(text.splitlines(), "the host stage", log_path)
        return fault or BuildError(
            ENVIRONMENT, done.returncode, log_path, _errors(text)
        )

    def _compiler(self) -> str:
        for name in (self.compiler,) if self.compiler else _COMPILERS:
            if (found := shutil.which(name)) is not None:
                return found
        raise ToolMissing("the host stage", "a C compiler", HOST_COMPILER)


def _sources(source: FirmwareSource) -> dict[str, Path]:
    """Return what is compiled of the task and the submission: headers and two files."""
    folder = source.project_dir / "src"
    files = {f"src/{file.name}": file for file in folder.glob("*.h")}
    files |= {name: source.project_dir / name for name in _COMPILED}
    laid_over = {
        name: file
        for name, file in source.overlay.items()
        if name in _COMPILED or name.endswith(".h")
    }
    return files | laid_over


def _ours() -> dict[str, Path]:
    return {
        "host/driver.c": _DRIVER,
        "host/embedbench_frame.c": _FRAME / "src" / "embedbench_frame.c",
        "host/embedbench_frame.h": _FRAME / "include" / "embedbench_frame.h",
    }


def _errors(text: str) -> str:
    """Return the compiler's or linker's lines from the first error on, or all."""
    lines = text.splitlines()
    first = next((i for i, line in enumerate(lines) if _ERROR.search(line)), 0)
    return "\n".join(lines[first : first + _MAX_ERROR_LINES])


@cache
def _version(compiler: str) -> str:
    done = run_guarded([compiler, "--version"], timeout_s=_TIMEOUT_S)
    return done.stdout.partition("\n")[0].strip()
