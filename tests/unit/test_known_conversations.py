"""Conversations in the cache: whole or not there, a few of each check, not too many."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pytest_embedbench.grading.host.conversation import Answered, packed, unpacked
from pytest_embedbench.grading.host.known_conversations import (
    MOST_BYTES,
    MOST_OF_ONE_CHECK,
    KnownConversations,
)
from pytest_embedbench.grading.host.messages import Kind

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_embedbench.grading.host.conversation import Conversation


def answered(*answers: bytes, payload: bytes = b"\1\2") -> Conversation:
    """Return a conversation of one part per answer."""
    begun = Answered(Kind.INIT, b"", b"")
    return [[begun, Answered(Kind.STEPS, payload, answer)] for answer in answers]


@pytest.fixture
def known(tmp_path: Path) -> KnownConversations:
    return KnownConversations(tmp_path, "suite")


@pytest.mark.parametrize("conversation", [[], [[]], answered(b"", b"1", b"22")])
def test_what_is_packed_comes_out_again(conversation: Conversation) -> None:
    assert unpacked(packed(conversation)) == conversation


@pytest.mark.parametrize("damage", [b"", b"\0", b"\xff" * 40])
def test_what_is_not_whole_is_not_unpacked(damage: bytes) -> None:
    data = packed(answered(b"1"))
    for broken in (damage, data[:-1], data + b"\0"):
        with pytest.raises(ValueError, match=r"."):
            unpacked(broken)


def test_of_each_check_the_last_few_are_kept(known: KnownConversations) -> None:
    for number in range(MOST_OF_ONE_CHECK + 2):
        known.add("check", answered(bytes([number])))
    last = range(MOST_OF_ONE_CHECK + 1, 1, -1)
    assert known.of("check") == [answered(bytes([number])) for number in last]
    assert known.of("another check") == []


def test_who_was_asked_otherwise_is_no_measure(known: KnownConversations) -> None:
    known.add("check", answered(b"1"))
    known.add("check", answered(b"2", payload=b"else"))
    known.add("check", answered(b"3"))
    assert known.of("check") == [answered(b"3"), answered(b"1")]


def test_a_conversation_without_end_is_not_kept(known: KnownConversations) -> None:
    known.add("check", answered(b"1"))
    known.add("check", answered(bytes(MOST_BYTES)))
    assert known.of("check") == [answered(b"1")]


def test_a_cache_that_cannot_be_written_to_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "conversations").write_text("a file is in the way")
    known = KnownConversations(tmp_path, "suite")
    known.add("check", answered(b"1"))
    assert known.of("check") == []
