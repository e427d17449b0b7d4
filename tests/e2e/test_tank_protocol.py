"""``protocol.c`` of the tank against what the brief says of lines."""

from __future__ import annotations

import ctypes
import re
import subprocess
from pathlib import Path

import pytest
from hypothesis import example, given, strategies as st

from tests.e2e.native_firmware import LIBRARIES, SUITES, needs_gcc

pytestmark = needs_gcc

IGNORED, LEVEL, SENSOR_TIMEOUT, INVALID_LEVEL = range(4)


class Input(ctypes.Structure):
    _fields_ = [("kind", ctypes.c_int), ("level", ctypes.c_int)]  # type: ignore[mutable-override]  # so it is in typeshed


class Protocol:
    """The compiled parser and serialisers, with types."""

    def __init__(self, library: Path) -> None:
        self._library = ctypes.CDLL(str(library))

    def parse(self, line: bytes | None) -> tuple[int, int, int]:
        """Return result, input kind and level."""
        got = Input(-1, -1)
        result: int = self._library.protocol_parse_line(line, ctypes.byref(got))
        return result, got.kind, got.level

    def pump(self, *, on: bool, size: int = 128) -> bytes | None:
        buffer = ctypes.create_string_buffer(b"untouched", 128)
        call = self._library.protocol_serialize_act_pump
        call.argtypes = (ctypes.c_bool, ctypes.c_char_p, ctypes.c_size_t)
        call.restype = ctypes.c_bool
        fits = call(on, buffer, size)
        assert fits or buffer.value == b"untouched"
        return buffer.value if fits else None

    def debug(self, text: bytes | None, size: int = 128) -> bytes | None:
        buffer = ctypes.create_string_buffer(b"untouched", 128)
        call = self._library.protocol_serialize_debug
        call.argtypes = (ctypes.c_char_p, ctypes.c_char_p, ctypes.c_size_t)
        call.restype = ctypes.c_bool
        fits = call(text, buffer, size)
        assert fits or buffer.value == b"untouched"
        return buffer.value if fits else None


@pytest.fixture(scope="module")
def protocol(tmp_path_factory: pytest.TempPathFactory) -> Protocol:
    library = tmp_path_factory.mktemp("protocol") / "protocol.so"
    frame = LIBRARIES / "embedbench_frame"
    words = (
        *("gcc", "-shared", "-fPIC", "-Wall", "-Wextra", "-Werror", "-std=c99"),
        f"-I{frame / 'include'}",
        SUITES / "tank_fill_drain" / "src" / "protocol.c",
        frame / "src" / "embedbench_frame.c",
        *("-o", library),
    )
    subprocess.run(words, check=True, timeout=60)
    return Protocol(library)


def expected(line: bytes) -> tuple[int, int, int]:
    """What the brief says."""
    text = line.partition(b"\0")[0][:127].strip(b" \t\n\v\f\r")
    words = [word for word in re.split(rb"[ \t]+", text) if word]
    if words == [b"FAULT", b"SENSOR_TIMEOUT"]:
        return SENSOR_TIMEOUT, SENSOR_TIMEOUT, 0
    if words[:2] != [b"SENSE", b"LEVEL"]:
        return IGNORED, IGNORED, 0
    value = b" ".join(words[2:])
    if re.fullmatch(rb"[+-]?[0-9]+", value) and 0 <= int(value) <= 100:
        return LEVEL, LEVEL, int(value)
    return INVALID_LEVEL, INVALID_LEVEL, 0


words = st.sampled_from(
    [b"SENSE", b"LEVEL", b"FAULT", b"SENSOR_TIMEOUT", b"sense", b"TEMP", b"banana"]
)
numbers = st.one_of(
    st.integers(-5, 105).map(b"%d".__mod__),
    st.integers(-(10**30), 10**30).map(b"%d".__mod__),
    st.sampled_from([b"+7", b"-0", b"007", b"+", b"-", b"--1", b"1.0", b"0x10", b"5%"]),
)
blanks = st.text(" \t", min_size=1, max_size=3).map(str.encode)
ends = st.text(" \t\r\n\v\f", max_size=3).map(str.encode)
frames = st.lists(st.one_of(words, numbers, blanks), max_size=7).map(b" ".join)
levels = numbers.map(b"SENSE LEVEL ".__add__)


@given(
    line=st.one_of(
        st.binary(max_size=140),
        st.tuples(ends, st.one_of(frames, levels), ends).map(b"".join),
    )
)
@example(line=b"SENSE LEVEL 25")
@example(line=b"SENSE LEVEL")
@example(line=b"SENSE LEVEL 20 20")
@example(line=b"SENSE\tLEVEL\t \t100\r\n")
@example(line=b"SENSE LEVEL 101")
@example(line=b"SENSE LEVEL -1")
@example(line=b"SENSE LEVEL 4294967316")
@example(line=b"FAULT SENSOR_TIMEOUT now")
@example(line=b"SENSE LEVEL 2\r0")
@example(line=b"SENSE LEVEL " + b"0" * 120)
@example(line=b"")
def test_lines_are_read_as_the_brief_says(protocol: Protocol, line: bytes) -> None:
    assert protocol.parse(line) == expected(line)


def test_no_line_at_all_is_ignored(protocol: Protocol) -> None:
    assert protocol.parse(None) == (IGNORED, IGNORED, 0)


def test_actuator_lines(protocol: Protocol) -> None:
    assert protocol.pump(on=True) == b"ACT PUMP ON\n"
    assert protocol.pump(on=False) == b"ACT PUMP OFF\n"
    assert protocol.pump(on=True, size=13) == b"ACT PUMP ON\n"
    assert protocol.pump(on=True, size=12) is None
    assert protocol.pump(on=True, size=0) is None


def test_debug_lines(protocol: Protocol) -> None:
    assert protocol.debug(b"STATE HOLDING") == b"DBG STATE HOLDING\n"
    assert protocol.debug(b"x" * 122) == b"DBG " + b"x" * 122 + b"\n"
    assert protocol.debug(b"x" * 123) is None
    assert protocol.debug(None) is None
