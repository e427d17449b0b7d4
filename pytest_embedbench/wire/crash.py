"""Recognise a crash in what a firmware says, line by line, and gather its dump."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pytest_embedbench.wire import crash_dump
from pytest_embedbench.wire.crash_signs import (
    BOOTS,
    DUMP_ENDS,
    CrashKind,
    Sign,
    signs_of,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

QUIET_US = 200_000
"""A dump that pauses for so long is over."""
LONGEST_US = 800_000
"""A dump that goes on for longer is not waited for."""
_LONGEST_LINES = 400
_COLOURS = re.compile(r"\x1b\[[0-9;]*m")
_WATCHED_TASK = re.compile(r"task_wdt: +- (\S.*)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Crash:
    """A firmware that has died, in its own words.

    ``detail`` is what it says of the cause; ``addresses`` where it was, innermost
    first; ``elf_sha256`` the beginning of the digest of the ELF it was built from, if
    it says so; ``lines`` the dump as it came.
    """

    kind: CrashKind
    detail: str
    at_us: int
    lines: tuple[str, ...]
    addresses: tuple[int, ...] = ()
    elf_sha256: str = ""

    @property
    def summary(self) -> str:
        """One sentence without its full stop."""
        detail = f" ({self.detail})" if self.detail else ""
        return f"the firmware {self.kind.value}{detail} at {self.at_us / 1e6:.6f} s"


@dataclass(slots=True)
class CrashWatch:
    """Feed it every line; it says once what has happened.

    A crash with a dump is reported when the dump is complete. ``settle`` is to be
    asked whenever time has passed: it reports a dump that has stopped half-way.
    """

    signs: tuple[Sign, ...]
    _boots_us: list[int] = field(default_factory=list[int], init=False)
    _seen: dict[re.Pattern[str], int] = field(
        default_factory=dict[re.Pattern[str], int], init=False
    )
    _dump: list[str] = field(default_factory=list[str], init=False)
    _sign: Sign | None = field(default=None, init=False)
    _detail: str = field(default="", init=False)
    _began_us: int = field(default=0, init=False)
    _last_us: int = field(default=0, init=False)

    @classmethod
    def of(cls, mcu: str) -> CrashWatch:
        """Return a watch for a chip, by its datasheet's name of it."""
        return cls(signs_of(mcu))

    @property
    def gathering(self) -> bool:
        """Whether a dump has begun and is not yet complete."""
        return self._sign is not None

    def heeds(self, line: str) -> bool:
        """Say whether ``feed`` would take note of a line."""
        return (
            self._sign is not None
            or BOOTS.search(line) is not None
            or any(sign.pattern.search(line) for sign in self.signs)
        )

    def pressed(self) -> None:
        """Take note that reset was pressed from outside: boots are counted anew."""
        self._boots_us.clear()
        self._seen.clear()
        self._forget()

    def feed(self, line: str, at_us: int) -> Crash | None:
        """Look at a line, without its end; return the crash that it completes."""
        if self._sign is not None:
            return self._gather(line, at_us)
        for sign in self.signs:
            found = sign.pattern.search(line)
            if found is None or self._boots(sign, at_us) < sign.boots:
                continue
            count = self._seen[sign.pattern] = self._seen.get(sign.pattern, 0) + 1
            if count >= sign.times:
                return self._begin(sign, found, line, at_us)
        if BOOTS.search(line):
            self._boots_us.append(at_us)
        return None

    def settle(self, now_us: int) -> Crash | None:
        """Return the crash whose dump has come to rest, if there is one."""
        if self._sign is None:
            return None
        is_over = now_us - self._last_us >= QUIET_US
        return self._end() if is_over or now_us - self._began_us >= LONGEST_US else None

    def finish(self) -> Crash | None:
        """Return the crash whose dump has begun, however little of it there is."""
        return None if self._sign is None else self._end()

    def _boots(self, sign: Sign, at_us: int) -> int:
        """Count the boots before now that a sign takes into account."""
        if sign.within_us is None:
            return len(self._boots_us)
        return sum(at_us - boot_us < sign.within_us for boot_us in self._boots_us)

    def _begin(
        self, sign: Sign, found: re.Match[str], line: str, at_us: int
    ) -> Crash | None:
        self._sign = sign
        self._detail = _COLOURS.sub("", found[1]).strip() if found.re.groups else ""
        self._dump = [line]
        self._began_us = self._last_us = at_us
        return None if sign.dump else self._end()

    def _gather(self, line: str, at_us: int) -> Crash | None:
        self._dump.append(line)
        if line.strip():
            self._last_us = at_us
        is_over = DUMP_ENDS.search(line) is not None
        return self._end() if is_over or len(self._dump) >= _LONGEST_LINES else None

    def _end(self) -> Crash:
        assert self._sign is not None
        lines = [_COLOURS.sub("", line).strip() for line in self._dump]
        kind, detail = _refined(self._sign.kind, self._detail, lines)
        crash = Crash(
            kind=kind,
            detail=", ".join(filter(None, (detail, crash_dump.cause(lines)))),
            at_us=self._began_us,
            lines=tuple(lines),
            addresses=crash_dump.addresses(lines),
            elf_sha256=crash_dump.digest(lines),
        )
        self._forget()
        return crash

    def _forget(self) -> None:
        self._sign = None
        self._dump = []


def _refined(
    kind: CrashKind, detail: str, lines: Sequence[str]
) -> tuple[CrashKind, str]:
    """Let later lines of the dump say what the first could not."""
    for line in lines:
        if "Stack canary watchpoint triggered" in line:
            return CrashKind.STACK_OVERFLOW, line.rpartition(": ")[2].strip()
        if line.startswith("FaultType: "):
            return kind, line.removeprefix("FaultType: ")
        if kind is CrashKind.TASK_WATCHDOG and (task := _WATCHED_TASK.search(line)):
            return kind, f"{detail}: {task[1]}"
    return kind, detail
