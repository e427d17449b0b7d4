"""Take the code out of what somebody said: fences, prose, several files, or none."""

from __future__ import annotations

import ast
import html
import re
import textwrap
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

SKETCH = "src/sketch.ino"
PROGRAM = "main.py"
NO_CODE = "no code in the answer"
_C = {"c", "cpp", "c++", "cc", "cxx", "h", "hpp", "ino", "arduino", "arduinocpp"}
_PYTHON = {"py", "python", "python3", "micropython", "circuitpython"}
_FENCE = re.compile(r"^([ \t]*)(`{3,}|~{3,})[ \t]*(.*?)[ \t]*$")
_NAME = r"[\w.+-]+(?:/[\w.+-]+)*\.(?:ino|cpp|cxx|cc|c|hpp|hh|h|py)"
_IN_FENCE = re.compile(rf"(?:^|[\s:=\"'{{])({_NAME})\b")
_IN_COMMENT = re.compile(
    rf"^\s*(?://|#|/\*)\s*(?:file(?:name)?\s*:?\s*)?({_NAME})\s*(?:\*/)?\s*$",
    re.IGNORECASE,
)
_ABOVE = re.compile(
    rf"^\W*(?:(?:\d+\.|file(?:name)?:?)\s*)?[`*_]*({_NAME})[`*_]*\W*(?:\(.*\))?\W*$",
    re.IGNORECASE,
)
_SETUP, _LOOP = re.compile(r"\bvoid\s+setup\s*\("), re.compile(r"\bvoid\s+loop\s*\(")
_MAIN = re.compile(r"\bint\s+main\s*\(")
_LOOKS = re.compile(
    r"\bvoid\s+\w+\s*\(|\bint\s+main\s*\(|^\s*#\s*(?:include|define)\b", re.MULTILINE
)
_LOOKS_PYTHON = re.compile(r"^(?:import|from)\s+\w+", re.MULTILINE)
_BEGINS = re.compile(
    r"^\s*(?:#\s*(?:include|define|if)\b|//|/\*"
    r"|(?:(?:static|const|constexpr|volatile|unsigned|inline)\s+)*"
    r"(?:int|void|bool|boolean|byte|char|float|double|long|u?int\d+_t|class|struct"
    r"|enum|namespace|template|using|typedef|[A-Z]\w+)\s+[\w*&]+.*[;{(=\[,])"
)
_ENDS = re.compile(r"(?:[};]|\*/)\s*(?://.*)?$")
_TOPS = ("src", "include", "lib")


@dataclass(frozen=True, slots=True)
class AnswerCode:
    """What of an answer is code.

    Args:
        files: Text by path in a project; nothing, if there is no code.
        taken: How it was come by, in words, for whoever reads the outcome.
    """

    files: dict[str, str] = field(default_factory=dict[str, str])
    taken: tuple[str, ...] = ()


class _Block(NamedTuple):
    language: str
    name: str
    text: str
    closed: bool

    @property
    def is_python(self) -> bool:
        if self.name:
            return self.name.endswith(".py")
        if self.language:
            return self.language in _PYTHON
        return not _LOOKS.search(self.text) and bool(_LOOKS_PYTHON.search(self.text))

    @property
    def is_code(self) -> bool:
        if self.name or self.is_python or self.language in _C:
            return True
        return not self.language and bool(_LOOKS.search(self.text))


def code_of(answer: str) -> AnswerCode:
    """Return what of an answer is code; it is told in words how that was found."""
    text = answer.replace("\r\n", "\n").replace("\r", "\n").removeprefix("\ufeff")
    if "#include &lt;" in text:
        text = html.unescape(text)
    blocks = list(_blocks(text))
    if not blocks:
        return _without_fences(text)
    taken: list[str] = []
    code = [block for block in blocks if block.is_code]
    if others := [block for block in blocks if not block.is_code]:
        kinds = ", ".join(dict.fromkeys(b.language or "other text" for b in others))
        taken.append(f"left out as no code: {len(others)} of {kinds}")
    if any(not block.closed for block in code):
        taken.append("its last fence is not closed: it may have been cut off")
    files = _named(code, taken)
    files |= _unnamed([block for block in code if not block.name], files, taken)
    if not files:
        return AnswerCode({}, (NO_CODE, *taken))
    return AnswerCode(files, (f"taken: {', '.join(files)}", *taken))


def _named(code: Sequence[_Block], taken: list[str]) -> dict[str, str]:
    files: dict[str, str] = {}
    for block in code:
        if block.name:
            path = _place(block.name)
            if path in files:
                taken.append(f"{path} is there more than once: the last one counts")
            files[path] = block.text
    return files


def _unnamed(
    blocks: Sequence[_Block], named: dict[str, str], taken: list[str]
) -> dict[str, str]:
    """Return the one sketch that blocks without a name are, unless a file has it."""
    if not blocks or any(map(_is_whole, named.values())):
        if blocks:
            taken.append(f"left out: {len(blocks)} without a name, beside whole files")
        return {}
    whole = [block for block in blocks if _is_whole(block.text)]
    path = PROGRAM if (whole or blocks)[-1].is_python else SKETCH
    if whole:
        if len(whole) > 1:
            taken.append(f"{len(whole)} whole sketches: the last one counts")
        if len(blocks) > len(whole):
            count = len(blocks) - len(whole)
            taken.append(f"left out: {count} that are not whole, beside one that is")
        return {path: whole[-1].text}
    if len(blocks) > 1:
        taken.append(f"{len(blocks)} blocks, none of them whole: joined in order")
    return {path: "\n".join(block.text for block in blocks)}


def _is_whole(text: str) -> bool:
    if _MAIN.search(text) or (_SETUP.search(text) and _LOOP.search(text)):
        return True
    return not _LOOKS.search(text) and bool(_LOOKS_PYTHON.search(text))


def _place(name: str) -> str:
    """Return where in a project a file of this name belongs."""
    parts = PurePosixPath(name).parts
    for index, part in enumerate(parts[:-1]):
        if part in _TOPS:
            return "/".join(parts[index:])
    return parts[-1] if name.endswith(".py") else f"src/{parts[-1]}"


def _blocks(text: str) -> Iterator[_Block]:
    """Yield what stands in fences; the last one need not be closed."""
    lines = text.split("\n")
    above, index = "", 0
    while index < len(lines):
        opened = _FENCE.match(lines[index])
        index += 1
        if opened is None:
            above = lines[index - 1] if lines[index - 1].strip() else above
            continue
        begin, closed = index, False
        while index < len(lines):
            found = _FENCE.match(lines[index])
            index += 1
            if found and not found[3] and found[2].startswith(opened[2]):
                closed = True
                break
        body = lines[begin : index - 1 if closed else index]
        yield _block(opened[3], above, textwrap.dedent("\n".join(body)), closed=closed)
        above = ""


def _block(info: str, above: str, text: str, *, closed: bool) -> _Block:
    word = re.match(r"[\w+#-]*", info)
    language = word[0].lower() if word else ""
    first = text.lstrip("\n").partition("\n")[0]
    for pattern, line in ((_IN_FENCE, info), (_IN_COMMENT, first), (_ABOVE, above)):
        if (found := pattern.search(line)) and (
            not language or language in _C | _PYTHON or pattern is _IN_FENCE
        ):
            return _Block(language, found[1], f"{text}\n", closed)
    return _Block(language, "", f"{text}\n", closed)


def _without_fences(text: str) -> AnswerCode:
    """Return all from the first line of code to the last, if there is a program."""
    lines = text.split("\n")
    begins = next((n for n, line in enumerate(lines) if _BEGINS.match(line)), None)
    ends = max((n for n, line in enumerate(lines) if _ENDS.search(line)), default=-1)
    if (
        begins is not None
        and _is_whole(text)
        and ends >= begins
        and _LOOKS.search(text)
    ):
        kept = "\n".join(lines[begins : ends + 1])
        how = (
            "all of it"
            if (begins, ends + 1) == (0, len(lines))
            else (f"lines {begins + 1} to {ends + 1} of {len(lines)}")
        )
        return AnswerCode({SKETCH: f"{kept}\n"}, (f"no fences, taken: {how}",))
    if _LOOKS_PYTHON.search(text) and _is_python(text):
        return AnswerCode({PROGRAM: text}, ("no fences, taken: all of it",))
    return AnswerCode({}, (NO_CODE,))


def _is_python(text: str) -> bool:
    try:
        ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True
