"""Turn what ``pio run`` printed when it failed into the error that it was."""

from __future__ import annotations

import hashlib
import re
from itertools import pairwise
from typing import TYPE_CHECKING

from pytest_embedbench.builders.platformio.core_setup import is_set_up
from pytest_embedbench.builders.platformio.missing import (
    compiler_missing,
    not_offline,
)
from pytest_embedbench.builders.platformio.run import held_lock, was_killed
from pytest_embedbench.errors import BenchFault, BuildError, ConfigError
from pytest_embedbench.processes.guarded import GuardedExit
from pytest_embedbench.support.compilers import broken_here

if TYPE_CHECKING:
    from collections.abc import Iterable
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
    r"|Building stage has failed, |-+ .* \[\w+\] Took .* -+$|=+ SUMMARY =+$"
    r"|Environment +Test +Status|\S+ +\S+ +(SKIPPED|ERRORED)( +[\d:.]+)?$"
)
_BY_CHANCE = re.compile(r"/cc\w{6}\.")
# A Python traceback's frames outside the project: the file, and its line of code.
_FOREIGN_FRAME = re.compile(r' *File "/')
_NO_COMPILER = re.compile(r"Error: compiler (\S+) is not (.*)")
_NOT_OFFLINE = re.compile(
    r"(?:\w*(?:Error|Exception): )?(?:Unknown (board) ID '(.*)'"
    r"|This board doesn't support (\S+) (framework)!"
    r"|(.*) is not in the offline platform.*)"
)
_MISCONFIGURED = re.compile(
    r"(?:\w*Error: )?(Unknown board ID .*|This board doesn't support .*"
    r"|Unknown environment names .*"
    r"|Please specify `board` .*|Invalid '.*platformio\.ini'.*"
    r"|.* for `.*` option in the `.*` section.*|Please specify platform for .*"
    r"|Invalid environment name .*|Could not find the package with .*"
    r"|Could not find Unity configuration .*)"
)
_OF_THE_COPY = re.compile(r"Invalid '.*platformio\.ini' \(.*?\): ")
_NO_NETWORK = re.compile(r"(?:Error: )?(HTTPClientError.*|.*InternetConnectionError.*)")


def keep_log(folder: Path, name: str, done: Finished) -> Path:
    """Write what a failed run printed; what equal sources say has one place."""
    lines = [line.rstrip() for line in (done.stderr or done.stdout).splitlines()]
    steady = "\n".join(line for line in lines if not _NOISE.match(line))
    steady = _BY_CHANCE.sub("", steady)
    digest = hashlib.sha256(steady.encode()).hexdigest()[:8]
    folder.mkdir(parents=True, exist_ok=True)
    log_path = folder / f"{name}-{digest}.log"
    log_path.write_text(f"{done.stdout}\n{done.stderr}", encoding="utf-8")
    return log_path


def failure(
    scratch: Scratch, done: Finished, *, logs: Path, core_dir: Path, timeout_s: float
) -> EmbedbenchError:
    """Return the error that a build is that came to nothing, its log kept in ``logs``.

    Args:
        scratch: Where it was built.
        done: How the build ended.
        logs: Where logs are kept.
        core_dir: PlatformIO's core directory.
        timeout_s: What the build was allowed.
    """
    log_path = keep_log(logs, scratch.root.name, done)
    source = scratch.project.source
    if done.ending is GuardedExit.TIMED_OUT:
        return timed_out(
            source, done, timeout_s=timeout_s, core_dir=core_dir, log_path=log_path
        )
    if was_killed(done):
        return BenchFault(
            f"the build of {source.environment!r} was killed from outside "
            f"(exit code {done.returncode}); log: {log_path}"
        )
    offline = is_set_up(core_dir)
    return diagnose(source, done, log_path=log_path, scratch=scratch, offline=offline)


def diagnose(
    source: FirmwareSource,
    done: Finished,
    *,
    log_path: Path,
    scratch: Scratch,
    offline: bool,
) -> EmbedbenchError:
    """Return the error that a failed run stands for.

    What a platform lacks is ours to say if it is one of the ``offline`` ones.
    """
    lines = [line.rstrip() for line in done.stderr.splitlines()]
    for line in lines:
        if offline and (match := _NOT_OFFLINE.match(line)):
            return _not_offline(match)
        if match := _MISCONFIGURED.match(line):
            where = f"{source.project_dir / 'platformio.ini'}: env:{source.environment}"
            return ConfigError(f"{where}: {_OF_THE_COPY.sub('', match[1])}")
        if match := _NO_COMPILER.match(line):
            return compiler_missing(match[1], match[2])
        if _NO_NETWORK.match(line):
            return BenchFault(f"PlatformIO lost its registry: {line}; log: {log_path}")
    return broken_here(lines, "platformio", log_path) or BuildError(
        environment=source.environment,
        returncode=done.returncode,
        log_path=log_path,
        diagnostics=_the_compilers_own(scratch.in_the_projects_words(lines))
        + _left_out(scratch.project.libraries.absent.values()),
    )


def _left_out(libraries: Iterable[str]) -> str:
    listed = ", ".join(libraries)
    return f"\nbuilt without libraries that are not here: {listed}" if listed else ""


def _not_offline(match: re.Match[str]) -> EmbedbenchError:
    board, its_id, name, framework, other = match.groups()
    name = its_id or name or other.removeprefix("the core ")
    return not_offline(f"{board or framework or 'support for'} {name}")


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
        diagnostics=f"the build was ended after {timeout_s:g} s "
        "(--embedbench-build-limit)",
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
