"""Keys of a keypad by what is printed on them."""

from __future__ import annotations

from pytest_embedbench.circuits.circuit_part import CircuitPart, key_labels
from pytest_embedbench.parts import CATALOGUE
from pytest_embedbench.wiring.part_type import HANDLES


def test_a_keypad_has_the_labels_that_are_sold() -> None:
    assert "".join(key_labels("", 4)) == "123A456B789C*0#D"
    assert "".join(key_labels("", 3)) == "123456789*0#"


def test_a_diagram_may_print_others() -> None:
    assert key_labels('["a", 7, "up"]', 3) == ["a", "7", "up"]


def test_no_part_shows_anything_by_the_name_of_what_tests_do() -> None:
    handles = {name for name in vars(CircuitPart) if not name.startswith("_")}
    assert handles | {"id", "controls"} == HANDLES
    for kind in CATALOGUE.types.values():
        assert HANDLES.isdisjoint(kind.observables), kind.name
