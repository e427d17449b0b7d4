"""The documentation's table of parts says what the table of part types has."""

from __future__ import annotations

import importlib
import inspect
import re
from pathlib import Path

import pytest

from pytest_embedbench.parts import CATALOGUE
from pytest_embedbench.parts.models import MODELS
from pytest_embedbench.wiring.findings import FindingKind
from pytest_embedbench.wiring.part_type import NamedBy, PartType

PAGE_FOLDER = Path(__file__).parents[2] / "docs"
PAGE = (PAGE_FOLDER / "circuits.md").read_text("utf-8")
SAID_BEFORE_THE_TABLE = ("wokwi-arduino-", "wokwi-breadboard", "$serialMonitor")
SHOWN = {
    name: part
    for name, part in CATALOGUE.types.items()
    if not name.startswith(SAID_BEFORE_THE_TABLE)
}
MARKS = {NamedBy.WOKWI: "", NamedBy.USAGE: " (u)", NamedBy.US: " (e)"}


def row(part: PartType) -> str:
    """Return the row of a type as the page has to have it."""
    pins = " ".join(dict.fromkeys(pin.name for pin in part.pins))
    controls = ", ".join(
        f"`{name}` {control.lowest:g} to {control.highest:g} {control.unit}".rstrip()
        + MARKS[control.named_by]
        for name, control in part.controls.items()
    )
    observables = ", ".join(
        f"`{name}` ({form})" for name, form in part.observables.items()
    )
    model = "yes" if part.name in MODELS else ""
    named = (f"`{part.name}`", part.title, pins, " ".join(part.attrs))
    cells = (*named, controls, observables, model)
    return f"| {' | '.join(cell or '-' for cell in cells)} |"


@pytest.mark.parametrize("part", SHOWN.values(), ids=SHOWN)
def test_the_page_has_the_row_of_a_type(part: PartType) -> None:
    assert row(part) in PAGE.splitlines()


def test_whoever_has_a_model_is_in_the_table() -> None:
    assert MODELS.keys() <= SHOWN.keys()


def test_the_page_shows_no_type_that_is_not_there() -> None:
    rows = re.findall(
        r"^\| `((?:wokwi|board|embedbench)-[^`]+)` \|", PAGE, re.MULTILINE
    )
    assert rows == sorted(SHOWN)


def test_the_page_has_every_kind_of_finding() -> None:
    rows = re.findall(r"^\| `([\w-]+)` \| (error|warning) \|", PAGE, re.MULTILINE)
    assert dict(rows) == {
        kind.value: "error" if kind.is_error else "warning" for kind in FindingKind
    }


MODEL_PAGE = PAGE_FOLDER / "part_models.md"


def models_by_module() -> dict[str, list[str]]:
    """Return the types of each module of models, by its name."""
    by_module: dict[str, list[str]] = {}
    for name, make in sorted(MODELS.items()):
        by_module.setdefault(make.__module__, []).append(name)
    return by_module


def section(module: str, types: list[str]) -> str:
    """Return what the page of models has to say of a module: its docstring."""
    doc = inspect.getdoc(importlib.import_module(module))
    assert doc
    title, _, rest = doc.replace("``", "`").partition("\n")
    named = ", ".join(f"`{each}`" for each in types)
    return f"## {title.rstrip('.:')}\n\n{named}\n\n{rest.strip()}".strip()


def test_the_page_of_models_says_what_they_are_made_by_and_what_they_leave_out() -> (
    None
):
    sections = [section(module, types) for module, types in models_by_module().items()]
    head, _, rest = MODEL_PAGE.read_text("utf-8").partition("\n## ")
    assert head.startswith("# How exact parts are")
    assert f"## {rest}" == "\n\n".join(sorted(sections)) + "\n"
