"""A stream: lines that begin with the same words, such as one sensor's."""

from __future__ import annotations


def is_in_stream(line: str, stream: str) -> bool:
    """Say whether ``line`` begins with the words of ``stream``; all do with none.

    >>> is_in_stream("SENSE TEMP 20", "SENSE TEMP")
    True
    >>> is_in_stream("SENSE TEMPERATURE 20", "SENSE TEMP")
    False
    """
    return not stream or line == stream or line.startswith(f"{stream} ")
