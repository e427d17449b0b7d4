"""Where ESR keeps things on pytest's own objects, and finds them again."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pytest_embedbench.esr.answers import ModelAnswer
    from pytest_embedbench.esr.plugin.attempt import CheckAttempt
    from pytest_embedbench.esr.plugin.cases import EsrItem
    from pytest_embedbench.esr.plugin.kept import CaseFiles, Told

MARKER = "esr"
ANSWERED: pytest.StashKey[list[ModelAnswer]] = pytest.StashKey()
"""All answers, in a run on such."""
KEPT: pytest.StashKey[CaseFiles] = pytest.StashKey()
"""Where this process finds what has come of a case, and puts it."""
ABOUT: pytest.StashKey[EsrItem] = pytest.StashKey()
"""Of an item: which case it is."""
ATTEMPT: pytest.StashKey[CheckAttempt] = pytest.StashKey()
"""Of an item whose check is being tried: with what, and what has come of it."""
TOLD: pytest.StashKey[Told] = pytest.StashKey()
"""Of an item that ends now: what its case came to."""
RECORD = "embedbench_esr"
"""An attribute of a test report, which xdist carries along: the record as JSON."""
