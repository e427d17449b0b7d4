"""docs/architecture.md speaks of the house as it is."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "pytest_embedbench"
PAGE = (ROOT / "docs" / "architecture.md").read_text("utf-8")


def test_every_module_that_the_walks_pass_is_there() -> None:
    named = set(re.findall(r"`((?:\w+/)*\w+\.py)`", PAGE))
    places = [PACKAGE, ROOT, PACKAGE / "grading"]
    assert len(named) > 30
    assert [
        name for name in named if not any((place / name).is_file() for place in places)
    ] == []


def test_every_room_is_on_the_floor_plan() -> None:
    rooms = {f"{path.parent.name}/" for path in PACKAGE.glob("*/__init__.py")}
    modules = {path.name for path in PACKAGE.glob("*.py")} - {"__init__.py"}
    floors = [line.split("|")[2] for line in PAGE.splitlines() if line.startswith("|")]
    shown = set(re.findall(r"`([\w.]+/?)`", " ".join(floors)))
    assert rooms | modules <= shown
