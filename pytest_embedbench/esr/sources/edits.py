"""Other values for pin constants, where they are written."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

from pytest_embedbench.esr.model import Correction
from pytest_embedbench.esr.sources.loops import NO_BOUND
from pytest_embedbench.esr.sources.python_sinks import said_in_python
from pytest_embedbench.esr.sources.sinks import ArgumentRole

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pytest_embedbench.esr.board_pins import BoardPins
    from pytest_embedbench.esr.sources.counted import Place
    from pytest_embedbench.esr.sources.pin_constant import PinToken, SourceConstant


class Edit(NamedTuple):
    """A constant that is to say another pin."""

    constant: SourceConstant
    pin: str


def edited(
    files: Mapping[str, bytes], edits: Sequence[Edit], pins: BoardPins
) -> dict[str, bytes]:
    """Return the files that are changed, as they are then."""
    places: defaultdict[str, dict[tuple[int, int], bytes]] = defaultdict(dict)
    for edit in edits:
        shift = _shift(edit, pins)
        for token in edit.constant.tokens:
            said = token.before + _said(token, edit, pins)
            places[token.file][token.start, token.end] = said.encode()
            if token.bound is not None and token.bound != NO_BOUND:
                start, end, number = token.bound
                places[token.file][start, end] = str(number + shift).encode()
    return {file: _replaced(files[file], spans) for file, spans in places.items()}


def settled(
    edits: Sequence[Edit], constants: Sequence[SourceConstant], pins: BoardPins
) -> tuple[tuple[Edit, ...], tuple[Edit, ...]]:
    """Return which edits are to be made, and which keep others where they are.

    What is counted from a constant goes along with it: that need not be edited if it
    is to, and has to be if not.
    """
    shifts = {
        place: _shift(edit, pins) for edit in edits for place in _places(edit.constant)
    }
    known = {place for each in constants for place in _places(each)}

    def carried(constant: SourceConstant) -> int:
        base = next((it for it in constant.bases if it in known), None)
        return shifts.get(base, 0) if base is not None else 0

    made = [it for it in edits if not carried(it.constant) == _shift(it, pins) != 0]
    left = [it for it in constants if not shifts.keys() & _places(it)]
    return tuple(made), tuple(Edit(it, it.pin) for it in left if carried(it))


def _places(constant: SourceConstant) -> set[Place]:
    return {token.place for token in constant.tokens}


def _shift(edit: Edit, pins: BoardPins) -> int:
    return pins.number(edit.pin) - pins.number(edit.constant.pin)


def corrections(edits: Sequence[Edit]) -> tuple[Correction, ...]:
    """Return what a person is told of edits, in the order of the files."""
    ordered = sorted(edits, key=lambda it: (it.constant.file, it.constant.line))
    return tuple(
        Correction(
            name=it.constant.name,
            before=it.constant.pin,
            after=it.pin,
            file=it.constant.file,
            line=it.constant.line,
        )
        for it in ordered
    )


def _said(token: PinToken, edit: Edit, pins: BoardPins) -> str:
    if token.is_python:
        return said_in_python(token, edit.pin, pins)
    if edit.constant.roles == frozenset({ArgumentRole.INTERRUPT}):
        return f"digitalPinToInterrupt({edit.pin})"
    if token.bound is not None and not token.over:
        is_channel = edit.constant.roles == frozenset({ArgumentRole.MEASURE})
        if is_channel and token.text.isdigit():
            return edit.pin.removeprefix("A")
    if token.over or token.bound is not None:
        return str(pins.number(edit.pin) + token.over)
    return pins.spelled(edit.pin, token.text)


def _replaced(source: bytes, spans: Mapping[tuple[int, int], bytes]) -> bytes:
    for (start, end), text in sorted(spans.items(), reverse=True):
        source = source[:start] + text + source[end:]
    return source
