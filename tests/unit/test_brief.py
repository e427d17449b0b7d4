"""Sentences of a brief, and the marks of a task package."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_embedbench.errors import ConfigError
from pytest_embedbench.grading.brief import parse_brief, read_brief, sentences

BRIEF = """\
# A tank

Not a rule: **T9** is only spoken of.

- **T1** After `controller_init` the pump is off,
  and stays off.
- **T2** A level below 30 switches it on.
- An item without an id.
* **L1** Lines end with a newline.

More text.
"""


def test_sentences_are_list_items_with_an_id() -> None:
    assert sentences(BRIEF) == {
        "T1": "After `controller_init` the pump is off, and stays off.",
        "T2": "A level below 30 switches it on.",
        "L1": "Lines end with a newline.",
    }


def test_an_id_can_be_used_once() -> None:
    with pytest.raises(ConfigError, match="two sentences of the brief have the id T1"):
        sentences("- **T1** One.\n- **T1** Two.\n")


def test_a_brief_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"BRIEF\.md: not a readable brief"):
        read_brief(tmp_path / "BRIEF.md")


def test_a_sentence_says_if_it_is_ours() -> None:
    brief = parse_brief(
        "- **T1** One.\n- **T2** (ours) Two,\n  and more.\n- **T3** (o) 3.\n"
    )
    assert brief.sentences == {"T1": "One.", "T2": "Two, and more.", "T3": "(o) 3."}
    assert brief.ours == {"T2"}
    assert list(brief.published) == ["T1", "T3"]
