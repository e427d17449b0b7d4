"""Bytes to lines."""

from __future__ import annotations

import pytest
from hypothesis import example, given, strategies as st

from pytest_embedbench.wire.framing import LineFramer

WIRE_BYTES = st.lists(
    st.sampled_from([b"\r", b"\n", b"a", b"\xc2\xb0", b"\xff", b"\0"])
)
FEEDS = st.lists(WIRE_BYTES.map(b"".join))


def payloads(data: bytes, max_bytes: int = 4096) -> list[bytes]:
    framer = LineFramer(max_bytes)
    return [line.payload for line in framer.feed(data)]


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r", b"\n\r"])
def test_every_line_end_ends_a_line_once(end: bytes) -> None:  # U5
    assert payloads(b"one" + end + end + b"two" + end) == [b"one", b"", b"two"]


def test_a_line_end_split_across_two_feeds_is_one() -> None:  # U5
    framer = LineFramer()
    assert [line.payload for line in framer.feed(b"one\r")] == [b"one"]
    assert [line.payload for line in framer.feed(b"\ntwo\n")] == [b"two"]


@given(feeds=FEEDS)
@example([b"a\r", b"b", b"\n"])
@example([b"a\r\n", b"\rb\n"])
@example([b"a\n", b"\n", b"\rb\n"])
@example([b"ab", b"cd\n"])
@example([b"abcde\n", b"abcdef\n", b"abcde", b"\r\n"])
def test_how_bytes_are_chunked_does_not_matter(feeds: list[bytes]) -> None:  # U1
    whole, piecewise = LineFramer(5), LineFramer(5)
    lines = [line for data in feeds for line in piecewise.feed(data)]
    assert lines == whole.feed(b"".join(feeds))
    assert piecewise.pending == whole.pending


@given(pieces=WIRE_BYTES)
def test_every_byte_is_accounted_for(pieces: list[bytes]) -> None:
    data = b"".join(pieces)
    framer = LineFramer(3)
    lines = framer.feed(data)
    if (rest := framer.take_pending()) is not None:
        lines.append(rest)
    counted = sum(len(line.payload) + line.cut_bytes for line in lines)
    assert counted == len(data.replace(b"\r", b"").replace(b"\n", b""))


def test_an_over_long_line_is_cut_and_says_by_how_much() -> None:
    framer = LineFramer(4)
    assert framer.feed(b"abcdef") == []
    assert framer.feed(b"gh\nnext\n") == [(b"abcd", 4), (b"next", 0)]


def test_a_line_may_have_4096_bytes() -> None:
    said = LineFramer().feed(b"x" * 4096 + b"\n" + b"y" * 4097 + b"\n")
    assert said == [(b"x" * 4096, 0), (b"y" * 4096, 1)]


def test_the_rest_of_an_over_long_line_cannot_pose_as_a_line() -> None:
    assert payloads(b"x" * 10 + b"ACT PUMP ON\n", max_bytes=10) == [b"x" * 10]


def test_output_without_a_line_end_stays_pending() -> None:  # V12
    framer = LineFramer()
    framer.feed(b"boot\nlogin: ")
    assert framer.pending == b"login: "
    assert framer.take_pending() == (b"login: ", 0)
    assert framer.take_pending() is None
