"""Which files the text of a C source would have opened, as far as the text alone tells.

What only the compiler can tell (a name that a macro makes, a condition that holds on
one board) is left to the compiler, which says what it has read.
"""

from __future__ import annotations

import posixpath
import re
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from pytest_embedbench.grading.edit_surface.c_tokens import (
    ASKING,
    INCLUDING,
    TokenKind,
    cut_up,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from pytest_embedbench.grading.edit_surface.c_tokens import (
        Directive,
        Source,
        Token,
    )

_ASM = frozenset({"asm", "__asm", "__asm__"})
_ASSEMBLING = _ASM | {"__attribute__", "__attribute", "_Pragma", "##"}
"""What can put text of its own before the assembler, or make a word that can."""
_READS = re.compile(r'\.(incbin|include)\b[ \t]*(?:"([^"\n]*)")?', re.IGNORECASE)
_ESCAPE = re.compile(r"\\(?:x([0-9a-fA-F]+)|([0-7]{1,3})|(.))", re.DOTALL)
_ESCAPED = {"n": "\n", "t": "\t", "v": "\v", "f": "\f", "r": "\r", "a": "\a", "b": "\b"}


class Reach(NamedTuple):
    """A file that C names to have it opened.

    ``certain`` where it stands outside of any condition and macro, so that whatever
    compiles it opens the file; ``asks`` where the program learns of the file although
    no compiler lists it; ``names_data`` where it is read as it is, not as C.
    """

    words: str
    path: str
    line: int
    certain: bool = False
    asks: bool = False
    names_data: bool = False


def reaches(source: Source) -> Iterator[Reach]:
    """Yield what a source names to have it opened, each piece looked at once."""
    for directive in source.directives:
        yield from _by_directive(directive)
        yield from _by_assembler(directive.tokens, certain=False)
    yield from _by_macros(source)
    yield from _by_assembler(source.tokens, certain=True)


def may_assemble(source: Source) -> bool:
    """Say whether a source can have the assembler open a file, written or made."""
    brackets = any(a.text == b.text == "[" for a, b in pairwise(source.tokens))
    tokens = [*source.tokens, *(t for each in source.directives for t in each.tokens)]
    return (
        brackets
        or any(token.text in _ASSEMBLING for token in tokens)
        or any(each.name == "pragma" for each in source.directives)
    )


def leaves_open(source: Source, name: str, is_built: Callable[[str], bool]) -> bool:
    """Say whether only a compiler can tell what a source has it open.

    That is so if a macro makes a name, if a condition decides about a file beyond, or
    if the assembler may have been told of one.
    """
    return (
        may_assemble(source)
        or any(leads_out(each.path, name, is_built) for each in reaches(source))
        or any(
            each.name in INCLUDING
            and each.tokens
            and each.tokens[0].kind is not TokenKind.HEADER
            for each in source.directives
        )
    )


def leads_out(path: str, name: str, is_built: Callable[[str], bool]) -> bool:
    """Say whether ``path``, in the file ``name``, leads out of what is built.

    A way down leads nowhere else: nothing but what is built lies there, and headers
    that are installed. A way up may come back down, to a file that is built.
    """
    if path.startswith("/"):
        return True
    if ".." not in path.split("/"):
        return False
    return not is_built(posixpath.normpath(f"{posixpath.dirname(name)}/{path}"))


def _by_directive(directive: Directive) -> Iterator[Reach]:
    name, tokens, line, depth = directive
    if name in INCLUDING:
        if tokens and tokens[0].kind is TokenKind.HEADER:
            is_embed = name == "embed"
            yield Reach(
                f"#{name} {tokens[0].text}",
                tokens[0].text[1:-1],
                line,
                certain=not depth,
                asks=is_embed,
                names_data=is_embed,
            )
        return
    for token in tokens:
        if token.kind is TokenKind.HEADER:
            words = f"{_asking(tokens)}({token.text})"
            yield Reach(words, token.text[1:-1], line, asks=True)
    first = [token.text for token in tokens[:2]]
    is_place = name == "line" or name.isdigit() or first == ["GCC", "dependency"]
    named = next((each for each in tokens if each.kind is TokenKind.STRING), None)
    if is_place and named is not None:
        yield Reach(f'#{name} ... "{named.text}"', named.text, line)


def _asking(tokens: Sequence[Token]) -> str:
    return next((token.text for token in tokens if token.text in ASKING), "")


def _by_macros(source: Source) -> Iterator[Reach]:
    """Yield the paths that macros name, plain text, which ``#include`` goes by."""
    defined: dict[str, list[Sequence[Token]]] = {}
    for directive in source.directives:
        if directive.name == "define" and directive.tokens:
            name, *stands_for = directive.tokens
            defined.setdefault(name.text, []).append(stands_for)
    waiting = [
        directive.tokens[0].text
        for directive in source.directives
        if directive.name in INCLUDING and len(directive.tokens) == 1
    ]
    while waiting:
        name_text = waiting.pop()
        for tokens in defined.pop(name_text, ()):
            text = "".join(token.text for token in tokens)
            if not tokens:
                continue
            if text.startswith("<") and text.endswith(">"):
                yield Reach(f"#define {name_text} {text}", text[1:-1], tokens[0].line)
            elif len(tokens) == 1 and tokens[0].kind is TokenKind.STRING:
                yield Reach(f'#define {name_text} "{text}"', text, tokens[0].line)
            elif len(tokens) == 1:
                waiting.append(text)


def _by_assembler(tokens: Sequence[Token], *, certain: bool) -> Iterator[Reach]:
    """Yield what ``asm`` and ``_Pragma`` name in strings, those side by side as one."""
    left = iter(tokens)
    for token in left:
        if token.text not in _ASM and token.text != "_Pragma":
            continue
        text = "".join(plain_text(each.text) for each in _strings(left))
        if token.text == "_Pragma":
            for directive in cut_up(f"#pragma {text}".encode("latin-1")).directives:
                for reach in _by_directive(directive):
                    yield reach._replace(line=token.line)
        for verb, path in _READS.findall(text):
            yield Reach(
                f'.{verb} "{path}"',
                path,
                token.line,
                certain=certain and not token.depth,
                names_data=True,
            )


def _strings(tokens: Iterator[Token]) -> Iterator[Token]:
    """Yield the strings up to where the next parenthesis closes, and go on there."""
    open_count = 0
    for token in tokens:
        open_count += {"(": 1, ")": -1}.get(token.text, 0)
        if token.kind is TokenKind.STRING:
            yield token
        if open_count <= 0 and token.text in (")", ";", "{"):
            return


def plain_text(text: str) -> str:
    """Return what a string says once its escapes are read."""

    def read(match: re.Match[str]) -> str:
        if match[1] or match[2]:
            return chr(int(match[1] or match[2], 16 if match[1] else 8) & 0xFF)
        return _ESCAPED.get(match[3], match[3])

    return _ESCAPE.sub(read, text)
