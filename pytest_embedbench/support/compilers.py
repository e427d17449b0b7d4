"""What compilers print when the machine is to blame, and no submission."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pytest_embedbench.errors import BenchFault, ToolMissing

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

HOST_COMPILER = "apt-get install gcc libc6-dev"
"""What brings a C compiler for this machine."""
# What every compiler has, if it is whole: a submission cannot be why it is not found.
_BROKEN_COMPILER = re.compile(
    r"\S+:\d+:\d+: fatal error: ((?:ctype|limits|stdarg|stdbool|stddef|stdint|stdio"
    r"|stdlib|string)\.h: No such file or directory)"
    r"|\S*(?:gcc|g\+\+|cc1|cc1plus|as|ld|collect2)(?:\.exe)?: (?:fatal )?error: "
    r"((?:cannot execute|error trying to exec).*)"
    r"|\S*ld(?:\.exe)?: (cannot find (?:-lc|-lgcc|-lm|\S*crt\w+\.o)\b.*)"
)
# In the programs' own words only: a submission may have any text reported.
_NO_ROOM = re.compile(
    r"(?:OSError: |scons: \*\*\* |\S*ld(?:\.exe)?: |(?:\S+: )?Fatal error: "
    r"|\S+: fatal error: error (?:writing|closing) )"
    r"(?:.*[ '])?(?:No space left on device|Disk quota exceeded)\b.*"
)
_KILLED = re.compile(
    r"\S*(?:gcc|g\+\+|cc|clang|collect2)\S*: .*(?:Killed signal terminated program"
    r"|terminated with signal 9|command failed due to signal: Killed).*"
)
_NO_MEMORY = re.compile(
    r"(?:\S*(?:gcc|g\+\+|cc|cc1|cc1plus|clang|as|ld|collect2)(?:\.exe)?: .*"
    r"|virtual |\w*Error: .*)(?:out of memory|memory exhausted"
    r"|[Cc]annot allocate memory|Resource temporarily unavailable)\b.*"
)


def broken_here(
    lines: Iterable[str], needed_by: str, log_path: Path, *, has_memory: bool = False
) -> BenchFault | None:
    """Return the error for a machine that no submission could be built on.

    ``needed_by`` is what builds, by its registered name. ``has_memory`` says that the
    compiler had all that we let it have: who needs more is a submission.
    """
    for line in lines:
        if match := _BROKEN_COMPILER.match(line):
            what = next(filter(None, match.groups()))
            return ToolMissing(
                needed_by,
                f"a whole compiler ({what})",
                f"install it anew with its C library (on the host: {HOST_COMPILER}); "
                f"log: {log_path}",
            )
        if _NO_ROOM.match(line):
            return BenchFault(f"the disk is full, nothing can be built: {line}")
        if _KILLED.match(line):
            return BenchFault(
                f"the compiler was killed from outside: {line} (the kernel does so "
                "when memory runs out)"
            )
        if not has_memory and _NO_MEMORY.match(line):
            return BenchFault(
                f"the compiler was refused memory or a process: {line} (give this "
                "machine more, look at `ulimit -a`, or run less at once: -n)"
            )
    return None
