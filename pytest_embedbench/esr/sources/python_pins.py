"""The pin constants of a Python program, by its own syntax tree.

As in C++, what may flow where is followed by names, without types and order: a wrong
constant that is corrected makes the check fail.
"""

from __future__ import annotations

import ast
from codecs import BOM_UTF8
from collections import defaultdict
from typing import TYPE_CHECKING

from pytest_embedbench.esr.sources.grouping import PinMention, grouped
from pytest_embedbench.esr.sources.pin_constant import PinToken
from pytest_embedbench.esr.sources.python_flow import PythonFlow
from pytest_embedbench.esr.sources.python_sinks import ON_HEADER, PythonCalls

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_embedbench.esr.board_pins import BoardPins
    from pytest_embedbench.esr.sources.pin_constant import SourceConstant


def python_constants(
    files: Mapping[str, bytes], pins: BoardPins
) -> tuple[SourceConstant, ...]:
    """Return the constants of a program, in the order of its files.

    A file that is no Python has none; that it does not run is told by running it.

    Args:
        files: Its sources, by path.
        pins: Those of the board; what says no pin of it is left out.
    """
    trees: dict[str, ast.Module] = {}
    for name, source in files.items():
        try:
            trees[name] = ast.parse(source.decode("utf-8-sig"))
        except (SyntaxError, ValueError, RecursionError):
            continue
    flow = PythonFlow(trees)
    calls = PythonCalls(list(trees.values()))
    found: defaultdict[PinToken, list[PinMention]] = defaultdict(list)
    for call in flow.calls:
        for sink in calls.sinks(call):
            for constant, owner in flow.roots(sink.value):
                token = _token(constant, flow.file_of[constant], files, sink.row)
                if not owner:
                    token = token._replace(argument=(sink.call, 0))
                mention = PinMention(token, owner, sink.role, sink.call)
                found[token].append(mention)
    return grouped(found, files, lambda token, _: _pin_of(token, pins), pins)


def _token(
    node: ast.Constant, file: str, files: Mapping[str, bytes], row: str
) -> PinToken:
    """Return where a constant stands; columns of ``ast`` are bytes of UTF-8."""
    lines = files[file].splitlines(keepends=True)
    begin = sum(map(len, lines[: node.lineno - 1]))
    if node.lineno == 1 and files[file].startswith(BOM_UTF8):
        begin += len(BOM_UTF8)
    start, end = begin + node.col_offset, begin + (node.end_col_offset or 0)
    text = files[file][start:end].decode("utf-8", "replace")
    return PinToken(
        file, start, end, text, is_python=True, row=row if text.isdigit() else ""
    )


def _pin_of(token: PinToken, pins: BoardPins) -> str:
    if not token.text:  # a text over several lines, or a file that is no UTF-8
        return ""
    if token.row == ON_HEADER:
        return pins.by_name.get(ON_HEADER + token.text, "")
    if token.text[0] in "'\"":
        return pins.by_name.get(token.text.strip(token.text[0]), "")
    try:
        return pins.at(int(token.text, 0))
    except ValueError:
        return ""
