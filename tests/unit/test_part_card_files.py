"""Files that a test puts on a card, and what cannot be put there."""

from __future__ import annotations

import pytest

from pytest_embedbench.errors import ConfigError, NotSupported
from pytest_embedbench.parts.models.fat16 import blank_card, files_of
from pytest_embedbench.parts.models.fat16_files import put_file
from tests.support.placed import OnTable


def test_files_are_there_by_name_and_may_be_written_anew() -> None:
    card = OnTable("wokwi-microsd-card")
    long = bytes(range(256)) * 20
    card.part.put_file("SET.TXT", b"9")
    card.part.put_file("data/log.csv", long)
    card.part.put_file("data/empty", b"")
    card.part.put_file("Mixed.Txt", b"m")
    card.part.put_file("set.txt", b"ten")
    assert card.see("files") == (
        ("set.txt", b"ten"),
        ("data/log.csv", long),
        ("data/empty", b""),
        ("MIXED.TXT", b"m"),
    )


def test_a_folder_grows_and_what_was_freed_is_used_again() -> None:
    card = blank_card()
    for index in range(100):
        put_file(card, f"A/F{index}", bytes([index]) * 1500)
    assert files_of(card)[99] == ("A/F99", b"c" * 1500)
    for size in (7_000_000, 7_500_000):
        put_file(card, "BIG", b"x" * size)
    assert len(dict(files_of(card))["BIG"]) == 7_500_000


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("ninesigns.txt", "'ninesigns.txt' is no name for a card"),
        ("", "'' is no name for a card"),
        ("a/../b", "'..' is no name for a card"),
        ("F/X", "'F' on the card is a file"),
        ("D", "'D' on the card is a folder"),
        ("\u00e4.txt", "no name for a card"),
    ],
)
def test_what_cannot_be_there_is_refused(path: str, why: str) -> None:
    card = blank_card()
    put_file(card, "F", b"")
    put_file(card, "D/X", b"")
    with pytest.raises(ConfigError, match=why):
        put_file(card, path, b"")


def test_a_full_card_says_so() -> None:
    card = blank_card()
    with pytest.raises(ConfigError, match="no room on the card for 9000000 bytes"):
        put_file(card, "BIG", bytes(9_000_000))


def test_a_light_takes_no_files() -> None:
    with pytest.raises(NotSupported, match="a wokwi-led takes no files"):
        OnTable("wokwi-led").part.put_file("A", b"")
