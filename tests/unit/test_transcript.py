"""What was said, and how it is printed."""

from __future__ import annotations

import io
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given, strategies as st

from pytest_embedbench.errors import ConfigError
from pytest_embedbench.model import Direction, Line
from pytest_embedbench.wire.transcript import Transcript, printable, rendered


def line(payload: bytes, at_us: int = 0) -> Line:
    return Line(at_us, Direction.FROM_FIRMWARE, payload)


def test_a_line_is_printed_with_its_time_and_direction() -> None:
    assert rendered(line(b"ACT PUMP ON", 1_050_000)) == "     1.050000 fw-> ACT PUMP ON"


def test_control_characters_are_printed_as_escapes() -> None:  # U6
    assert printable(b"\x00\x1b[31mred\x0b\t") == r"\x00\x1b[31mred\x0b\t"


def test_text_beyond_ascii_is_printed_as_it_is() -> None:  # U1
    assert printable("21 °C 🌡".encode()) == "21 °C 🌡"


def test_bad_utf8_is_printed_as_escapes() -> None:  # U2
    assert printable(b"\xff\xfe ok") == r"\xff\xfe ok"


@given(st.binary())
def test_whatever_is_said_is_fit_for_xml_and_one_line(payload: bytes) -> None:  # U6
    element = ET.Element("system-out")
    element.text = printable(payload)
    parsed = ET.fromstring(ET.tostring(element, "unicode"))
    assert (parsed.text or "") == printable(payload)
    assert len(printable(payload).splitlines()) <= 1


def test_memory_is_bounded_and_the_disk_has_all() -> None:  # U8
    disk = io.StringIO()
    transcript = Transcript(disk, cap_bytes=10_000)
    for number in range(1000):
        transcript.record(line(b"line %d" % number))
    transcript.flush()
    held = list(transcript.since(0))
    assert len(held) < 60
    assert held[-1][0] == 999
    assert held[-1][1].payload == b"line 999"
    assert transcript.forgotten_count + len(held) == len(transcript) == 1000
    assert len(disk.getvalue().splitlines()) == 1000


def test_a_line_keeps_its_number_when_older_ones_are_forgotten() -> None:
    transcript = Transcript(cap_bytes=2000)
    for number in range(100):
        transcript.record(line(b"%d" % number))
    assert [int(held.payload) for _, held in transcript.since(97)] == [97, 98, 99]


def test_the_tail_is_the_end_and_not_the_beginning() -> None:  # U11, V5
    transcript = Transcript()
    for number in range(1000):
        transcript.record(line(b"line %d" % number))
    tail = transcript.tail(200)
    assert tail.endswith("line 999")
    assert len(tail) < 250


def test_lines_are_asked_for_by_number() -> None:
    with pytest.raises(ConfigError, match=r"since\(number='x'\): give the number"):
        Transcript().since("x")  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match=r"since\(until='x'\): give the number"):
        Transcript().since(0, "x")  # type: ignore[arg-type]
