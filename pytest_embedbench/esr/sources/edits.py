"""Other values for pin constants, where they are written."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

from pytest_embedbench.esr.model import Correction
from pytest_embedbench.esr.sources.loops import NO_BOUND
from pytest_embedbench.esr.sources.sinks import ArgumentRole

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pytest_embedbench.esr.board_pins import BoardPins
    from pytest_embedbench.esr.sources.constants import PinToken, SourceConstant


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
        shift = pins.number(edit.pin) - pins.number(edit.constant.pin)
        for token in edit.constant.tokens:
            said = _said(token, edit, pins)
            places[token.file][token.start, token.end] = said.encode()
            if token.bound is not None and token.bound != NO_BOUND:
                start, end, number = token.bound
                places[token.file][start, end] = str(number + shift).encode()
    return {file: _replaced(files[file], spans) for file, spans in places.items()}


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
    if edit.constant.roles == frozenset({ArgumentRole.INTERRUPT}):
        return f"digitalPinToInterrupt({edit.pin})"
    is_loop = token.bound is not None
    if (
        is_loop
        and edit.constant.roles == frozenset({ArgumentRole.MEASURE})
        and token.text.isdigit()
    ):
        return edit.pin.removeprefix("A")
    return str(pins.number(edit.pin)) if is_loop else edit.pin


def _replaced(source: bytes, spans: Mapping[tuple[int, int], bytes]) -> bytes:
    for (start, end), text in sorted(spans.items(), reverse=True):
        source = source[:start] + text + source[end:]
    return source
