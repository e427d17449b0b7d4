"""Markers that take words: a mistake in one is told when its test is collected."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pytest_embedbench.contracts.capabilities import meant_capability
from pytest_embedbench.model import Capability

if TYPE_CHECKING:
    from collections.abc import Collection

ERASABLE = ("nvs", "all", "none")
"""What ``erase`` takes; ``none`` takes back what a class or module has asked for."""
CAPABILITIES = tuple(sorted(capability.value for capability in Capability))


def check_board_markers(node: pytest.Item) -> None:
    """Insist on the words of ``needs`` and ``erase``.

    Raises:
        CollectError: there are none, or one that is not known.
    """
    for marker in node.iter_markers("needs"):
        check_text(node, marker, CAPABILITIES)
        for word in marker.args:
            # All that is no capability is what a lab's boards are wired to.
            if meant_capability(word):
                raise refused(node, marker, f"has no {word!r}", CAPABILITIES)
    for marker in node.iter_markers("image"):
        check_text(node, marker, ("the path of a prebuilt firmware",))
    for marker in node.iter_markers("erase"):
        check_words(node, marker, ERASABLE)
        if len(marker.args) > 1:
            raise refused(node, marker, "takes one word", ERASABLE)


def check_words(node: pytest.Item, marker: pytest.Mark, known: Collection[str]) -> None:
    """Insist that a marker has words, and none but those that are known.

    Raises:
        CollectError: naming test, marker, word and all known ones.
    """
    check_text(node, marker, known)
    for word in marker.args:
        if word not in known:
            raise refused(node, marker, f"has no {word!r}", known)


def check_text(node: pytest.Item, marker: pytest.Mark, known: Collection[str]) -> None:
    """Insist that a marker has words; which, is for the caller to judge.

    Raises:
        CollectError: naming test, marker, what is no word, and all known ones.
    """
    if not marker.args:
        raise refused(node, marker, "says nothing", known)
    if marker.kwargs:
        raise refused(node, marker, "takes words without names", known)
    for word in marker.args:
        if not isinstance(word, str):
            what = f"takes text, and {word!r} is {type(word).__name__}"
            raise refused(node, marker, what, known)


def refused(
    node: pytest.Item, marker: pytest.Mark, what: str, known: Collection[str]
) -> Exception:
    """Return the error that names a test, its marker and what it could have said."""
    words = [repr(word) for word in marker.args]
    words += [f"{name}={value!r}" for name, value in marker.kwargs.items()]
    return pytest.Collector.CollectError(
        f"{node.name}: {marker.name}({', '.join(words)}) {what}; known: "
        f"{', '.join(known)}"
    )
