"""In which line of a JSON text each value stands."""

from __future__ import annotations

import json
from functools import partial
from typing import TYPE_CHECKING

from hypothesis import given, strategies as st

from pytest_embedbench.wiring.json_lines import json_places

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), st.text()
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


spelled = partial(json.dumps, ensure_ascii=False)


def paths(value: object, here: tuple[str | int, ...] = ()) -> Iterator[object]:
    yield here
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from paths(inner, (*here, key))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from paths(inner, (*here, index))


@given(
    value=VALUES,
    indent=st.sampled_from([None, 1]),
    spells=st.sampled_from([json.dumps, spelled]),
)
def test_every_value_has_a_line_and_nothing_else_has(
    value: object, indent: int | None, spells: Callable[..., str]
) -> None:
    text = spells(value, indent=indent)
    places = json_places(text)
    assert list(places.lines) == list(paths(value))
    assert places.repeated == ()
    if indent is None:
        assert {*places.lines.values()} == {1}


def test_lines_are_those_of_keys_and_of_items() -> None:
    places = json_places('\n{\n"a": [\n1,\n{"b":\n2}], "c]": "\\"{"\n}')
    assert places.lines == {
        (): 2,
        ("a",): 3,
        ("a", 0): 4,
        ("a", 1): 5,
        ("a", 1, "b"): 5,
        ("c]",): 6,
    }


def test_what_is_not_there_is_where_it_would_be() -> None:
    assert json_places('{\n"a": {}}').line_of("a", "missing", 3) == 2


def test_a_key_that_comes_twice_is_told_with_its_last_line() -> None:
    places = json_places('{"a": [1,\n2],\n"a": []}')
    assert places.repeated == ((("a",), 3),)
    assert places.line_of("a") == 3
