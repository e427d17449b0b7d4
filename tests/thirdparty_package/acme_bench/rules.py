"""The language of the firmware: a line for boot, and one for each rule.

``boot: DBG BOOTED`` is said at power-on; ``SENSE TEMP < 19: ACT HEATER ON`` whenever a
line says so.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_RULE = re.compile(r"(?P<topic>\w+ \w+) (?P<sign>[<>]) (?P<limit>-?\d+): (?P<says>.+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """What is said when a number is below or above a limit."""

    topic: str
    sign: str
    limit: int
    says: str

    def __str__(self) -> str:
        return f"{self.topic} {self.sign} {self.limit}: {self.says}"

    def fires(self, line: str) -> bool:
        """Say whether a line is about this, and beyond the limit."""
        topic, _, number = line.rpartition(" ")
        if topic != self.topic or not number.removeprefix("-").isdecimal():
            return False
        value = int(number)
        return value < self.limit if self.sign == "<" else value > self.limit


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """What a firmware does; ``complaints`` are lines that mean nothing."""

    boot: tuple[str, ...]
    rules: tuple[Rule, ...]
    complaints: tuple[str, ...] = ()


def parse(text: str, name: str) -> Program:
    """Return the program of a text; complaints read as a compiler's, with ``name``."""
    boot: list[str] = []
    rules: list[Rule] = []
    complaints: list[str] = []
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip() or line.startswith("#"):
            continue
        if line.startswith("boot: "):
            boot.append(line.removeprefix("boot: "))
        elif (match := _RULE.fullmatch(line)) is not None:
            rules.append(
                Rule(
                    topic=match["topic"],
                    sign=match["sign"],
                    limit=int(match["limit"]),
                    says=match["says"],
                )
            )
        else:
            complaints.append(f"{name}:{number}:1: error: no rule: {line}")
    return Program(boot=tuple(boot), rules=tuple(rules), complaints=tuple(complaints))
