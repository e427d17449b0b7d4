"""A browser for the tests of pages: one for all of a process."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser

BROWSERS = ("chromium-headless-shell", "chromium", "google-chrome")
ADVICE = "no browser: apt-get install chromium-headless-shell"


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """One browser for all; ``EMBEDBENCH_BROWSER`` names one that has to be there."""
    api: Any = pytest.importorskip(
        "playwright.sync_api", reason="pip install playwright"
    )
    named = os.environ.get("EMBEDBENCH_BROWSER")
    program = named or next(filter(None, map(shutil.which, BROWSERS)), None)
    if program is None:
        pytest.skip(ADVICE)
    with api.sync_playwright() as playwright:
        launched = playwright.chromium.launch(
            executable_path=program, args=["--no-sandbox"]
        )
        yield launched
        launched.close()
