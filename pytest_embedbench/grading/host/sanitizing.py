"""What a submission may not say: it would switch off what looks for its faults."""

from __future__ import annotations

import re
from bisect import bisect_left
from itertools import groupby
from typing import TYPE_CHECKING

from pytest_embedbench.grading.edit_surface.c_tokens import TokenKind, cut_up
from pytest_embedbench.grading.edit_surface.reaching import plain_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pytest_embedbench.grading.edit_surface.c_tokens import Source, Token

_SPEAKS_FOR_ONE = r"__(?:asan|ubsan|sanitizer|lsan|hwasan|interceptor)_\w+"
_WORD = re.compile(
    rf"_*no_sanitize\w*|_*no_address_safety_analysis_*|{_SPEAKS_FOR_ONE}"
)
_TEXT = re.compile(rf"(?<!\w)(?:{_SPEAKS_FOR_ONE})")
"""In a string: the name that assembler gives to something."""
_OPTIMIZE = re.compile(r"_*optimize_*")
_OPTION = re.compile(r"wrapv|trapv|sanitize|overflow")


def switched_off(preprocessed: str) -> str:
    """Return what is wrong with preprocessed C, as a compiler says it; or nothing.

    It goes by tokens: strings side by side are one, escapes are read, and a line's end
    is a blank.
    """
    source = cut_up(preprocessed.encode("utf-8", "surrogateescape"))
    sequences = [source.tokens, *(each.tokens for each in source.directives)]
    offences = (found for tokens in sequences for found in _offences(tokens))
    line, what = min(offences, default=(0, ""))
    if not what:
        return ""
    return (
        f"{_place(source, line)}: error: {what}: a submission may not switch off, or "
        "speak for, what looks for memory errors and undefined behaviour"
    )


def _offences(tokens: Sequence[Token]) -> Iterator[tuple[int, str]]:
    """Yield the line and the words of each offence."""
    optimizes = False
    for is_text, group in groupby(tokens, lambda token: token.kind is TokenKind.STRING):
        run = list(group)
        if is_text:
            text = "".join(plain_text(token.text) for token in run)
            if found := _TEXT.search(text):
                yield run[0].line, found.group()
            elif optimizes and _OPTION.search(text):
                yield run[0].line, f"optimize({text!r})"
            continue
        for token in run:
            if _WORD.fullmatch(token.text):
                yield token.line, token.text
            among = token.text in "(," or token.kind is TokenKind.NUMBER
            optimizes = bool(_OPTIMIZE.fullmatch(token.text)) or (optimizes and among)


def _place(source: Source, line: int) -> str:
    """Return the file and line of a line of preprocessed text."""
    marks = [each for each in source.directives if each.name.isdigit() and each.tokens]
    index = bisect_left([each.line for each in marks], line)
    if not index:
        return f"(preprocessed):{line}"
    mark = marks[index - 1]
    return f"{mark.tokens[0].text}:{int(mark.name) + line - mark.line - 1}"
