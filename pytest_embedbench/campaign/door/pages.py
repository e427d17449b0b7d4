"""Long texts in pages, so that an agent reads as much as it wants to."""

from __future__ import annotations

from typing import Any

PAGE_CHARS = 12_000


def page_of(text: str, number: int) -> dict[str, Any]:
    """Return one page of a text, whole lines of it; the first is 1."""
    pages = _pages(text)
    number = min(max(number, 1), len(pages))
    return {"text": pages[number - 1], "page": number, "pages": len(pages)}


def _pages(text: str) -> list[str]:
    pages = [""]
    for line in text.splitlines(keepends=True):
        if pages[-1] and len(pages[-1]) + len(line) > PAGE_CHARS:
            pages.append("")
        pages[-1] += line
    return pages
