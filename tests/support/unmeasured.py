"""The environment for what a test starts and coverage need not look into."""

from __future__ import annotations

import os


def unmeasured() -> dict[str, str]:
    """Return this process's environment without the measuring of coverage.

    It makes a program half as slow again; for what covers nothing that is not covered
    elsewhere.
    """
    return {k: v for k, v in os.environ.items() if k != "COVERAGE_PROCESS_CONFIG"}
