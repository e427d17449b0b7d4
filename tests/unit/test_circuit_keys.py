"""Keys of a keypad by what is printed on them."""

from __future__ import annotations

from pytest_embedbench.circuits.circuit_part import key_labels


def test_a_keypad_has_the_labels_that_are_sold() -> None:
    assert "".join(key_labels("", 4)) == "123A456B789C*0#D"
    assert "".join(key_labels("", 3)) == "123456789*0#"


def test_a_diagram_may_print_others() -> None:
    assert key_labels('["a", 7, "up"]', 3) == ["a", "7", "up"]
