"""A labgrid coordinator and an exporter of it, as real programs on this machine."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_embedbench.clock import Deadline, pause
from pytest_embedbench.lab.leases.labgrid import PYTHON_ENV
from pytest_embedbench.processes import spawn, stop

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

PYTHON = os.environ.get(PYTHON_ENV) or sys.executable
EXPORTER = "desk"
_MATCH = (
    "[{exporter: desk, group: GROUP, cls: NetworkSerialPort, name: null, rename: null}]"
)


def missing() -> str:
    """Say what has to be installed before there can be a coordinator, if anything."""
    found = subprocess.run(
        [PYTHON, "-c", "import labgrid"], capture_output=True, timeout=60, check=False
    )
    return "" if found.returncode == 0 else "no labgrid: pip install labgrid"


@dataclass(frozen=True, slots=True)
class Labgrid:
    """A coordinator that runs: where, and what its client says."""

    coordinator: str
    folder: Path

    def client(self, *words: str, user: str = "") -> str:
        """Run ``labgrid-client``, as another user if need be; return what it says."""
        argv = [PYTHON, "-m", "labgrid.remote.client", "-x", self.coordinator, *words]
        done = subprocess.run(
            argv,
            env={**os.environ, **({"LG_USERNAME": user} if user else {})},
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        return done.stdout + done.stderr

    def holder(self, place: str) -> str:
        """Return who has a place; ``None`` as text if nobody has."""
        said = self.client("-p", place, "show")
        (line,) = (line for line in said.splitlines() if "acquired:" in line)
        return line.partition(":")[2].strip()

    def await_free(self, place: str) -> None:
        """Wait until nobody has a place."""
        deadline = Deadline(20)
        while self.holder(place) != "None":
            if deadline.passed():
                raise TimeoutError(f"{place} was never released")


@contextmanager
def labgrid(folder: Path, ports: Mapping[str, str]) -> Iterator[Labgrid]:
    """Run a coordinator whose places have one serial port each, by ``host:port``."""
    (folder / "places.yaml").write_text(
        "".join(
            f"{name}: {{aliases: [], comment: '', tags: {{}}, created: 0, changed: 0, "
            f"matches: {_MATCH.replace('GROUP', name)}}}\n"
            for name in ports
        )
    )
    (folder / "exports.yaml").write_text("".join(map(_export, ports, ports.values())))
    coordinator = spawn(
        [PYTHON, "-u", "-m", "labgrid.remote.coordinator", "-l", "127.0.0.1:0"],
        cwd=folder,
        stdout=subprocess.PIPE,
    )
    assert coordinator.stdout is not None
    try:
        said = coordinator.stdout.readline().decode()
        where = said.partition("listening on ")[2].strip()
        if not where:
            raise RuntimeError(f"the coordinator does not listen: {said!r}")
        exporter = spawn(
            [
                *(PYTHON, "-m", "labgrid.remote.exporter", "-c", where),
                *("-n", EXPORTER, "--hostname", "127.0.0.1", folder / "exports.yaml"),
            ],
            cwd=folder,
        )
        try:
            running = Labgrid(where, folder)
            _await_exports(running, len(ports))
            yield running
        finally:
            stop(exporter)
    finally:
        stop(coordinator)
        coordinator.stdout.close()


def _export(name: str, place: str) -> str:
    """Return a device, or a port that is served already."""
    if place.startswith("/dev/"):
        return f"{name}:\n  RawSerialPort:\n    port: {place}\n    speed: 115200\n"
    host, _, port = place.rpartition(":")
    served = f"host: {host}\n    port: {port}\n    speed: 115200"
    return f"{name}:\n  NetworkSerialPort:\n    {served}\n"


def _await_exports(running: Labgrid, count: int) -> None:
    deadline = Deadline(30)
    while running.client("resources").count("NetworkSerialPort") < count:
        if deadline.passed():
            raise TimeoutError("the exporter has not come up")
        pause(0.05)
