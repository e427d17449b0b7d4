"""How a wait for a child process can end in vain; no user sees these."""

from __future__ import annotations

from dataclasses import dataclass


class ChannelError(Exception):
    """There is no use in talking with the child any more."""


class Disconnected(ChannelError):
    """The child closed its end, or is gone."""


class ProtocolError(ChannelError):
    """The child does not speak the protocol, or refuses what we need."""


@dataclass(slots=True)
class NoAnswer(ChannelError):
    """The child used up its time to answer.

    ``cpu_s`` is the CPU time that it used meanwhile, where that can be known;
    ``asleep`` says that it has done nothing for longer than it may, ``out_of_cpu`` that
    it has used up what it may.
    """

    cpu_s: float | None
    wall_s: float
    asleep: bool = False
    out_of_cpu: bool = False
