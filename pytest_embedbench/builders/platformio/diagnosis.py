"""Turn what ``pio run`` printed when it failed into the error that it was."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

from pytest_embedbench.builders.platformio.missing import compiler_missing
from pytest_embedbench.builders.platformio.run import held_lock
from pytest_embedbench.errors import BenchFault, BuildError, ConfigError
from pytest_embedbench.support.compilers import broken_here

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_embedbench.builders.platformio.scratch import Scratch
    from pytest_embedbench.errors import EmbedbenchError
    from pytest_embedbench.model import FirmwareSource
    from pytest_embedbench.processes.guarded import Finished

_SHOWN_LINES = 60
_COMPILING = "Building in "
# PlatformIO's and SCons's own words around what the compiler says.
_NOISE = re.compile(
    r"=+ \[.*\] Took .* =+$|\*\*\* \[.*\] |\*+$|\* |\*$|-+$|$| *File \"/"
    r"|Environment +Status|[- ]+$|[\w-]+ +(FAILED|SUCCESS) +[\d:.]+$"
    r"|=+ .* in [\d:.]+ =+$|collect2: error: ld returned"
)
# A Python traceback's frames outside the project: the file, and its line of code.
_FOREIGN_FRAME = re.compile(r' *File "/')
_NO_COMPILER = re.compile(r"Error: compiler (\S+) is not (.*)")
_MISCONFIGURED = re.compile(
    r"(?:\w*Error: )?(Unknown board ID .*|This board doesn't support .*"
    r"|Please specify `board` .*|Invalid '.*platformio\.ini'.*"
    r"|.* for `.*` option in the `.*` section.*|Please specify platform for .*"
    r"|Invalid environment name .*|Could not find the package with .*)"
)
_NO_NETWORK = re.compile(r"(?:Error: )?(HTTPClientError.*|.*InternetConnectionError.*)")


def diagnose(
    source: FirmwareSource,
    done: Finished,
    *,
    log_path: Path,
    scratch: Scratch,
) -> EmbedbenchError:
    """Return the error that a failed run stands for."""
    lines = [line.rstrip() for line in done.stderr.splitlines()]
    for line in lines:
        if match := _MISCONFIGURED.match(line):
            where = f"{source.project_dir / 'platformio.ini'}: env:{source.environment}"
            return ConfigError(f"{where}: {match[1]}")
        if match := _NO_COMPILER.match(line):
            return compiler_missing(match[1], match[2])
        if _NO_NETWORK.match(line):
            return BenchFault(f"PlatformIO lost its registry: {line}; log: {log_path}")
    if (fault := broken_here(lines, "platformio", log_path)) is not None:
        return fault
    return BuildError(
        environment=source.environment,
        returncode=done.returncode,
        log_path=log_path,
        diagnostics=_the_compilers_own(scratch.in_the_projects_words(lines)),
    )


def timed_out(
    source: FirmwareSource,
    done: Finished,
    *,
    timeout_s: float,
    core_dir: Path,
    log_path: Path,
) -> EmbedbenchError:
    """Return the error for a build that was ended: it was too slow, or had to wait."""
    lock = held_lock(core_dir)
    if lock is not None and _COMPILING not in done.stdout:
        # C3: PlatformIO itself waits for an hour and says nothing.
        return BenchFault(
            f"PlatformIO did not finish within {timeout_s:g} s: another process holds "
            f"its lock {lock}; end that process or wait for it"
        )
    return BuildError(
        environment=source.environment,
        returncode=124,
        log_path=log_path,
        diagnostics=f"the build was ended after {timeout_s:g} s",
    )


def _the_compilers_own(lines: list[str]) -> str:
    kept = [
        line
        for before, line in pairwise(["", *lines])
        if not (_NOISE.match(line) or _FOREIGN_FRAME.match(before))
    ] or [line for line in lines if line]
    text = "\n".join(kept[:_SHOWN_LINES])
    if len(kept) > _SHOWN_LINES:
        text += f"\n... and {len(kept) - _SHOWN_LINES} lines more"
    return text or "it said nothing"
