"""Boards that a labgrid coordinator lends: ``labgrid://HOST:PORT/PLACE[/RESOURCE]``."""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn
from urllib.parse import quote, unquote

from pytest_embedbench.clock import Deadline
from pytest_embedbench.errors import BoardBusy, BoardUnreachable, ToolMissing

if TYPE_CHECKING:
    from typing import IO

PYTHON_ENV = "EMBEDBENCH_LABGRID_PYTHON"
"""The Python (3.11 or newer) that has labgrid, if that is not this one."""
_SCHEME = "labgrid://"
_CLIENT = Path(__file__).with_name("labgrid_client.py")
_GIVES_BACK_WITHIN_S = 10.0
_PATIENCE_S = 30.0
"""For a holder that says nothing: it has limits of its own on all that it waits for."""
_INSTALL = (
    "pip install 'pytest-embedbench[labgrid]', or name a Python that has it in "
    f"{PYTHON_ENV}"
)


@dataclass(slots=True)
class AcquiredPlace:
    """A place that is ours until ``release``, or until this process ends."""

    address: str
    """Where its serial port is, as a URL of pyserial's."""
    waited_s: float
    waited_for: str
    """Who had it; ``""`` if it was free."""
    _holder: subprocess.Popen[bytes]

    def release(self) -> None:
        """Let others have the place; safe to call twice."""
        _end(self._holder)


def is_labgrid_place(address: str) -> bool:
    """Say whether an address is one of a place at a coordinator."""
    return address.startswith(_SCHEME)


def url_of(coordinator: str, place: str, resource: str = "") -> str:
    """Return the address of a place; ``resource`` is one of several serial ports."""
    words = [place, *([resource] if resource else [])]
    return f"{_SCHEME}{coordinator}/{'/'.join(quote(word, safe='') for word in words)}"


def acquire_place(url: str, *, wait_s: float, take_over: bool) -> AcquiredPlace:
    """Reserve a place and wait for our turn.

    Args:
        url: What ``url_of`` returns.
        wait_s: How long others may go on having it.
        take_over: It was ours when a process of ours died: take it from ourselves.

    Raises:
        BoardBusy: somebody else had it all the time.
        BoardUnreachable: no coordinator, no such place, or no serial port there.
        ToolMissing: labgrid is not installed.
    """
    coordinator, _, path = url.removeprefix(_SCHEME).partition("/")
    place, _, resource = (unquote(word) for word in path.partition("/"))
    python = os.environ.get(PYTHON_ENV) or sys.executable
    how = "take-over" if take_over else "wait"
    try:
        # Not bound to our life: it has to outlive us for as long as giving back takes.
        holder = subprocess.Popen(
            # -P: the modules beside it are none of its business.
            [python, "-P", os.fspath(_CLIENT), coordinator, place, resource, how],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            bufsize=0,  # or a line might be read that ``select`` then waits for
            start_new_session=True,
        )
    except OSError as error:
        raise ToolMissing("serial", f"labgrid ({python}: {error})", _INSTALL) from error
    try:
        return _await_place(holder, coordinator, place, wait_s)
    except BaseException:
        _end(holder)
        raise


def _await_place(
    holder: subprocess.Popen[bytes], coordinator: str, place: str, wait_s: float
) -> AcquiredPlace:
    """Wait for the last word; only while others have the place it counts as waiting."""
    assert holder.stdout is not None
    waited_for = ""
    limit = Deadline(_PATIENCE_S)
    while True:
        entry = _heard(holder.stdout, limit)
        if entry is None and waited_for:
            raise BoardBusy(
                f"labgrid place {place} did not come free within {wait_s:g} s: "
                f"{waited_for}"
            )
        if entry is None or "error" in entry:
            _refuse(coordinator, entry or {})
        if "port" in entry:
            waited_s = wait_s - limit.remaining_s() if waited_for else 0.0
            address = _address(place, entry["port"])
            return AcquiredPlace(address, waited_s, waited_for, holder)
        if not waited_for:
            limit = Deadline(wait_s)
        waited_for = _holder_told(place, entry)


def _heard(said: IO[bytes], limit: Deadline) -> dict[str, Any] | None:
    """Return the next that the holder says, or nothing."""
    if not select.select([said], [], [], limit.remaining_s())[0]:
        return None
    line = said.readline()
    entry: dict[str, Any] = json.loads(line) if line else {"error": "it has ended"}
    return entry


def _holder_told(place: str, entry: dict[str, Any]) -> str:
    if not entry["waiting"]:
        return f"{place} is reserved by somebody else"
    told = f"{place} is held by {entry['waiting']}"
    if entry["waiting"] != entry["us"]:
        return told
    return f"{told}, this very account: 'labgrid-client -p {place} release' frees it"


def _refuse(coordinator: str, entry: dict[str, Any]) -> NoReturn:
    text = entry.get("error", "it says nothing")
    match entry.get("kind", ""):
        case "missing":
            raise ToolMissing("serial", f"labgrid ({text})", _INSTALL)
        case "unreachable":
            raise BoardUnreachable(
                f"no labgrid coordinator answers at {coordinator}: {text}"
            )
        case _:
            raise BoardUnreachable(f"labgrid coordinator {coordinator}: {text}")


def _address(place: str, port: dict[str, Any]) -> str:
    if port.get("extra", {}).get("proxy_required"):
        raise BoardUnreachable(
            f"labgrid place {place}: its exporter is isolated, so its ports can be "
            "reached through SSH only; run the tests there, or export it otherwise"
        )
    scheme = "socket" if port.get("protocol") == "raw" else "rfc2217"
    host = f"[{port['host']}]" if ":" in port["host"] else port["host"]
    return f"{scheme}://{host}:{port['port']}"


def _end(holder: subprocess.Popen[bytes]) -> None:
    """Close its input, and wait until it has given the place back."""
    assert holder.stdin is not None
    assert holder.stdout is not None
    holder.stdin.close()
    try:
        holder.wait(_GIVES_BACK_WITHIN_S)
    except subprocess.TimeoutExpired:
        holder.kill()
        holder.wait()
    holder.stdout.close()
