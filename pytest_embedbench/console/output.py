"""What else there is in the output of a Linux console."""

from __future__ import annotations

import re

# Lines of the kernel on a serial console end in CR LF, written past the terminal; those
# of dmesg and of everyone else end as the program said, which is LF.
KERNEL = re.compile(
    rb"(?:<\d+>)?\[ *\d+\.\d{6}\](?:\[ *[TC]\d+\])? (?P<text>[^\r\n]*)\r\n"
)
_ESCAPES = re.compile(
    rb"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[PX^_][^\x1b]*\x1b\\|"
    rb"[ -/]*[0-~])"
)
BOOTING = re.compile(rb"\] (?:Linux version \d|Booting Linux on)")
"""The kernel's first words."""


def without_kernel(data: bytes) -> bytes:
    """Return output without what the kernel said in the middle of it."""
    return KERNEL.sub(b"", data) if b"\r\n" in data else data


def kernel_lines(data: bytes) -> tuple[str, ...]:
    """Return what the kernel said in the middle of output."""
    if b"\r\n" not in data:
        return ()
    return tuple(
        found.group().decode(errors="replace").strip()
        for found in KERNEL.finditer(data)
    )


def plain_text(data: bytes) -> str:
    """Return output as a person reads it: no colours, no carriage returns."""
    data = _ESCAPES.sub(b"", data).replace(b"\r\n", b"\n")
    return data.decode(errors="replace")


def tail(data: bytes, most_bytes: int = 400) -> str:
    """Return the end of output as it can stand in a message."""
    text = plain_text(data[-4 * most_bytes :])[-most_bytes:].strip()
    return "".join(c if c.isprintable() or c == "\n" else "\ufffd" for c in text)
