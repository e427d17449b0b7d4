"""What an ESP chip's ROM and bootloader say when they cannot boot. Pure."""

from __future__ import annotations

import re

ROM_BANNER = re.compile(rb"\brst:0x[0-9a-f]+ \(([A-Z0-9_]+)\),boot:")
"""What the ROM says first after each reset, and why it was reset."""
_ERROR = re.compile(rb"E \(\d+\) (\S+: [^\r\n\x1b]+)")
_ROM_ERROR = re.compile(
    rb"^(invalid header: 0x[0-9a-f]+|csum err:[^\r\n]*|flash read err, \d+"
    rb"|Falling back to built-in command interpreter[^\r\n]*|waiting for download)",
    re.MULTILINE,
)
_FROM_APPLICATION = re.compile(rb"cpu_start: |app_init: ")
_MOST = 3


def refusal(said: bytes) -> str:
    """Return why the last boot came to nothing, in the boot's own words.

    Nothing if it came to an application, or if nothing was said of it.
    """
    latest = _last_banner(said)
    earlier = _last_banner(said[:latest])
    # The latest has perhaps only begun.
    for attempt in (said[latest:], said[earlier:latest]):
        if _FROM_APPLICATION.search(attempt):
            return ""
        found = [*_ROM_ERROR.findall(attempt), *_ERROR.findall(attempt)]
        if found:
            words = dict.fromkeys(line.decode(errors="replace") for line in found)
            return "; ".join(list(words)[:_MOST])
    return ""


def is_refused_by_rom(said: bytes) -> bool:
    """Say whether the ROM has found nothing to boot: it tries again for ever."""
    return _ROM_ERROR.search(said) is not None


def _last_banner(said: bytes) -> int:
    banners = list(ROM_BANNER.finditer(said))
    return banners[-1].start() if banners else 0
