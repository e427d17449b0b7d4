"""What we say to the program and hear from it: one message out, one message in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_embedbench.engines.native.protocol import ControlMessage
from pytest_embedbench.processes.channel_errors import Disconnected, ProtocolError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_embedbench.processes.channel import Channel


@dataclass(slots=True)
class Control:
    """Talk with the program at the other end of ``channel``.

    What waits for a message raises ``Disconnected`` or ``NoAnswer``.
    """

    channel: Channel

    def send(self, kind: int, value: int = 0, payload: bytes = b"") -> None:
        """Send one message; a program that is gone is noticed at the answer."""
        self.channel.send(payload, kind, value)

    def send_files(self, kind: int, files: Sequence[int]) -> None:
        """Send a message without payload that hands over open files."""
        self.channel.send_files(files, kind, 0)

    def receive(self) -> ControlMessage:
        """Wait for one message."""
        try:
            (_, kind, value), payload = self.channel.receive()
        except ProtocolError:
            raise Disconnected from None  # what talks is not our port
        return ControlMessage(kind, value, payload)

    def receive_answer(self, kind: int) -> int:
        """Wait for a message of ``kind`` and return its value.

        Others before it answer questions that were asked in vain: somebody was
        interrupted while waiting.
        """
        while True:
            message = self.receive()
            if message.kind == kind:
                return message.value

    def close(self) -> None:
        """Hang up."""
        self.channel.close()
