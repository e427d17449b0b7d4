"""What a driver on a board is asked and answers, byte by byte; ``driver.c`` has it too.

A UART is slow and each byte costs a simulator time, so rows are short: a byte with the
kind and how the time is told, the time since the row before, and each value. A few rows
that come again and again cost next to nothing. Requests follow each other without a
wait; ``END`` is answered with how many there were.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from pytest_embedbench.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from pytest_embedbench.grading.task import ControllerApi

HELLO = b"\x02BENCH"
"""What a driver says once it is up, and so whenever the board has restarted; behind it,
what it takes to begin again: ``RESTART``, or ``NO_RESTART`` where only a reset will."""
TEXT_BYTES = 256
"""The driver's room for a line."""
_INIT, _PARSE, _SERIALISE, _REPEAT, RESTART, _END = (
    bytes((number,)) for number in range(1, 7)
)
NO_RESTART = _END
_MOST_TEXT_BYTES = 240
_ROW, _HAS_VALUES, _LONG_KIND = 0x80, 0x10, 0x0F
_LATER_8_BITS, _LATER_16_BITS, _LATER_32_BITS = 0x20, 0x40, 0x60
_WORD, _LONG = 254, 255
_INT16, _UINT32 = range(-(1 << 15), 1 << 15), 0xFFFF_FFFF
_KEPT_ROWS, _MOST_AGAIN, _WORTH_IT = 8, 255, 3
_SERIALISED = struct.Struct("=iiI")
_SERIALISED_BYTES = 3


class Request(NamedTuple):
    """What goes out, how many steps it stands for, and where its answer ends.

    ``end(heard, start)`` is where an answer ends that starts there, past the end of
    what has been heard if there is more of it to come.
    """

    data: bytes
    end: Callable[[bytes | bytearray, int], int]
    step_count: int = 0


@dataclass(slots=True)
class Wire:
    """Translates what the host stage's driver takes and gives, for one task.

    It knows what the last row was, as the driver does: ``restart`` with it.
    """

    api: ControllerApi
    _step: struct.Struct = field(init=False)
    _stepped_end: Callable[[bytes | bytearray, int], int] = field(init=False)
    _now_ms: int = field(init=False, default=0)
    _rows: dict[tuple[int, ...], tuple[int, bytes, bytes]] = field(init=False)
    _stepped: dict[bytes, bytes] = field(init=False)

    def __post_init__(self) -> None:
        self._step = struct.Struct(f"=iI{len(self.api.values)}i")
        self._stepped_end = _of_size(stepped_bytes(self.api))
        self._rows = {}
        self._stepped = {}

    def restart(self) -> None:
        """Begin again at time 0."""
        self._now_ms = 0

    def steps(self, payload: bytes, *, one_by_one: bool = False) -> Iterator[Request]:
        """Yield requests for the rows of the host stage's request.

        With ``one_by_one``, one for each.
        """
        rows = self._later(payload)
        index = 0
        while index < len(rows):
            length, count = (1, 0) if one_by_one else _again(rows, index)
            if count:
                end = _of_pairs(length * count, stepped_bytes(self.api))
                yield Request(_REPEAT + bytes((length, count)), end, length * count)
            else:
                yield self._row(rows[index])
            index += max(1, length * count)

    def _later(self, payload: bytes) -> list[tuple[int, ...]]:
        """Return rows with how much later each is than the one before it."""
        rows: list[tuple[int, ...]] = []
        for kind, now_ms, *values in self._step.iter_unpack(payload):
            rows.append(((now_ms - self._now_ms) & _UINT32, kind, *values))
            self._now_ms = now_ms
        return rows

    def stepped(self, answers: Iterable[bytes]) -> bytes:
        """Return what the host stage's driver answers to rows."""
        size = stepped_bytes(self.api)
        told: list[bytes] = []
        for answer in answers:
            if len(answer) == size:
                told.append(self._host_answer(answer))
                continue
            told += [
                self._host_answer(answer[at + 1 : at + 1 + size]) * answer[at]
                for at in range(0, len(answer), 1 + size)
            ]
        return b"".join(told)

    def _row(self, row: tuple[int, ...]) -> Request:
        later_ms, *what = row
        head, kind, values = self._rows.get(row[1:]) or self._head_and_values(what)
        how, time = _time(later_ms)
        return Request(
            bytes((head | how,)) + kind + time + values, self._stepped_end, 1
        )

    def _head_and_values(self, what: Sequence[int]) -> tuple[int, bytes, bytes]:
        """Return what of a row does not depend on its time."""
        kind, *values = what
        is_long = kind >= _LONG_KIND
        head = _ROW | (_LONG_KIND if is_long else kind)
        told = b""
        if any(values):
            head |= _HAS_VALUES
            told = b"".join(map(_value, values))
        made = head, bytes((kind,)) if is_long else b"", told
        self._rows[tuple(what)] = made
        return made

    def _host_answer(self, answer: bytes) -> bytes:
        if answer not in self._stepped:
            self._stepped[answer] = self._unpacked(int.from_bytes(answer, "little"))
        return self._stepped[answer]

    def _unpacked(self, bits: int) -> bytes:
        actuators = [
            bits >> place & 1 for place in range(len(self.api.actuators), 0, -1)
        ]
        state = (bits >> (1 + len(actuators))) - 1 if self.api.states else 0
        return struct.pack("=Bb", bits & 1, state) + bytes(actuators)


def init() -> Request:
    """Return the request to call ``controller_init``."""
    return Request(_INIT, _of_size(len(_INIT)))


def restart() -> Request:
    """Return the request to put all variables back; what was asked does not count."""
    return Request(RESTART, _of_size(len(RESTART)))


def end() -> Request:
    """Return the request that ends a talk; the answer is a count of requests."""
    return Request(_END, _of_size(1))


def parse(api: ControllerApi, line: bytes) -> Request:
    """Return the request to read a line; the answer is the host stage's.

    Raises:
        ConfigError: it is longer than the driver has room for.
    """
    data = _PARSE + bytes((_text_bytes("a line", len(line)),)) + line
    return Request(data, _of_size(4 * (2 + len(api.values))), 1)


def serialise(payload: bytes) -> Request:
    """Return the request to write a line; the payload is the host stage's.

    Raises:
        ConfigError: the buffer is larger than the driver's.
    """
    actuator, on, size_bytes = _SERIALISED.unpack(payload)
    size = _text_bytes("a buffer", size_bytes)
    return Request(_SERIALISE + bytes((actuator, on, size)), _end_of_text, 1)


def serialised(answer: bytes) -> tuple[bytes, bool]:
    """Return the host stage's answer, and whether more than the buffer was written."""
    fits, wrote_behind, _ = answer[:_SERIALISED_BYTES]
    return struct.pack("=i", fits) + answer[_SERIALISED_BYTES:], bool(wrote_behind)


def stepped_bytes(api: ControllerApi) -> int:
    """Return how many bytes answer a row: a bit for each truth, then a state."""
    bits = 1 + len(api.actuators) + len(api.states).bit_length()
    return next(size for size in (1, 2, 4) if bits <= size * 8)


def _of_size(size: int) -> Callable[[bytes | bytearray, int], int]:
    return lambda _heard, start: start + size


def _of_pairs(count: int, size: int) -> Callable[[bytes | bytearray, int], int]:
    """Return where pairs of how many and what end, when there were ``count``."""

    def end(heard: bytes | bytearray, start: int) -> int:
        left = count
        while left > 0 and start < len(heard):
            left -= max(1, heard[start])
            start += 1 + size
        return start if left <= 0 else len(heard) + 1

    return end


def _end_of_text(heard: bytes | bytearray, start: int) -> int:
    length_at = start + _SERIALISED_BYTES - 1
    if length_at >= len(heard):
        return len(heard) + 1
    return length_at + 1 + heard[length_at]


def _value(number: int) -> bytes:
    if 0 <= number < _WORD:
        return bytes((number,))
    if number in _INT16:
        return struct.pack("<Bh", _WORD, number)
    return struct.pack("<Bi", _LONG, number)


def _time(later_ms: int) -> tuple[int, bytes]:
    """Return how a row's time is told, and the time."""
    if later_ms == 0:
        return 0, b""
    if later_ms < 1 << 8:
        return _LATER_8_BITS, later_ms.to_bytes(1, "little")
    if later_ms < 1 << 16:
        return _LATER_16_BITS, later_ms.to_bytes(2, "little")
    return _LATER_32_BITS, later_ms.to_bytes(4, "little")


def _again(rows: Sequence[tuple[int, ...]], index: int) -> tuple[int, int]:
    """Return how many rows come again from here on, and how often; 0 for never."""
    for length in range(1, min(index, _KEPT_ROWS) + 1):
        if rows[index] != rows[index - length]:
            continue
        count, pattern = 0, rows[index - length : index]
        while count < _MOST_AGAIN:
            begin = index + count * length
            if rows[begin : begin + length] != pattern:
                break
            count += 1
        if length * count >= _WORTH_IT:
            return length, count
    return 1, 0


def _text_bytes(what: str, size_bytes: int) -> int:
    if size_bytes > _MOST_TEXT_BYTES:
        raise ConfigError(
            f"{what} of {size_bytes} bytes: on a board there is room for "
            f"{_MOST_TEXT_BYTES}; mark this check host_only"
        )
    return size_bytes
