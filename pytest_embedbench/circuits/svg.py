"""What all our pictures of circuits are written with."""

from __future__ import annotations

from xml.sax.saxutils import escape

FONT = "Helvetica, Arial, Liberation Sans, DejaVu Sans, sans-serif"


def text_at(x_px: float, y_px: float, text: str, how: str) -> str:
    """Return a text element; ``how`` are its further attributes."""
    return f'<text x="{x_px:g}" y="{y_px:g}" {how}>{safe(text)}</text>'


def shortened(text: str, most: int) -> str:
    """Return a text of at most so many characters."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


def safe(text: str) -> str:
    """Return text that XML takes: some characters are none of its."""
    return escape("".join(it if it.isprintable() else " " for it in text), {'"': "'"})
