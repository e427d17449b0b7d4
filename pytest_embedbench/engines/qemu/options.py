"""What a board's options can say to these engines."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, TypeVar

from pytest_embedbench.errors import ConfigError

if TYPE_CHECKING:
    from pytest_embedbench.model import BoardSpec


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """The options of any board, under the names that its datasheet uses.

    Attributes:
        qemu: A QEMU program, or a folder with one; empty to look for it.
        lockstep: Without it the firmware runs in real time, and nothing is exact: for
            an image that has no clock to keep step with.
        icount_shift: One guest instruction takes 2 to the power of this, in ns.
        sync_symbol: A function that the firmware calls at a fixed rate, in place of
            the tick of a known operating system.
        sync_period_us: The period of that function, or of the tick; 0 is the usual.
        leap_us: How far time may leap where the firmware is stopped, twice a tick: what
            leaps is lost to a busy firmware; 0 is a fifth of a tick.
        cpu_limit_ms: CPU time from one tick to the next; a firmware that needs more
            is stuck.
        boot_limit_ms: CPU time from reset to the first tick.
        wall_limit_ms: Host time for either, for a QEMU that does nothing at all.
        grace_ms: How long a QEMU may take to end before it is killed.
    """

    qemu: str = ""
    lockstep: bool = True
    icount_shift: int = 6
    sync_symbol: str = ""
    sync_period_us: int = 0
    leap_us: int = 0
    cpu_limit_ms: int = 10_000
    boot_limit_ms: int = 60_000
    wall_limit_ms: int = 120_000
    grace_ms: int = 2_000


OptionsT = TypeVar("OptionsT", bound=Options)


def read_options(spec: BoardSpec, kind: type[OptionsT]) -> OptionsT:
    """Return the options of a board.

    Raises:
        ConfigError: one is not known, or of the wrong type.
    """
    types: dict[str, type] = {field.name: type(field.default) for field in fields(kind)}
    for name, value in spec.options.items():
        if name not in types:
            known = ", ".join(sorted(types))
            raise ConfigError(
                f"board {spec.name!r}: options.{name}: unknown; known: {known}"
            )
        if type(value) is not types[name]:
            raise ConfigError(
                f"board {spec.name!r}: options.{name}: must be of type "
                f"{types[name].__name__}, is {value!r}"
            )
    return kind(**spec.options)  # type: ignore[arg-type]  # checked above
