"""Mutants of pins: made from a manifest, each with a twin whose pins are right."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_embedbench.errors import ConfigError
from pytest_embedbench.esr.truth.mutants import RIGHT, mutants_of
from pytest_embedbench.esr.truth.sketch import read_sketch

ROOT = Path(__file__).parents[2]
SKETCHES = sorted(
    file.parent
    for suite in ("example_suites/esr", "benchmarks/esr_truth")
    for file in (ROOT / suite).glob("*/pins.toml")
)
MANIFEST = """
lines = ["#define LED <led>", "#define KEY <key>"]
logic = [{ old = "!digitalRead(KEY)", new = "digitalRead(KEY)" }]
[signals]
led = { pin = "9", kind = "pwm" }
key = { pin = "4", kind = "in" }
"""
SKETCH = "#define LED 9\n#define KEY 4\nvoid loop() { f(LED, !digitalRead(KEY)); }\n"
DIAGRAM = '[["uno:9", "led:A"], ["uno:4", "key:1.l"]]'


def folder(
    root: Path, manifest: str = MANIFEST, sketch: str = SKETCH, diagram: str = DIAGRAM
) -> Path:
    (root / "src").mkdir()
    (root / "pins.toml").write_text(manifest)
    (root / "src" / "main.cpp").write_text(sketch)
    (root / "diagram.json").write_text(diagram)
    return root


@pytest.mark.parametrize("place", SKETCHES, ids=lambda place: place.name)
def test_every_sketch_has_mutants_that_differ(place: Path) -> None:
    mutants = mutants_of(read_sketch(place))
    first, *others = mutants
    assert (first.name, first.text) == (RIGHT, read_sketch(place).text)
    assert len(others) > 2
    made = {(mutant.text, mutant.diagram) for mutant in mutants}
    # A wire that is moved makes the sketch itself one that is wrong.
    assert len(made) == len(mutants)
    assert {mutant.twin for mutant in mutants} <= {mutant.name for mutant in mutants}
    assert mutants_of(read_sketch(place)) == mutants


def test_there_are_enough_sketches() -> None:
    assert len(SKETCHES) >= 40


def test_pins_change_where_the_manifest_says_and_nowhere_else(tmp_path: Path) -> None:
    sketch = read_sketch(folder(tmp_path))
    assert sketch.with_pins({"led": "4", "key": "9"}) == SKETCH.replace(
        "LED 9\n#define KEY 4", "LED 4\n#define KEY 9"
    )


def test_a_bug_has_a_twin_with_the_bug_and_a_wrong_pin_another(tmp_path: Path) -> None:
    by_name = {it.name: it for it in mutants_of(read_sketch(folder(tmp_path)))}
    assert by_name["logic1"].twin == by_name["logic1-wrong-pin"].twin == "logic1"
    assert by_name["one-wrong-pin"].twin == RIGHT
    assert "#define LED 9\n#define KEY 4\n" in by_name["logic1"].text
    assert "!digitalRead" not in by_name["logic1-wrong-pin"].text


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"#define KEY <key>"', '"#define KEYS <key>"', "stands 0 times"),
        ('"#define KEY <key>"', '"#define KEY <kex>"', "'kex' is none of its signals"),
        ('kind = "in"', 'kind = "input"', "'input'; known: out, pwm"),
        ('pin = "4"', "pin = 4", "signals.key.pin: must be text"),
        ("logic =", "logics =", "unknown key"),
    ],
)
def test_a_manifest_that_is_not_the_sketchs_is_an_error(
    tmp_path: Path, old: str, new: str, message: str
) -> None:
    assert old in MANIFEST
    place = folder(tmp_path, manifest=MANIFEST.replace(old, new))
    with pytest.raises(ConfigError, match=message):
        read_sketch(place)
