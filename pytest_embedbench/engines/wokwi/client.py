"""A session with a service: commands and their answers, events as they come."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_embedbench.clock import Deadline
from pytest_embedbench.errors import BadFrame, ServiceFault
from pytest_embedbench.wokwi.messages import (
    Command,
    CommandResponse,
    ErrorResponse,
    Event,
    FatalError,
    Hello,
)
from pytest_embedbench.wokwi.names import PROTOCOL_VERSION

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pytest_embedbench.engines.wokwi.budget import ServiceBudget
    from pytest_embedbench.engines.wokwi.connection import ServiceConnection
    from pytest_embedbench.wokwi.messages import Frame
    from pytest_embedbench.wokwi.names import CommandName

    Asked = tuple[CommandName, Mapping[str, Any]]
    Answer = CommandResponse | ErrorResponse


class ProtocolClient:
    """Speaks version 1 of the protocol; an answer that is an error ends nothing.

    Args:
        connection: What it speaks over; it is ours from now on.
        budget: How long things may take.
        hear: Called with each event, in order.
    """

    def __init__(
        self,
        connection: ServiceConnection,
        budget: ServiceBudget,
        hear: Callable[[Event], None],
    ) -> None:
        self.budget = budget
        self._connection, self._hear = connection, hear
        self._last_id = 0

    def greet(self) -> Hello:
        """Return what the server says of itself.

        Raises:
            BadFrame: it says anything else, or speaks another version.
        """
        awaited = "its hello was awaited"
        frame = self._receive(Deadline(self.budget.answer_s), awaited)
        if not isinstance(frame, Hello):
            told = f"began with {type(frame).__name__} in place of hello"
            raise self._connection.failed(told, BadFrame)
        if frame.protocol_version != PROTOCOL_VERSION:
            raise self._connection.failed(
                f"speaks version {frame.protocol_version} of Wokwi's protocol, and "
                f"we speak {PROTOCOL_VERSION}",
                BadFrame,
            )
        return frame

    def ask(self, *asked: Asked) -> list[Answer]:
        """Send commands in one go, and return their answers in the same order.

        Raises:
            ServiceFault: not all came in time, or the session is over.
        """
        commands = [self._numbered(*each) for each in asked]
        self._connection.send(*commands)
        open_ids = {command.id: command for command in commands}
        answers: dict[str, Answer] = {}
        while open_ids:
            first = next(iter(open_ids.values()))
            awaited = f"an answer to {first.command} was awaited"
            frame = self._receive(Deadline(self.budget.answer_s), awaited)
            if isinstance(frame, CommandResponse | ErrorResponse):
                if open_ids.pop(frame.id, None) is None:
                    told = f"answered {frame.command} ({frame.id}), which nobody asked"
                    raise self._connection.failed(told, BadFrame)
                answers[frame.id] = frame
        return [answers[command.id] for command in commands]

    def insist(self, *asked: Asked, about: str = "") -> list[CommandResponse]:
        """Do the same where no session can go on without; ``about`` names the object.

        Raises:
            ServiceFault: one of them is refused.
        """
        answers = self.ask(*asked)
        done = [it for it in answers if isinstance(it, CommandResponse)]
        for (name, _), answer in zip(asked, answers, strict=True):
            if isinstance(answer, ErrorResponse):
                what = f"{name} {about}".rstrip()
                raise self._connection.failed(f"refused {what}: {told_of(answer)}")
        return done

    def wait_for(
        self, happened: Callable[[], bool], awaited: str, within_s: float
    ) -> None:
        """Hear events until something has happened.

        Raises:
            ServiceFault: it has not in time, or the session is over.
        """
        deadline = Deadline(within_s)
        while not happened():
            frame = self._receive(deadline, awaited)
            if not isinstance(frame, Event):
                told = f"sent {type(frame).__name__} while {awaited}"
                raise self._connection.failed(told, BadFrame)

    def garbled(self, what: str) -> ServiceFault:
        """End the session over an answer that is none, and return that error."""
        told = f"does not speak the protocol: {what}"
        return self._connection.failed(told, BadFrame)

    def close(self) -> None:
        """End the session; safe to call twice."""
        self._connection.close()

    def _numbered(self, name: CommandName, params: Mapping[str, Any]) -> Command:
        self._last_id += 1
        return Command(id=str(self._last_id), command=name, params=params)

    def _receive(self, deadline: Deadline, awaited: str) -> Frame:
        frame = self._connection.receive(deadline, awaited)
        if isinstance(frame, FatalError):
            told = f"ended the session while {awaited}: {frame.message}"
            raise self._connection.failed(told)
        if isinstance(frame, Event):
            try:
                self._hear(frame)
            except BadFrame as garbage:
                told = f"does not speak the protocol, while {awaited}: {garbage}"
                raise self._connection.failed(told, BadFrame) from None
        return frame


def told_of(refusal: ErrorResponse) -> str:
    """Return a refusal as messages quote it."""
    return f"{refusal.message} (code {refusal.code})"
