"""Whether this machine has a sandbox for submissions."""

from __future__ import annotations

import pytest

from pytest_embedbench.processes import sandbox

needs_sandbox = pytest.mark.skipif(
    sandbox.missing() is not None, reason=str(sandbox.missing())
)
