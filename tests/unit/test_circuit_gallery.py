"""The page of the gallery shows each circuit as it is drawn now."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pytest_embedbench.circuits.picture import draw_circuit
from pytest_embedbench.diagram_file import check_diagram_file
from pytest_embedbench.parts import CATALOGUE

ROOT = Path(__file__).parents[2]
GALLERY = Path("example_suites/circuits")
PICTURES = ROOT / "docs/pictures"
PAGE = (ROOT / "docs/circuit_gallery.md").read_text()
IMAGE = re.compile(r"^!\[The circuit of \w+\]\(pictures/(\w+)\.svg\)$", re.MULTILINE)
SHOWN = IMAGE.findall(PAGE)
CIRCUITS = sorted(file.parent.name for file in (ROOT / GALLERY).glob("*/diagram.json"))


def test_the_page_shows_every_circuit_under_its_name() -> None:
    assert CIRCUITS
    assert CIRCUITS == SHOWN == re.findall(r"^## (\w+)$", PAGE, re.MULTILINE)


@pytest.mark.parametrize("name", SHOWN)
def test_its_picture_is_what_draw_makes(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)  # the title of a picture is the path that was given
    report = check_diagram_file(GALLERY / name / "diagram.json")
    assert not report.findings
    picture = PICTURES / f"{name}.svg"
    assert picture.read_text() == draw_circuit(report, CATALOGUE), (
        f"run: embedbench diagram draw {report.diagram.file} docs/pictures/{name}.svg"
    )


def test_no_picture_is_left_over() -> None:
    assert sorted(picture.stem for picture in PICTURES.glob("*.svg")) == SHOWN
