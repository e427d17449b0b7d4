"""C as GCC's preprocessor cuts it up, for what C can open: pure, and total.

Translation phases 1 to 3 of ``-std=gnu17``: lines that are spliced, comments, digraphs,
raw strings; no trigraphs. Any bytes are cut up somehow, as the compiler does with what
it skips.
"""

from __future__ import annotations

import bisect
import enum
import re
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

INCLUDING = frozenset({"include", "include_next", "import", "embed"})
"""Directives that open what they name."""
ASKING = frozenset(
    {"__has_include", "__has_include_next", "__has_include__", "__has_embed"}
)
"""What looks for a file in a condition."""

_SPLICE = re.compile(r"\\[ \t\f\v]*\r?\n")
_BLANK = re.compile(
    r"(?:[ \t\f\v\r\x00]|//[^\n]*|/\*(?s:.*?)(?:\*/|\Z))+"  # a comment is a blank
)
_HEADER = re.compile(r'<[^>\n]*>|"[^"\n]*"')
_RAW = re.compile(r'(?:u8|[uUL])?R"')
_RAW_TEXT = re.compile(r'"([^ ()\\\t\v\f\n]{0,16})\(((?s:.*?))(?:\)\1"|\Z)')
_TOKEN = re.compile(
    r"""(?:u8|[uUL])?(?:
          "(?P<string>(?:[^"\\\n]|\\.)*)" | '(?P<char>(?:[^'\\\n]|\\.)*)'
        | ["'](?P<unended>[^\n]*)
      )
    | (?P<number>\.?\d(?:[eEpP][+-]|[\w.])*)
    | (?P<word>[A-Za-z_$\x80-\xff][\w$\x80-\xff]*)
    | (?P<mark>%:%:|\#\#|%:|<%|%>|<:|:>|(?s:.))""",
    re.VERBOSE | re.ASCII,
)
_NESTING = {"if": 1, "ifdef": 1, "ifndef": 1, "endif": -1}
_DIGRAPHS = {"%:": "#", "%:%:": "##", "<%": "{", "%>": "}", "<:": "[", ":>": "]"}


class TokenKind(enum.Enum):
    """What a token is."""

    WORD = "word"
    NUMBER = "number"
    STRING = "string"
    """Its text is what stands between the quotes, escapes as they are written."""
    CHAR = "char"
    HEADER = "header"
    """What a directive or a condition opens, with its quotes or angles."""
    MARK = "mark"
    """One character, or ``#`` and ``##``; digraphs as what they stand for."""
    UNENDED = "unended"


class Token(NamedTuple):
    """A token, its line in the file from 1 on, and how many conditions it is in."""

    kind: TokenKind
    text: str
    line: int
    depth: int


class Directive(NamedTuple):
    """A directive: its name (``""`` for a lone ``#``) and the tokens behind it."""

    name: str
    tokens: tuple[Token, ...]
    line: int
    depth: int


@dataclass(frozen=True, slots=True)
class Source:
    """A file cut up: its directives, and the tokens of all that is none."""

    directives: tuple[Directive, ...]
    tokens: tuple[Token, ...]


@lru_cache(maxsize=32)  # the same few files, again for each test
def cut_up(data: bytes) -> Source:
    """Return what a file of C is made of, whatever is in it.

    Bytes are taken for characters one by one (Latin-1), so that each text stands for
    its bytes.
    """
    text = data.removeprefix(b"\xef\xbb\xbf").decode("latin-1")
    return _Scanner(text).scan()


_END = (TokenKind.MARK, "\n")


@dataclass(slots=True)
class _Scanner:
    """Goes once through a text whose lines are spliced; raw strings go by the first."""

    original: str
    spliced: str = ""
    _cuts: list[int] = field(default_factory=list[int])
    """Where in ``spliced`` something was taken out..."""
    _shifts: list[int] = field(default_factory=list[int])
    """... and how much was taken out up to there."""
    _newlines: list[int] = field(default_factory=list[int])
    _here: int = 0
    _depth: int = 0
    _in_directive: bool = False

    def __post_init__(self) -> None:
        taken = 0
        for splice in _SPLICE.finditer(self.original):
            self._cuts.append(splice.start() - taken)
            taken += len(splice.group())
            self._shifts.append(taken)
        self.spliced = _SPLICE.sub("", self.original)
        ends = re.finditer(r"\n", self.original)
        self._newlines = [newline.start() for newline in ends]

    def scan(self) -> Source:
        directives: list[Directive] = []
        tokens: list[Token] = []
        at_line_start = True
        while (token := self._next()) is not None:
            if at_line_start and token[:2] == (TokenKind.MARK, "#"):
                directives.append(self._directive(token.line))
                continue
            at_line_start = token[:2] == _END
            if not at_line_start:
                tokens.append(token)
        return Source(tuple(directives), tuple(tokens))

    def _directive(self, line: int) -> Directive:
        self._in_directive = True
        tokens = list(self._to_line_end())
        self._in_directive = False
        name = tokens[0].text if tokens else ""
        directive = Directive(name, tuple(tokens[1:]), line, self._depth)
        self._depth = max(0, self._depth + _NESTING.get(name, 0))
        return directive

    def _to_line_end(self) -> Iterator[Token]:
        opens, first = "", True
        while (token := self._next(opens)) is not None and token[:2] != _END:
            yield token
            opens = _opens(token, opens, first)
            first = False

    def _next(self, opens: str = "") -> Token | None:
        """Return the next token; ``opens`` is what names a file just before it."""
        if blank := _BLANK.match(self.spliced, self._here):
            self._here = blank.end()
        if self._here >= len(self.spliced):
            return None
        line = 1 + bisect.bisect_left(self._newlines, self._place(self._here))
        kind, text = self._header_or_raw(opens) or self._plain()
        return Token(kind, text, line, self._depth)

    def _header_or_raw(self, opens: str) -> tuple[TokenKind, str] | None:
        if opens and (header := _HEADER.match(self.spliced, self._here)):
            self._here = header.end()
            return TokenKind.HEADER, header.group()
        raw = self._raw()
        return None if raw is None else (TokenKind.STRING, raw)

    def _plain(self) -> tuple[TokenKind, str]:
        match = _TOKEN.match(self.spliced, self._here)
        assert match is not None
        assert match.lastgroup is not None
        self._here = match.end()
        text = match[match.lastgroup]
        return TokenKind(match.lastgroup), _DIGRAPHS.get(text, text)

    def _raw(self) -> str | None:
        """Return a raw string's text, which is that of the file as it was."""
        prefix = _RAW.match(self.spliced, self._here)
        if prefix is None:
            return None
        quote = self._place(prefix.end() - 1)
        whole = _RAW_TEXT.match(self.original, quote)
        if whole is None:
            return None
        end, text = whole.end(), whole[2]
        if self._in_directive and "\n" in whole[0]:  # it ends with its line
            end = whole.start() + whole[0].index("\n")
            text = self.original[whole.start(2) : end]
        self._here = self._spliced_place(end)
        # As a string would have to be written that says the same.
        return text.replace("\\", r"\\")

    def _place(self, place: int) -> int:
        """Return where in the file a place of the spliced text is."""
        index = bisect.bisect_right(self._cuts, place)
        return place + (self._shifts[index - 1] if index else 0)

    def _spliced_place(self, place: int) -> int:
        """Return the first place of the spliced text that is not before ``place``."""
        return bisect.bisect_left(range(len(self.spliced)), place, key=self._place)


def _opens(token: Token, opens: str, first: bool) -> str:  # noqa: FBT001
    """Return what names a file after ``token``, if anything can."""
    if first:
        return token.text if token.text in INCLUDING else ""
    if token.text in ASKING:
        return "("
    return "<" if opens == "(" and token.text == "(" else ""
