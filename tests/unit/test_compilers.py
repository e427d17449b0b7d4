"""What a compiler prints when the machine is to blame, and what looks like it."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_embedbench.errors import BenchFault, ToolMissing
from pytest_embedbench.support.compilers import broken_here

LOG = Path("build.log")


@pytest.mark.parametrize(
    "line",
    [
        "/c.s: Fatal error: can't write 3 bytes to .text: 'No space left on device'",
        "src/a.c:3:1: fatal error: error writing to /c.s: No space left on device",
        "/usr/bin/ld: final link failed: No space left on device",
        "/opt/bin/avr-ld: final link failed: Disk quota exceeded",
        "OSError: [Errno 28] No space left on device",
        "scons: *** [build/a.o] /build/a.o: No space left on device",
    ],
)
def test_a_full_disk_is_ours(line: str) -> None:
    fault = broken_here(["src/a.c: In function f:", line], "uno", LOG)
    assert str(fault) == f"the disk is full, nothing can be built: {line}"


@pytest.mark.parametrize(
    ("line", "what"),
    [
        (
            "src/a.c:1:10: fatal error: stdint.h: No such file or directory",
            "stdint.h: No such file or directory",
        ),
        (
            "gcc: fatal error: cannot execute \u2018cc1\u2019: execvp: No such file",
            "cannot execute \u2018cc1\u2019: execvp: No such file",
        ),
        (
            "/usr/bin/ld: cannot find crt1.o: No such file",
            "cannot find crt1.o: No such file",
        ),
        ("/usr/bin/ld: cannot find -lc", "cannot find -lc"),
    ],
)
def test_a_compiler_without_its_own_parts_is_ours(line: str, what: str) -> None:
    fault = broken_here([line], "native", LOG)
    assert isinstance(fault, ToolMissing)
    assert fault.tool == f"a whole compiler ({what})"


@pytest.mark.parametrize(
    "line",
    [
        "gcc: fatal error: Killed signal terminated program cc1",
        "collect2: fatal error: ld terminated with signal 9 [Killed]",
        "clang: error: linker command failed due to signal: Killed",
    ],
)
def test_a_compiler_that_was_killed_is_ours(line: str) -> None:
    fault = broken_here([line], "native", LOG)
    assert str(fault).startswith(f"the compiler was killed from outside: {line}")


@pytest.mark.parametrize(
    "line",
    [
        "cc1: out of memory allocating 65536 bytes after a total of 1052672 bytes",
        "virtual memory exhausted: Cannot allocate memory",
        "/usr/bin/ld: final link failed: memory exhausted",
        "cc: error: vfork: Resource temporarily unavailable",
        "OSError: [Errno 12] Cannot allocate memory",
    ],
)
def test_no_memory_is_ours_unless_the_compiler_had_all_that_it_may(line: str) -> None:
    fault = broken_here([line], "native", LOG)
    assert isinstance(fault, BenchFault)
    assert "refused memory or a process" in str(fault)
    assert broken_here([line], "native", LOG, has_memory=True) is None


@pytest.mark.parametrize(
    "line",
    [
        "gcc: fatal error: CPU time limit exceeded signal terminated program cc1",
        "src/a.c:1:2: error: #error No space left on device",
        "    1 | #error No space left on device",
        "src/a.c:1:10: fatal error: mine.h: No such file or directory",
        "a.c:1:1: error: f declared with attribute error: No space left on device",
        "/usr/bin/ld: cannot find -lmine",
        "src/a.c:(.text+0x1): undefined reference to `f'",
    ],
)
def test_what_a_submission_can_bring_about_is_not(line: str) -> None:
    assert broken_here([line], "uno", LOG) is None
