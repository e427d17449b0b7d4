"""What a host check of lines holds: the parser and the serialisers."""

from __future__ import annotations

import struct
from collections import namedtuple
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any

from pytest_embedbench.errors import UnknownName
from pytest_embedbench.grading.host.calling import IDLE
from pytest_embedbench.grading.host.messages import Kind

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_embedbench.grading.host.stepped import SteppedProgram
    from pytest_embedbench.grading.task import ControllerApi

IGNORED = "IGNORED"
"""What the parser says of a line that is ignored."""
_SERIALISE = struct.Struct("=iiI")
_FITS = struct.Struct("=i")
# The fields are the task's: no type checker can know them.
_record: Callable[..., Any] = cache(namedtuple)  # noqa: PYI024  # see above


@dataclass(slots=True)
class LineProtocol:
    """The line parser and the serialisers that the firmware is built with."""

    program: SteppedProgram
    api: ControllerApi
    _parsed: struct.Struct = field(init=False)
    _record: Callable[..., Any] = field(init=False)

    def __repr__(self) -> str:
        return "protocol"

    def __post_init__(self) -> None:
        self._parsed = struct.Struct(f"=ii{len(self.api.values)}i")
        self._record = _record("Parsed", ("result", "kind", *self.api.values))

    def parse(self, line: str) -> Any:  # noqa: ANN401  # fields as the task has them
        """Call ``protocol_parse_line``; ``result`` and ``kind`` come by name.

        A byte that is no UTF-8 is a lone surrogate, as ``surrogateescape`` has it.
        """
        answer = self.program.ask(
            Kind.PARSE,
            line.encode("utf-8", "surrogateescape"),
            doing=lambda _: f"in protocol_parse_line({line!r})",
        )
        result, kind, *values = self._parsed.unpack(answer)
        results = (IGNORED, *self.api.kinds, None)  # None at -1, too
        kinds = (IDLE, *self.api.kinds, None)
        return self._record(results[result], kinds[kind], *values)

    def serialise(
        self, actuator: str, *, on: bool, size_bytes: int = 128
    ) -> str | None:
        """Call ``protocol_serialize_act_<actuator>``; ``None`` if it does not fit."""
        fits, text = self._serialise(actuator, on, size_bytes)
        return text if fits else None

    def left_behind(self, actuator: str, *, on: bool, size_bytes: int) -> str:
        """Do the same, and return what a line that does not fit leaves in its buffer.

        ``""`` if that is as it was, or if the line does fit.
        """
        fits, text = self._serialise(actuator, on, size_bytes)
        return "" if fits else text

    def _serialise(self, actuator: str, on: bool, size_bytes: int) -> tuple[bool, str]:  # noqa: FBT001  # our own
        if actuator not in self.api.serialisers:
            raise UnknownName("actuator", actuator, self.api.serialisers)
        number = self.api.serialisers.index(actuator)
        answer = self.program.ask(
            Kind.SERIALISE,
            _SERIALISE.pack(number, on, size_bytes),
            doing=lambda _: f"in protocol_serialize_act_{actuator}",
        )
        (fits,) = _FITS.unpack_from(answer)
        return bool(fits), answer[_FITS.size :].decode("utf-8", "replace")
