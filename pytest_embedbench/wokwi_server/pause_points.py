"""Where a client wants a simulation to stand still."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pytest_embedbench.wiring.stops import Stop, TimeReaches, UartSays
from pytest_embedbench.wokwi.names import PausePointKind

if TYPE_CHECKING:
    from pytest_embedbench.wokwi.fields import Fields


@dataclass(frozen=True, slots=True, kw_only=True)
class PausePoint:
    """One of them: it is there until it is met, once."""

    id: str
    kind: PausePointKind
    stop: TimeReaches | UartSays

    def about(self) -> dict[str, Any]:
        """Return what an event says of it."""
        return {"pausePoint": self.id, "pausePointInfo": {"type": self.kind.value}}


def read_pause_point(fields: Fields, now_ns: int) -> PausePoint:
    """Return what a client asks for.

    Raises:
        BadFrame: it is no pause point.
    """
    known = {it.value: it for it in PausePointKind}
    kind = known.get(fields.text("type"))
    stop: TimeReaches | UartSays
    match kind:
        case None:
            raise fields.wrong("type", f"one of {', '.join(known)}")
        case PausePointKind.SERIAL_BYTES:
            data = fields.octets("bytes")
            if not data:
                raise fields.wrong("bytes", "at least one byte")
            stop = UartSays(data)
        case PausePointKind.TIME_RELATIVE:
            stop = TimeReaches(now_ns + fields.whole("nanos"))
        case PausePointKind.TIME_ABSOLUTE:
            stop = TimeReaches(fields.whole("nanos"))
    return PausePoint(id=fields.text("id"), kind=kind, stop=stop)


def first_moment_ns(points: list[Stop]) -> int | None:
    """Return the earliest moment among stops, in ns since boot."""
    return min((it.at_ns for it in points if isinstance(it, TimeReaches)), default=None)
