"""How C is cut up, by rules and by what GCC says that it has opened."""

from __future__ import annotations

import re
import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest
from hypothesis import example, given, settings, strategies as st

from pytest_embedbench.grading.edit_surface.c_tokens import TokenKind, cut_up

if TYPE_CHECKING:
    from pathlib import Path

GCC = shutil.which("gcc")
NAMES = ("a.h", "b.h", "c.h")
PIECES = (
    *(f'#include "{name}"' for name in NAMES),
    *(f"#include <{name}>" for name in NAMES),
    '%:include "a.h"',
    '#/**/include/* x\n */"b.h"',
    "#inc\\\nlude <c.h>",
    "# include \\ \n <a.h>",
    '??=include "a.h"',
    '"',
    "'",
    "\\",
    "\\\n",
    "\\\r\n",
    "\r\n",
    "//",
    "/*",
    "*/",
    'R"(',
    ')"',
    'R"x(',
    ')x"',
    'u8R"y(#include "a.h"\n)y"',
    'L"text"',
    "'\\''",
    '"\\""',
    "R",
    "8",
    "1.e+'",
    "<::",
    "%:",
    "#",
    "x",
    " ",
    "\n",
    "\n",
    "\f",
    "é",
)


def headers(text: str) -> list[str]:
    """Return what is included, in order, by its path."""
    return [
        directive.tokens[0].text[1:-1]
        for directive in cut_up(text.encode()).directives
        if directive.name in ("include", "import")
        and directive.tokens
        and directive.tokens[0].kind is TokenKind.HEADER
    ]


def strings(text: str) -> list[str]:
    tokens = cut_up(text.encode()).tokens
    return [each.text for each in tokens if each.kind is TokenKind.STRING]


@pytest.mark.parametrize(
    "text",
    [
        '// #include "../x.h"',
        '/*\n#include "../x.h"\n*/',
        '// goes on \\\n#include "../x.h"',
        'const char *c = R"(\n#include "../x.h"\n)";',
        'int x; #include "../x.h"',
        '"/*" "*/" "\\\n#include <../x.h>"',
    ],
)
def test_what_stands_in_a_comment_or_a_string_includes_nothing(text: str) -> None:
    assert headers(text) == []


@pytest.mark.parametrize(
    "text",
    [
        '#include "../x.h"',
        '%:include "../x.h"',
        '/* so */ # /* and */ include /* so */ "../x.h" // on',
        '#inc\\\nlude "../x.h"',
        '#include \\ \t\n"../x.h"',
        "#include <../x.h>",
        '\ufeff#include "../x.h"',
        '"/*"\n#include "../x.h"\n"*/"',
        'R"a(\\)a"\n#include "../x.h"',
        "'\"'\n#include <../x.h>",
        "'\n#include <../x.h>",
    ],
)
def test_an_include_is_found_however_it_is_written(text: str) -> None:
    assert headers(text) == ["../x.h"]


def test_lines_are_those_of_the_file() -> None:
    source = cut_up(b'\\\n\\\n#if 1\n/*\n*/ #include "x"\n#endif\n#line 5\n')
    assert [(d.name, d.line, d.depth) for d in source.directives] == [
        ("if", 3, 0),
        ("include", 5, 1),
        ("endif", 6, 1),
        ("line", 7, 0),
    ]


def test_a_raw_string_is_as_it_is_in_the_file() -> None:
    assert strings('R"d(a\\\nb)" )d" "c"') == ['a\\\\\nb)" ', "c"]


def test_names_in_conditions_are_headers() -> None:
    (directive,) = cut_up(b"#if __has_include(<a/../b>) && X < 3").directives
    assert TokenKind.HEADER in {token.kind for token in directive.tokens}
    assert sum(token.kind is TokenKind.HEADER for token in directive.tokens) == 1


@given(st.binary(max_size=200))
def test_any_bytes_are_cut_up(data: bytes) -> None:
    source = cut_up(data)
    assert all(token.line >= 1 for token in source.tokens)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("headers")
    for name in NAMES:
        (folder / name).write_text("\n")
    return folder


@pytest.mark.skipif(GCC is None, reason="needs gcc")
@settings(max_examples=100)
@given(pieces=st.lists(st.sampled_from(PIECES), max_size=12))
@example(pieces=["'", "/*", "\n", PIECES[0], "\n", "*/"])
@example(pieces=['R"(', "\\\n", ')"', "\n", PIECES[0]])
@example(pieces=["R\\\n", '"(', "\\\n", ')"', "\n", PIECES[1]])
@example(pieces=['R"', "\n", "(", '"', "\n", PIECES[0]])
def test_gcc_opens_what_the_text_tells(folder: Path, pieces: list[str]) -> None:
    text = "".join(pieces)
    assert headers(text) == opened_by_gcc(text, folder)


def opened_by_gcc(text: str, folder: Path) -> list[str]:
    """Return the headers that GCC opens, each without the folder it is in."""
    assert GCC is not None
    words = [GCC, "-std=gnu17", "-E", "-H", "-nostdinc", "-I.", "-x", "c", "-"]
    done = subprocess.run(
        [*words, "-o", "/dev/null"],
        input=text.encode(),
        capture_output=True,
        cwd=folder,
        check=False,
    )
    said = done.stderr.decode("utf-8", "replace")
    found: list[str] = re.findall(r"^\. (?:\./)?(.*)$", said, re.MULTILINE)
    return found
