"""Reports of programs without what differs from run to run: equal runs say the same."""

from __future__ import annotations

import re

_PASSING = re.compile(
    r"^==\d+==|(?<=\d )0x[0-9a-f]+ in | \(pc 0x.*|\bat pc 0x.*"
    r"| \(BuildId: \w+\)|(?<= )\[?0x[0-9a-f]{5,}(?:,0x[0-9a-f]+\))?| thread T0\b",
    re.MULTILINE,
)


def steady(report: str) -> str:
    """Return a sanitizer's report without process ids and addresses."""
    return _PASSING.sub("", report)
