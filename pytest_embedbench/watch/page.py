"""The page of the live view; what it shows it asks for, piece by piece."""

from __future__ import annotations

from pathlib import Path

from pytest_embedbench.report_page.browser_code import digest, scripts, style

_ASSETS = Path(__file__).with_name("assets")
_SHARED = ("text.js", "lanes.js", "drawing.js", "chart.js", "theme.js")
_POLICY = (
    "default-src 'none'; connect-src 'self'; script-src 'sha256-{}'; img-src data:; "
    "style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'"
)
_OWN = ("live_log.js", "live_test.js", "live_lists.js", "live.js")


def rendered() -> tuple[str, str]:
    """Return the page, and the policy (CSP) that it is to be served with."""
    own = "\n".join((_ASSETS / name).read_text("utf-8") for name in _OWN)
    script = f"{scripts(_SHARED)}\n{own}"
    css = style() + (_ASSETS / "live.css").read_text("utf-8")
    page = (_ASSETS / "live.html").read_text("utf-8")
    policy = _POLICY.format(digest(script))
    return page.replace("/*STYLE*/", css).replace("/*SCRIPT*/", script), policy
