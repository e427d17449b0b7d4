"""Build the host driver: the submission's sources, and a program that steps them.

A builder like any other, so that the image cache serves it: built once per content,
shared by workers, its digest taken after the build and checked at each use.
"""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from pytest_embedbench.errors import BenchFault, BuildError, ToolMissing
from pytest_embedbench.grading.edit_surface.built import MAX_IMAGE_BYTES, too_large
from pytest_embedbench.grading.host.build_failures import (
    COMPILER_LIMITS,
    COMPILER_TIMEOUT_S,
    build_error,
    failure,
)
from pytest_embedbench.grading.host.calls import forbidden_call
from pytest_embedbench.grading.host.early_code import may_run_early
from pytest_embedbench.grading.host.interface import header
from pytest_embedbench.grading.host.kept_programs import keep_program, recall_program
from pytest_embedbench.grading.host.reads import check_reads
from pytest_embedbench.grading.host.sanitizing import switched_off
from pytest_embedbench.grading.host.staged import (
    COMPILED,
    keeper_files,
    staged_files,
    staged_texts,
)
from pytest_embedbench.model import FirmwareImage, Isolation
from pytest_embedbench.processes.guarded import GuardedExit, run_guarded
from pytest_embedbench.processes.machine_trouble import our_disk
from pytest_embedbench.processes.sandbox import Policy, with_its_prefix
from pytest_embedbench.support.compilers import HOST_COMPILER
from pytest_embedbench.support.paths import cache_root

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pytest_embedbench.grading.task import ControllerApi
    from pytest_embedbench.model import FirmwareSource
    from pytest_embedbench.processes.guarded import Finished

ENVIRONMENT = "host driver"
RUNS_EARLY = "runs_early"
"""Of the metadata: whether code may run before a function of the API is called."""
KEEPER = "keeper"
"""The artifact that runs, and loads the submission's library for each test."""
_KEEPER = ("host/keeper.c", "host/limits.c")
_LIBRARY = ("host/driver.c", "frame/embedbench_frame.c")
_COMPILERS = ("cc", "gcc", "clang")
_FLAGS = ("-std=gnu17", "-O0", "-g", "-pipe", "-fmax-errors=5")
_SANITIZED = ("-fsanitize=address,undefined", "-fno-sanitize-recover=undefined")
_WHOLE = ("-Wl,--no-as-needed",)
"""What the libraries need of the sanitizers is loaded once, with the keeper."""
_LOADED = ("-fPIC", "-shared", "-Wl,-Bsymbolic", "-Wl,-z,defs")
"""A function that is called like one of the system's is the submission's own here."""


_KEEPERS: dict[tuple[str, ...], tuple[tuple[str, ...], bytes]] = {}


class _Stage(NamedTuple):
    """Where a driver is compiled, and the sandbox that it is compiled in."""

    folder: Path
    policy: Policy | None


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
        for text in (header(self.api), self.version(), str(self._settings())):
            digest.update(f"{len(text)}\n{text}".encode())
        for name, file in sorted(staged_files(source).items()):
            data = file.read_bytes()
            digest.update(f"{name}\n{len(data)}\n".encode() + data)
        return digest.hexdigest()

    def build(self, source: FirmwareSource, out_dir: Path) -> FirmwareImage:
        """Compile ``source`` in a scratch folder, which is all it can be built from.

        Raises:
            BuildError: the submission does not compile, or lacks a name of the API.
            OutsideEditSurface: it has the compiler read what it may not.
            ToolMissing: there is no C compiler, or but half of one.
            BenchFault: the disk is full, or the machine too busy.
        """
        library, keeper = out_dir / "controller.so", out_dir / KEEPER
        with (
            our_disk("building the host driver"),
            tempfile.TemporaryDirectory(prefix="embedbench-host-") as scratch,
        ):
            out_dir.mkdir(parents=True, exist_ok=True)
            stage = _Stage(Path(scratch), self._apart(source, Path(scratch)))
            for name, file in staged_files(source).items():
                (stage.folder / name).parent.mkdir(exist_ok=True)
                shutil.copyfile(file, stage.folder / name)
            for name, text in staged_texts(source, self.api).items():
                (stage.folder / name).write_text(text)
            text = self._check_reads(source, stage)
            sanitizers = self._put_keeper(source, keeper)
            files = [file.read_bytes() for file in source.overlay.values()]
            text = text or self._run(stage, "-E", *COMPILED).stdout
            early = self._read(text, files, sanitized=bool(sanitizers))
            sources = (*COMPILED, *_LIBRARY)
            self._compile(stage, library, [*sanitizers, *_LOADED], sources, "-lm")
            if offence := forbidden_call(library, self._forbidden()):
                raise build_error(1, offence, ENVIRONMENT, self._logs())
        return FirmwareImage(
            environment=ENVIRONMENT,
            elf_path=library,
            sha256=hashlib.sha256(library.read_bytes()).hexdigest(),
            artifacts={library.name: library, keeper.name: keeper},
            metadata={
                "compiler": self.version(),
                "flags": " ".join((*_FLAGS, *sanitizers)),
                RUNS_EARLY: str(early),
            },
        )

    def _settings(self) -> tuple[tuple[str, ...], ...]:
        return self._flags(), self._forbidden()

    def _forbidden(self) -> tuple[str, ...]:
        """Return what may not be called; the published evaluator did not look."""
        return self.api.forbidden if self.sanitize else ()

    def _flags(self) -> tuple[str, ...]:
        return _SANITIZED if self.sanitize else ()

    def _apart(self, source: FirmwareSource, folder: Path) -> Policy | None:
        if source.isolation is not Isolation.BUBBLEWRAP:
            return None
        return Policy(
            readable=with_its_prefix(self._compiler()),
            hidden=(source.project_dir.resolve(),),
            writable=(folder,),
            folder=folder,
            temporary=True,
        )

    def _check_reads(self, source: FirmwareSource, stage: _Stage) -> str:
        run = partial(self._finished, stage)
        return check_reads(source.overlay, COMPILED, stage.folder, run)

    def _put_keeper(self, source: FirmwareSource, keeper: Path) -> tuple[str, ...]:
        """Return the sanitizers that the keeper has been compiled with.

        That is done where there is nothing of any submission, and kept.
        """
        files = keeper_files()
        texts = (file.read_text() for file in files.values())
        how = (*_FLAGS, *self._flags(), *_WHOLE, source.isolation.value)
        key = (self._compiler(), self.version(), *how, *files, *texts)
        cache_dir = self.cache_dir or cache_root()
        if key not in _KEEPERS and (program := recall_program(cache_dir, key)):
            _KEEPERS[key] = self._flags(), program
        if key not in _KEEPERS:
            with tempfile.TemporaryDirectory(prefix="embedbench-host-") as scratch:
                stage = _Stage(Path(scratch), self._apart(source, Path(scratch)))
                for name, file in files.items():
                    (stage.folder / name).parent.mkdir(exist_ok=True)
                    shutil.copyfile(file, stage.folder / name)
                sanitizers = self._compile_keeper(stage, keeper)
            _KEEPERS[key] = sanitizers, keeper.read_bytes()
            if sanitizers == self._flags():
                keep_program(cache_dir, key, _KEEPERS[key][1])
            return sanitizers
        sanitizers, program = _KEEPERS[key]
        keeper.unlink(missing_ok=True)  # one that runs cannot be written to
        keeper.write_bytes(program)
        keeper.chmod(0o755)
        return sanitizers

    def _compile_keeper(self, stage: _Stage, keeper: Path) -> tuple[str, ...]:
        """Return the sanitizers that this compiler has."""
        failures: list[BuildError] = []
        for sanitizers in dict.fromkeys((self._flags(), ())):
            try:
                flags = (*sanitizers, *_WHOLE)
                self._compile(stage, keeper, flags, _KEEPER, "-ldl")
            except BuildError as error:
                failures.append(error)
            else:
                return sanitizers
        raise BenchFault(f"the host stage cannot be built here: {failures[-1]}")

    def _compile(
        self,
        stage: _Stage,
        program: Path,
        flags: Iterable[str],
        sources: Iterable[str],
        library: str,
    ) -> None:
        """Compile ``sources``; raises what the compiler's failure says."""
        self._run(stage, *flags, *sources, library, "-o", program.name)
        size_bytes = (stage.folder / program.name).stat().st_size
        if size_bytes > MAX_IMAGE_BYTES:
            raise build_error(
                1, f"error: {too_large(size_bytes)}", ENVIRONMENT, self._logs()
            )
        program.unlink(missing_ok=True)  # it may be running
        shutil.copy(stage.folder / program.name, program)

    def _read(self, text: str, files: Iterable[bytes], *, sanitized: bool) -> bool:
        """Look through what a compiler sees; say whether any of it may run uncalled.

        Raises:
            BuildError: it keeps a sanitizer from seeing what that is there for.
        """
        if sanitized and (offence := switched_off(text)):
            raise build_error(1, offence, ENVIRONMENT, self._logs())
        return may_run_early(text, files)

    def _finished(self, stage: _Stage, *words: str) -> Finished:
        folders = (f"-ffile-prefix-map={stage.folder}=.", "-Isrc", "-Iframe")
        return run_guarded(
            [self._compiler(), *_FLAGS, *folders, *words],
            timeout_s=COMPILER_TIMEOUT_S,
            cwd=stage.folder,
            limits=COMPILER_LIMITS,
            policy=stage.policy,
        )

    def _run(self, stage: _Stage, *words: str) -> Finished:
        done = self._finished(stage, *words)
        if done.ending is GuardedExit.TIMED_OUT or done.returncode != 0:
            raise failure(done, ENVIRONMENT, self._logs())
        return done

    def _logs(self) -> Path:
        return (self.cache_dir or cache_root()) / "failed"

    def _compiler(self) -> str:
        for name in (self.compiler,) if self.compiler else _COMPILERS:
            if (found := shutil.which(name)) is not None:
                return found
        raise ToolMissing("the host stage", "a C compiler", HOST_COMPILER)


@cache
def _version(compiler: str) -> str:
    # Without a guardian: it starts nothing, and each run asks.
    words = [compiler, "--version"]
    with our_disk(compiler):
        done = subprocess.run(
            words,
            capture_output=True,
            text=True,
            timeout=COMPILER_TIMEOUT_S,
            check=False,
        )
    return done.stdout.partition("\n")[0].strip()
