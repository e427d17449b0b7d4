"""How a shared check becomes a test: what it enforces, in which profile."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pytest_embedbench.errors import WrongOutput

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    Test = Callable[..., None]
    """A test, to be collected by the name that it is given in a suite."""


def enforcing(*brief: str, profile: str = "full") -> Callable[[Test], Test]:
    """Return what marks a check with the sentences that it enforces.

    One of ``full`` is one of ``paper-strict``, too, if no sentence is ours.
    """
    return _marked(brief, profile)


def by_the_oracle(*brief: str) -> Callable[[Test], Test]:
    """Return what marks a check that goes by the oracle, which knows what is ours."""
    return _marked(brief, "full", "paper-strict")


def _marked(brief: Sequence[str], *profiles: str) -> Callable[[Test], Test]:
    def mark(check: Test) -> Test:
        return pytest.mark.profile(*profiles)(pytest.mark.brief(*brief)(check))

    return mark


def needing(*capabilities: str) -> Callable[[Test], Test]:
    """Return what leaves a check out on boards that lack one of these."""

    def mark(check: Test) -> Test:
        marked: Test = pytest.mark.needs(*capabilities)(check)
        return marked

    return mark


def using(*fixtures: str) -> Callable[[Test], Test]:
    """Return what has a suite's fixtures made before a check, as if it took them."""

    def mark(check: Test) -> Test:
        if fixtures:
            marked: Test = pytest.mark.usefixtures(*fixtures)(check)
            return marked
        return check

    return mark


def each(name: str, values: Iterable[object]) -> Callable[[Test], Test]:
    """Return what makes one test of each value, named by pytest."""
    return pytest.mark.parametrize(name, list(values))


def each_of(name: str, values: Mapping[str, object]) -> Callable[[Test], Test]:
    """Return what makes one test of each value, named by its key if there are more."""
    named = len(values) > 1
    rows = [
        pytest.param(value, id=key if named else pytest.HIDDEN_PARAM)
        for key, value in values.items()
    ]
    return pytest.mark.parametrize(name, rows)


def each_if(
    name: str, values: Sequence[str], *, or_just: str = ""
) -> Callable[[Test], Test]:
    """Return what makes one test of each value; a single one is not named by it.

    Args:
        name: The check's parameter.
        values: What it gets.
        or_just: What it gets if there are none.
    """
    return each_of(name, {value: value for value in values or (or_just,)})


def insist(fact: object, told: str) -> None:
    """Insist that ``fact`` is true.

    Raises:
        WrongOutput: it is not, and ``told`` says what is wrong instead.
    """
    if not fact:
        raise WrongOutput(told)
