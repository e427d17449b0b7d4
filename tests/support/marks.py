"""What only an evaluator has: lines and names of hidden files that nothing else has."""

from __future__ import annotations

import re

from tests.e2e.native_firmware import SUITES

HIDDEN = ("hidden", "solution", "properties")
_PUBLIC = ("BRIEF.md", "src", "visible", "platformio.ini")


def marks_of_the_evaluator(task: str) -> list[str]:
    """Return lines and names in a task's hidden files that are in no public one."""
    root = SUITES / task
    public = "\n".join(
        file.read_text()
        for place in _PUBLIC
        for file in [root / place, *(root / place).rglob("*")]
        if file.is_file() and file.suffix != ".pyc"
    )
    marks: set[str] = set()
    for folder in HIDDEN:
        for file in (root / folder).rglob("*"):
            if file.suffix in {".py", ".toml", ".c", ".h"}:
                marks.add(f"{folder}/{file.name}")
                marks |= {line.strip() for line in file.read_text().splitlines()}
                marks |= set(re.findall(r"def (test_\w{20,})", file.read_text()))
    return sorted(mark for mark in marks if len(mark) > 25 and mark not in public)
