"""How a report's tables are written: Markdown, CSV, JSON, LaTeX, a terminal."""

from __future__ import annotations

import csv
import io
import json
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pytest_embedbench.campaign.report.report_table import ReportTable

_LATEX = re.compile(r"[&%$#_{}~^\\]")
_ESCAPED = {"~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
            "\\": r"\textbackslash{}"}  # fmt: skip


def as_text(tables: Iterable[ReportTable]) -> str:
    """Return aligned columns, for a terminal."""
    blocks: list[str] = []
    for table in tables:
        rows = [table.head, *table.rows]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = ["  ".join(map(str.ljust, row, widths)).rstrip() for row in rows]
        blocks.append("\n".join([table.title, "", *lines, *filter(None, [table.note])]))
    return "\n\n".join(blocks) + "\n"


def as_markdown(tables: Iterable[ReportTable]) -> str:
    """Return tables as GitHub's Markdown has them."""
    blocks: list[str] = []
    for table in tables:
        rows = [table.head, ("---",) * len(table.head), *table.rows]
        lines = [
            "| " + " | ".join(cell.replace("|", r"\|") for cell in row) + " |"
            for row in rows
        ]
        note = ["", table.note] if table.note else []
        blocks.append("\n".join([f"## {table.title}", "", *lines, *note]))
    return "\n\n".join(blocks) + "\n"


def as_csv(table: ReportTable) -> str:
    """Return one table as CSV."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([table.head, *table.rows])
    return text.getvalue()


def as_json(tables: Iterable[ReportTable]) -> str:
    """Return tables as a list, each with ``title``, ``head``, ``rows`` and ``note``."""
    listed = [
        {
            "title": table.title,
            "head": table.head,
            "rows": table.rows,
            "note": table.note,
        }
        for table in tables
    ]
    return json.dumps({"schema": 1, "tables": listed}, indent=2) + "\n"


def as_latex(tables: Iterable[ReportTable]) -> str:
    """Return ``table`` environments with ``booktabs``."""
    return "\n".join(_latex_table(table) for table in tables)


def _latex_table(table: ReportTable) -> str:
    lines = [
        r"\begin{table}",
        rf"\caption{{{_latex(table.title)}}}",
        rf"\begin{{tabular}}{{l{'r' * (len(table.head) - 1)}}}",
        r"\toprule",
        _latex_row(table.head),
        r"\midrule",
        *map(_latex_row, table.rows),
        r"\bottomrule",
        r"\end{tabular}",
        *([_latex(table.note)] if table.note else []),
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def _latex_row(cells: Sequence[str]) -> str:
    return " & ".join(map(_latex, cells)) + r" \\"


def _latex(text: str) -> str:
    return _LATEX.sub(lambda found: _ESCAPED.get(found[0], f"\\{found[0]}"), text)
