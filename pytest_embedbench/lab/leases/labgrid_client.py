"""Holds a place of a labgrid coordinator for as long as its standard input is open.

A program of its own, so that a place is given back when whoever asked for it is
killed, and so that labgrid (which brings a pyserial of its own) may live in another
Python than ours: it imports nothing of this package. It says what happens in lines of
JSON: ``waiting`` (for whom), then ``port`` (what the exporter says of the serial port),
or ``error`` and its ``kind``.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import sys
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

CONNECTS_WITHIN_S = 10.0
EXPORTS_WITHIN_S = 10.0
_POLL_S = 0.2
_SERIAL = "NetworkSerialPort"
"""What an exporter makes of every serial port."""


class Refused(Exception):
    """There is no such thing to be had; ``kind`` is for the one who asked."""

    def __init__(self, kind: str, text: str) -> None:
        self.kind = kind
        super().__init__(text)


def say(**entry: object) -> None:
    """Tell the one who asked."""
    sys.stdout.write(json.dumps(entry) + "\n")
    sys.stdout.flush()


@dataclass(slots=True)
class LabgridPlace:
    """A place at a coordinator, through a session of labgrid's own client."""

    session: Any
    messages: Any
    name: str
    gone: asyncio.Event
    """Set when nobody wants the place any more."""
    _token: str = field(default="", init=False)
    _is_ours: bool = field(default=False, init=False)

    @property
    def us(self) -> str:
        """The name under which labgrid knows this account on this machine."""
        return f"{self.session.gethostname()}/{self.session.getuser()}"

    async def take(self, *, take_over: bool) -> None:
        """Reserve the place, wait for our turn, and acquire it."""
        if self.name not in self.session.places:
            known = ", ".join(sorted(self.session.places)) or "none"
            raise Refused("unknown", f"has no place {self.name!r}; there are: {known}")
        if take_over:
            await self._release_leftovers()
        wanted = self.messages.Reservation.Filter(filter={"name": self.name})
        request = self.messages.CreateReservationRequest(filters={"main": wanted})
        answer = await self.session.stub.CreateReservation(request)
        self._token = answer.reservation.token
        await self._wait()
        if self.gone.is_set():
            return
        request = self.messages.AcquirePlaceRequest(placename=self.name)
        await self.session.stub.AcquirePlace(request)
        self._is_ours = True

    async def port(self, resource: str) -> dict[str, Any]:
        """Return what is said of the place's serial port, once it is served."""
        waited_s = 0.0
        while not self.gone.is_set():
            ports = dict(self._serial_ports())
            if resource in ports:
                ports = {resource: ports[resource]}
            if len(ports) != 1 or (resource and resource not in ports):
                raise Refused("port", self._which(ports, resource))
            ((name, entry),) = ports.items()
            if entry.avail and entry.data["params"].get("port"):
                return dict(entry.data["params"])
            if waited_s >= EXPORTS_WITHIN_S:
                raise Refused(
                    "port", f"{self.name}: its exporter does not serve {name}"
                )
            await asyncio.sleep(_POLL_S)
            waited_s += _POLL_S
        return {}

    async def release(self) -> None:
        """Release the place and take our reservation back, whatever we have."""
        if self._is_ours:
            await self._release()
        if self._token:
            await self._cancel(self._token)

    async def _release_leftovers(self) -> None:
        """Undo what a process of ours has left behind when it was killed."""
        if self._holder() == self.us:
            await self._release()
        request = self.messages.GetReservationsRequest()
        answer = await self.session.stub.GetReservations(request)
        for left in answer.reservations:
            if (
                left.owner == self.us
                and left.filters["main"].filter["name"] == self.name
            ):
                await self._cancel(left.token)

    async def _wait(self) -> None:
        """Wait until it is our turn; polling is what keeps a reservation alive."""
        told: str | None = None
        request = self.messages.PollReservationRequest(token=self._token)
        while not self.gone.is_set():
            answer = await self.session.stub.PollReservation(request)
            if answer.reservation.allocations:
                return
            if (holder := self._holder()) != told:
                told = holder
                say(waiting=holder, us=self.us)
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self.gone.wait(), _POLL_S)

    async def _cancel(self, token: str) -> None:
        request = self.messages.CancelReservationRequest(token=token)
        await self.session.stub.CancelReservation(request)

    async def _release(self) -> None:
        request = self.messages.ReleasePlaceRequest(
            placename=self.name, fromuser=self.us
        )
        await self.session.stub.ReleasePlace(request)

    def _holder(self) -> str:
        return self.session.places[self.name].acquired or ""

    def _serial_ports(self) -> Any:  # noqa: ANN401  # labgrid's own
        place = self.session.places[self.name]
        for exporter, groups in self.session.resources.items():
            for group, resources in groups.items():
                for name, entry in resources.items():
                    kind = entry.data.get("cls", "")
                    if kind == _SERIAL and place.hasmatch(
                        (exporter, group, kind, name)
                    ):
                        yield name, entry

    def _which(self, ports: dict[str, Any], resource: str) -> str:
        known = ", ".join(sorted(ports)) or "none"
        wish = f" {resource!r}" if resource else ""
        return f"{self.name}: no one serial port{wish}; there are: {known}"


async def hold(coordinator: str, name: str, resource: str, *, take_over: bool) -> None:
    """Have a place until standard input ends."""
    try:
        client = import_module("labgrid.remote.client")
        messages = import_module("labgrid.remote.generated.labgrid_coordinator_pb2")
    except ImportError as error:
        raise Refused("missing", str(error)) from error
    loop = asyncio.get_running_loop()
    gone = asyncio.Event()
    loop.add_reader(sys.stdin.fileno(), gone.set)
    session = client.ClientSession(coordinator, loop)
    try:
        await asyncio.wait_for(session.start(), CONNECTS_WITHIN_S)
    except (client.Error, OSError, TimeoutError) as error:
        raise Refused("unreachable", str(error) or "no answer") from error
    place = LabgridPlace(session, messages, name, gone)
    try:
        await place.take(take_over=take_over)
        if not gone.is_set():
            say(port=await place.port(resource))
        await gone.wait()
    finally:
        with contextlib.suppress(Exception):
            await place.release()
        session.stopping.set()
        await session.stop()
        await session.close()


def main() -> None:
    """Hold ``PLACE`` of ``COORDINATOR``: ``RESOURCE`` may be empty."""
    coordinator, name, resource, how = sys.argv[1:]
    try:
        asyncio.run(hold(coordinator, name, resource, take_over=how == "take-over"))
    except Refused as refusal:
        say(kind=refusal.kind, error=str(refusal))
    except Exception as error:  # noqa: BLE001  # whatever it is, it is told
        details = getattr(error, "details", None)
        say(kind="refused", error=details() if details else repr(error))


if __name__ == "__main__":
    main()
