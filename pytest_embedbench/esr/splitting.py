"""Constants that say one pin, and are meant for several: how they may be taken apart.

A number that is written again and again in calls is one constant as long as all of it
may be of one pin. Each of its places may be of another.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import replace
from itertools import chain, combinations, islice, product
from typing import TYPE_CHECKING, NamedTuple

from pytest_embedbench.esr.signals import words_of
from pytest_embedbench.esr.sources.edits import Edit
from pytest_embedbench.esr.sources.sinks import ArgumentRole
from pytest_embedbench.esr.uses import doing_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from pytest_embedbench.esr.candidates import Candidates
    from pytest_embedbench.esr.sources.pin_constant import PinToken, SourceConstant
    from pytest_embedbench.esr.uses import Uses

_READING = {ArgumentRole.READ, ArgumentRole.MEASURE, ArgumentRole.INTERRUPT}
_MOST_AT_ONCE = 2
_MOST_WAYS = 500
_MOST_LOOKED_AT = 20_000
_SET_UP = ("pinMode", 0)
Edits = tuple[Edit, ...]
Tokens = tuple["PinToken", ...]


class Splits(NamedTuple):
    """Ways to take constants apart, likeliest first; ``is_cut`` if there are more."""

    ways: Iterable[Edits]
    is_cut: bool = False


def splits(candidates: Candidates, uses: Uses) -> Splits:
    """Return edits that take constants apart which say the same pin.

    One of them stays where it is; names say which are tried first.
    """
    options = [_moved_to(wired, candidates, uses) for wired in candidates.unserved]
    if not options or not all(options):
        return Splits(())
    if len(options) > _MOST_AT_ONCE:
        return Splits((), is_cut=True)
    is_cut = any(len(ways) > _MOST_WAYS for ways in options)
    return Splits(_apart(options), is_cut)


def _apart(options: Sequence[Sequence[Edits]]) -> Iterator[Edits]:
    """Yield those that have each place say one pin."""
    for chosen in product(*options):
        edits = tuple(chain(*chosen))
        places = [token.place for it in edits for token in it.constant.tokens]
        if len(set(places)) == len(places):
            yield edits


def _moved_to(wired: str, candidates: Candidates, uses: Uses) -> list[Edits]:
    """Return what a signal may be given that nothing serves: constants, then parts."""
    counts = Counter(it.pin for it in uses.constants)
    kind = candidates.signals[wired].kind
    suited = [it for it in uses.constants if doing_of(it).suits(kind)]
    suited.sort(key=lambda it: -_fits(candidates, it, wired))
    whole = [(Edit(it, wired),) for it in suited if counts[it.pin] > 1]
    parts = (
        tuple(Edit(_of_one_place(it, token), wired) for token in tokens)
        for it in suited
        for tokens in parts_of(it)
    )
    return [*whole, *islice(parts, _MOST_WAYS + 1)]


def parts_of(constant: SourceConstant) -> Iterator[Tokens]:
    """Yield parts of a number in calls that may be another pin, the likeliest first.

    Places of one call go in turn: the first of each, the second of each; then halves
    of each; then those that leave something of each call; then all other parts. An
    output that is set up once is one pin.
    """
    by_call: defaultdict[tuple[str, int], list[PinToken]] = defaultdict(list)
    for token in constant.tokens:
        by_call[token.argument].append(token)
    if not constant.roles <= _READING and len(by_call.get(_SET_UP, ())) == 1:
        return
    seen: set[Tokens] = {(), constant.tokens}
    calls = tuple(map(tuple, by_call.values()))
    for part in chain(_in_turn(calls), _of_each(calls), _subsets(constant.tokens)):
        tokens = tuple(it for it in constant.tokens if it in part)
        if tokens not in seen:
            seen.add(tokens)
            yield tokens


def _in_turn(calls: Sequence[Tokens]) -> Iterator[Tokens]:
    """Yield the nth of each call, halves of each, and every second of each."""
    for nth in range(max(map(len, calls), default=0)):
        yield tuple(tokens[nth] for tokens in calls if nth < len(tokens))
    yield tuple(token for tokens in calls for token in tokens[: len(tokens) // 2])
    yield tuple(token for tokens in calls for token in tokens[len(tokens) // 2 :])
    for first in (0, 1):
        yield tuple(token for tokens in calls for token in tokens[first::2])


def _of_each(calls: Sequence[Tokens]) -> Iterator[Tokens]:
    """Yield parts that leave something of each call that is there more than once."""
    for part in islice(_subsets(tuple(chain(*calls))), _MOST_LOOKED_AT):
        taken = set(part)
        if all(0 < len(taken & {*it}) < len(it) for it in calls if len(it) > 1):
            yield part


def _subsets(tokens: Tokens) -> Iterator[Tokens]:
    for size in range(1, len(tokens)):
        yield from combinations(tokens, size)


def _of_one_place(constant: SourceConstant, token: PinToken) -> SourceConstant:
    name = f"{token.argument[0]}()" if token.argument[0] else constant.name
    return replace(
        constant, name=name, tokens=(token,), file=token.file, line=token.line
    )


def _fits(candidates: Candidates, constant: SourceConstant, wired: str) -> float:
    signal = candidates.signals[wired]
    return candidates.affinity.of_words(words_of(constant.words), signal)
