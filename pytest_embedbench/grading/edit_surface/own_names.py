"""Names of a firmware's fixed files, which a submission may not give another meaning.

A macro in ``controller.h`` would change the shell that includes it, a function of a
port's name would take its place.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_embedbench.grading.edit_surface.c_tokens import Token, TokenKind, cut_up
from pytest_embedbench.grading.edit_surface.files import read
from pytest_embedbench.grading.edit_surface.reaching import plain_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pytest_embedbench.grading.edit_surface.c_tokens import Source
    from pytest_embedbench.grading.task import Suite

_LIBRARIES = Path(__file__).parents[2] / "firmware"
_OURS = ("app", "bench", "embedbench", "firmware", "frame", "growing", "port", "shell")
"""How names of the firmware's own begin, apart from those of its files."""
_KEYWORDS = frozenset(
    {"break", "case", "char", "const", "continue", "default", "do", "double", "else"}
    | {"enum", "extern", "float", "for", "goto", "if", "int", "long", "register"}
    | {"return", "short", "signed", "sizeof", "static", "struct", "switch", "typedef"}
    | {"union", "unsigned", "void", "volatile", "while"}
)
_SYSTEM = frozenset(
    {"dup2", "execve", "fork", "getpid", "personality", "prctl", "recvmsg"}
    | {"sigaction", "waitpid"}
)
"""Functions that the native port has copies made with, and ended."""
_MACROS = frozenset({"define", "undef"})
_PRAGMAS = frozenset({"push_macro", "pop_macro", "redefine_extname", "weak"})
_LABELS = frozenset({"asm", "__asm", "__asm__", "alias", "__alias__"})
_SHARED = frozenset({".h", ".hh", ".hpp"})


def fixed_names(suite: Suite) -> frozenset[str]:
    """Return what the firmware's fixed files name, less what is a submission's to say.

    That is whatever begins with the name of a file of the edit surface.
    """
    surface = suite.task.edit_surface
    src = sorted((suite.root / "src").glob("*.[ch]"))
    fixed = [f for f in src if f.relative_to(suite.root).as_posix() not in surface]
    free = {Path(name).stem.lower() for name in surface}
    begin = {*_OURS, *(file.stem.lower() for file in fixed)} - free
    return _beginning(frozenset(begin), tuple(read(file) for file in fixed))


# The firmware's own files are the same for each submission, and for each of its tests.
@lru_cache(maxsize=16)
def _beginning(begin: frozenset[str], sources: tuple[bytes, ...]) -> frozenset[str]:
    """Return what sources and our libraries name that begins with one of some words."""
    words = _library_words().union(*(_words(cut_up(data)) for data in sources))
    return frozenset(
        word for word in words if "_" in word and word.lower().split("_")[0] in begin
    )


def redefined(
    source: Source, name: str, names: frozenset[str]
) -> Iterator[tuple[str, int]]:
    """Yield each of the fixed ``names`` that a file says anew, in words, and where.

    In a header, which the firmware's own files include, keywords are such names too.
    """
    macros = names | _KEYWORDS if Path(name).suffix in _SHARED else names
    for directive in source.directives:
        line, tokens = directive.line, directive.tokens
        words = [plain_text(token.text) for token in tokens]
        if directive.name in _MACROS and words and words[0] in macros:
            yield f"#{directive.name} {words[0]}", line
        elif directive.name == "pragma" and _PRAGMAS.intersection(words):
            yield from ((f"#pragma {word}", line) for word in words if word in macros)
    for token in _defined(source.tokens):
        if token.text in names | _SYSTEM:
            yield f"function {token.text}", token.line
    for label in _labels(source):
        if (text := plain_text(label.text)) in names | _SYSTEM:
            yield f'"{text}"', label.line


@lru_cache(maxsize=1)
def _library_words() -> frozenset[str]:
    headers = sorted(_LIBRARIES.glob("*/**/*.h"))
    return frozenset[str]().union(
        *(_words(cut_up(file.read_bytes())) for file in headers)
    )


def _words(source: Source) -> frozenset[str]:
    """Return all names in a source."""
    tokens = [*source.tokens, *(t for each in source.directives for t in each.tokens)]
    return frozenset(each.text for each in tokens if each.kind is TokenKind.WORD)


def _defined(tokens: Sequence[Token]) -> Iterator[Token]:
    """Yield the names of functions that are defined for others to see."""
    depth, is_static, heads = 0, False, list[Token]()
    for token, after in pairwise(tokens):
        if depth <= 0 and token.text == "{" and not is_static:
            yield from heads
        depth += {"{": 1, "}": -1}.get(token.text, 0)
        if depth <= 0 and token.text in (";", "}"):
            is_static, heads = False, []
        is_static = is_static or token.text == "static"
        if token.kind is TokenKind.WORD and after.text == "(":
            heads.append(token)


def _labels(source: Source) -> Iterator[Token]:
    """Yield strings that give something its name for the linker."""
    for tokens in (source.tokens, *(each.tokens for each in source.directives)):
        named = False
        for token in tokens:
            if token.kind is TokenKind.STRING:
                if named:
                    yield token
            elif token.text != "(":
                named = token.text in _LABELS
