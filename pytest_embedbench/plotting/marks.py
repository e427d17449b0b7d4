"""Marks that pictures of tables are made of, as SVG text."""

from __future__ import annotations

from xml.sax.saxutils import escape


def line(begin: tuple[float, float], end: tuple[float, float], colour: str) -> str:
    """Return a line between two points in px."""
    return (
        f'<line x1="{begin[0]:.1f}" y1="{begin[1]:.1f}" x2="{end[0]:.1f}" '
        f'y2="{end[1]:.1f}" stroke="{colour}"/>'
    )


def label(x_px: float, y_px: float, text: str, colour: str, anchor: str) -> str:
    """Return words that begin, end or have their middle at a point."""
    return (
        f'<text x="{x_px:.1f}" y="{y_px:.1f}" fill="{colour}" text-anchor="{anchor}">'
        f"{escape(text)}</text>"
    )
