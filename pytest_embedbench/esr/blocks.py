"""Pins that go together: arrays, loops, and parts that have many."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from pytest_embedbench.esr.model import PinMove

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from pytest_embedbench.esr.fits import Moves, PinFits

_LEAST_OF_A_BLOCK = 3
_LEAST_OF_AN_ARRAY = 2
_SHIFTS = sorted(set(range(-12, 13)) - {0}, key=abs)


def arrays(fits: PinFits) -> Iterator[tuple[Moves, str]]:
    """Shift or reverse the pins of an array, or of a part of one."""
    for group in fits.groups:
        if len(set(group)) < max(len(group), _LEAST_OF_AN_ARRAY):
            continue
        if set(group) & set(fits.astray):
            for moves in _shifted(fits, group):
                yield moves, "an array shifted as a block"
        back = tuple(map(PinMove, group, reversed(group)))
        moves = tuple(it for it in back if it.used != it.wired)
        if len(group) >= _LEAST_OF_A_BLOCK and fits.all_suit(moves):
            yield moves, "an array turned round"


def parts_of_arrays(fits: PinFits) -> Iterator[Moves]:
    """Shift pieces of arrays that serve all that is unserved, the longest first."""
    for group in fits.groups:
        for length in range(len(group) - 1, _LEAST_OF_A_BLOCK - 1, -1):
            for begin in range(len(group) - length + 1):
                part = group[begin : begin + length]
                shifted = _shifted(fits, part)
                yield from (it for it in shifted if fits.serves(it))


def _shifted(fits: PinFits, group: Sequence[str]) -> Iterator[Moves]:
    for shift in _SHIFTS:
        wired = [fits.pins.at(fits.pins.number(pin) + shift) for pin in group]
        moves = tuple(map(PinMove, group, wired))
        if fits.all_suit(moves):
            yield moves


def part_blocks(fits: PinFits) -> Iterator[tuple[Moves, str]]:
    """Shift or reverse all pins of a part that has many, where some are astray."""
    for part, wired in _of_parts(fits).items():
        if fits.astray and set(wired) & set(fits.unserved):
            for moves in _shifts(fits, wired):
                yield moves, f"{part} shifted as a block"
    for moves in turned(fits):
        yield moves, "a part turned round as a block"


def _of_parts(fits: PinFits) -> Mapping[str, list[str]]:
    """Return the pins of each part that has many."""
    groups: defaultdict[str, list[str]] = defaultdict(list)
    for pin in fits.wired:
        for part in fits.signals[pin].parts:
            groups[part].append(pin)
    return {it: p for it, p in groups.items() if len(p) >= _LEAST_OF_A_BLOCK}


def turned(fits: PinFits, *, against: bool = False) -> Iterator[Moves]:
    """Reverse parts; those that names speak for, or those that they are against."""
    for wired in _of_parts(fits).values():
        back = tuple(map(PinMove, reversed(wired), wired))
        moves = tuple(it for it in back if it.used != it.wired)
        if fits.all_suit(moves) and fits.is_contradicted(moves) is against:
            yield moves


def _shifts(fits: PinFits, wired: Sequence[str]) -> Iterator[Moves]:
    numbers = [fits.pins.number(pin) for pin in wired]
    for shift in _SHIFTS:
        used = [fits.pins.at(number + shift) for number in numbers]
        moves = tuple(map(PinMove, used, wired))
        if fits.all_suit(moves):
            yield moves
