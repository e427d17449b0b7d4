"""Marks, colours and the frame that all pictures are made of, as SVG text."""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.sax.saxutils import escape

if TYPE_CHECKING:
    from collections.abc import Sequence


INK, SOFT, RULE, GRID = "#1f2933", "#5f6b76", "#c3cad1", "#eaedf0"
# Wong's palette: told apart with any kind of colour vision.
BLUE, VERMILION, GREEN, ORANGE, PURPLE, SKY = (
    "#0072b2",
    "#d55e00",
    "#009e73",
    "#e69f00",
    "#cc79a7",
    "#56b4e9",
)
FONT = "Helvetica, Arial, Liberation Sans, DejaVu Sans, sans-serif"


def framed(
    title: str, body: Sequence[str], *, width_px: float, height_px: float, left_px: int
) -> str:
    """Return a whole picture, with its title from ``left_px`` on."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width_px:.0f}" '
        f'height="{height_px:.0f}" viewBox="0 0 {width_px:.0f} {height_px:.0f}" '
        f'font-family="{FONT}" font-size="12">\n<title>{escape(title)}</title>\n'
        '<rect width="100%" height="100%" fill="white"/>\n'
        f'<text x="{left_px}" y="30" font-size="15" font-weight="bold" '
        f'fill="{INK}">{escape(title)}</text>\n' + "\n".join(body) + "\n</svg>\n"
    )


def line(
    begin: tuple[float, float], end: tuple[float, float], colour: str, dash: str = ""
) -> str:
    """Return a line between two points in px; ``dash`` as SVG's stroke-dasharray."""
    dashes = f' stroke-dasharray="{dash}"' if dash else ""
    return (
        f'<line x1="{begin[0]:.1f}" y1="{begin[1]:.1f}" x2="{end[0]:.1f}" '
        f'y2="{end[1]:.1f}" stroke="{colour}"{dashes}/>'
    )


def label(x_px: float, y_px: float, text: str, colour: str, anchor: str) -> str:
    """Return words that begin, end or have their middle at a point."""
    return (
        f'<text x="{x_px:.1f}" y="{y_px:.1f}" fill="{colour}" text-anchor="{anchor}">'
        f"{escape(text)}</text>"
    )
