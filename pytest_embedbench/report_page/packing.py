"""Data that stands in a page of HTML: nothing in it can end its element or run.

Firmware says what it likes, file names are anybody's, and both come into the page.
"""

from __future__ import annotations

import base64
import json
import zlib

_UNSAFE = {ord(char): f"\\u{ord(char):04x}" for char in "<>&'"}


def script_json(data: object) -> str:
    """Return JSON that is safe inside a ``<script>`` and the same when it is parsed.

    It is ASCII: whatever is beyond, and a lone surrogate, is escaped; and it has none
    of the characters that an end of an element or a comment begins with.
    """
    text = json.dumps(data, separators=(",", ":"), default=str)
    return _finite(text).translate(_UNSAFE)


def packed(data: object) -> str:
    """Return JSON, deflated (zlib, RFC 1950) and in base64."""
    text = _finite(json.dumps(data, separators=(",", ":"), default=str))
    return base64.b64encode(zlib.compress(text.encode("ascii"), 6)).decode("ascii")


def _finite(text: str) -> str:
    """Return JSON as browsers read it: ``NaN`` and infinities are texts there."""
    if "NaN" not in text and "Infinity" not in text:
        return text
    return json.dumps(
        json.loads(text, parse_constant=str), separators=(",", ":"), allow_nan=False
    )
