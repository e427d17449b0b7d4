"""Places of a program that say pins, put together to constants."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

from pytest_embedbench.esr.sources.loops import NO_BOUND
from pytest_embedbench.esr.sources.pin_constant import PinToken, SourceConstant
from pytest_embedbench.esr.sources.sinks import ArgumentRole

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pytest_embedbench.esr.board_pins import BoardPins


class PinMention(NamedTuple):
    """That a number or name is given to a call as a pin; ``owner`` is its variable."""

    token: PinToken
    owner: str
    role: ArgumentRole
    call: str


def grouped(
    found: Mapping[PinToken, list[PinMention]],
    files: Mapping[str, bytes],
    pin_of: Callable[[PinToken, set[ArgumentRole]], str],
    pins: BoardPins,
) -> tuple[SourceConstant, ...]:
    """Return constants, in the order of their files.

    Args:
        found: What is done with each place.
        files: The sources, by path.
        pin_of: Which pin a place says, by what is done with it; ``""`` if none.
        pins: Those of the board.
    """
    groups: defaultdict[tuple[str, str, str], list[PinMention]] = defaultdict(list)
    for token, uses in found.items():
        roles = {use.role for use in uses}
        if pin := pin_of(token, roles):
            owner = next((use.owner for use in uses if use.owner), "")
            where = f"{token.file}:{token.start}" if owner else _side(roles)
            groups[owner, where, pin] += uses
    constants = [
        _constant(pin, uses, files, pins) for (_, _, pin), uses in groups.items()
    ]
    order = {name: index for index, name in enumerate(files)}
    return tuple(sorted(constants, key=lambda it: (order[it.file], it.tokens[0].start)))


def _constant(
    pin: str, uses: list[PinMention], files: Mapping[str, bytes], pins: BoardPins
) -> SourceConstant:
    tokens = tuple(
        token._replace(line=files[token.file][: token.start].count(b"\n") + 1)
        for token in sorted({use.token for use in uses}, key=lambda it: it.place)
    )
    first = tokens[0]
    owner = next((use.owner for use in uses if use.owner), "")
    return SourceConstant(
        name=owner or f"{uses[0].call}()",
        pin=pin,
        roles=frozenset(use.role for use in uses),
        calls=frozenset(use.call for use in uses),
        tokens=tokens,
        file=first.file,
        line=first.line,
        span=_span(pin, first, pins) or _reached(pin, tokens, pins),
    )


def _span(pin: str, token: PinToken, pins: BoardPins) -> tuple[str, ...]:
    if token.bound is None or token.bound == NO_BOUND:
        return ()
    first, last = pins.number(pin), token.bound[2] - (not token.is_inclusive)
    if last < first:
        first, last = last, first
    return tuple(filter(None, map(pins.at, range(first, last + 1))))


def _reached(
    pin: str, tokens: tuple[PinToken, ...], pins: BoardPins
) -> tuple[str, ...]:
    """Return the pins of ``FIRST + i``, if all that is counted from it is known."""
    first = pins.number(pin)
    numbers = {first}
    for token in tokens:
        low, high = token.reach or (0, 0)
        numbers.update(range(first + low, first + high + 1))
    return (
        tuple(filter(None, map(pins.at, sorted(numbers)))) if len(numbers) > 1 else ()
    )


def _side(roles: set[ArgumentRole]) -> str:
    """Keep apart numbers in calls that drive and in calls that read."""
    for role in (ArgumentRole.MEASURE, ArgumentRole.READ, ArgumentRole.INTERRUPT):
        if roles == {role}:
            return str(role.value)
    return str(ArgumentRole.DRIVE.value)
