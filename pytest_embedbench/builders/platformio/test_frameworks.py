"""What stands in for the test frameworks that PlatformIO fetches from its registry."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from pytest_embedbench.builders.platformio.core_setup import is_set_up
from pytest_embedbench.builders.platformio.unit_tests import (
    DOCTEST,
    OUR_UNITY,
    options_of,
    unity_in,
)
from pytest_embedbench.errors import ToolMissing

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_embedbench.builders.platformio.scratch import Scratch

_OURS = ".embedbench-stand-in"
_SCRIPT = "configuration.py"
_UNITY, _BY_ADDRESS = "Unity", "Unity@embedbench"
_CODE = frozenset({".c", ".h"})
_STAND_INS = {
    "unity": ("throwtheswitch", "Unity", "2.6.1"),
    "doctest": ("doctest", "doctest", "2.4.12"),
}
"""The libraries that PlatformIO wants for a framework: owner, name, version."""


def lent_framework(scratch: Scratch) -> str:
    """Say what stands in for a test framework in a build; empty if nothing does."""
    marks = (place / _OURS for place in scratch.libraries.glob("*"))
    said = (mark.read_text(encoding="utf-8") for mark in marks if mark.is_file())
    return next(said, "") if scratch.project.source.test_suite else ""


def lend_framework(scratch: Scratch, core_dir: Path) -> None:
    """Put a test framework where PlatformIO looks for what it has fetched.

    Only where ``embedbench setup`` stands in for the registry; and Unity also for
    ``lib_deps`` that ask for it.

    Raises:
        ToolMissing: this machine has nothing to make it of.
    """
    if not is_set_up(core_dir):
        return
    source = scratch.project.source
    options = options_of(scratch.project.ini, source)
    framework = options.get("test_framework", "unity") if source.test_suite else ""
    if framework in _STAND_INS:
        _lend(scratch, framework, _STAND_INS[framework][1])
    for one in unity_in(scratch.project):
        # PlatformIO knows what came from an address by that address alone.
        _lend(scratch, "unity", _BY_ADDRESS if one.uri else _UNITY, one.uri)


def _lend(scratch: Scratch, framework: str, folder: str, uri: str = "") -> None:
    owner, name, version = _STAND_INS[framework]
    place = scratch.libraries / folder
    if (place / ".piopm").is_file() and not (place / _OURS).is_file():
        return  # PlatformIO has fetched it, or the user has given it
    about = {"name": name, "version": version}
    if framework == "unity":
        sources = OUR_UNITY / "src"
        # Of two of them, an archive gives way to the one that is linked whole.
        is_tests_own = bool(scratch.project.source.test_suite) and folder == _UNITY
        build = {"extraScript": str(OUR_UNITY / _SCRIPT)}
        more = {} if not is_tests_own else {"libArchive": False}
        _write(place / "library.json", json.dumps(about | {"build": more | build}))
    else:
        sources = DOCTEST
        _write(place / "library.json", json.dumps(about))
        if not (sources / "doctest.h").is_file():
            install = "apt-get install doctest-dev"
            raise ToolMissing("platformio", "the library doctest", install)
    for source_file in sources.iterdir():
        if source_file.suffix in _CODE:
            text = source_file.read_text(encoding="utf-8")
            _write(place / "src" / source_file.name, text)
    spec = {"owner": None if uri else owner, "id": None, "name": name}
    spec |= {"requirements": None, "uri": uri or None}
    known = {"type": "library", **about, "spec": spec}
    _write(place / ".piopm", json.dumps(known))
    words = f"doctest of {DOCTEST}"
    if framework == "unity":
        words = "Unity of pytest-embedbench's own, with the same output"
    _write(place / _OURS, words)


def _write(path: Path, text: str) -> None:
    """Write a file, unless it is that already: what is older is not compiled again."""
    if not path.is_file() or path.read_text(encoding="utf-8") != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
