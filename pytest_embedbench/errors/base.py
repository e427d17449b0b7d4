"""The roots of all that is raised, and what a caller has asked for in vain."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


class EmbedbenchError(Exception):
    """Base of everything raised here; never raised itself.

    What a subclass takes besides a message it keeps under the same names: so it is
    made again on the other side of a process border.
    """

    def __reduce__(self) -> str | tuple[object, ...]:
        code = getattr(type(self).__init__, "__code__", None)
        if code is None:
            return super().__reduce__()
        names = code.co_varnames[1 : code.co_argcount]
        return (type(self), tuple(getattr(self, name) for name in names))


class BenchFault(EmbedbenchError):
    """Our side of the wire broke; the firmware is not to blame."""


class BoardLost(BenchFault):
    """The board or emulator went away while we were using it."""


class ConfigError(EmbedbenchError):
    """The caller asked for something that cannot be; a usage error at start-up."""


class UnknownName(ConfigError):
    """No entry of that name is registered.

    Args:
        kind: What was looked up: ``board``, ``plant``, ``engine``, ``builder``.
        name: The name that is not known.
        known: The names that are.
    """

    def __init__(self, kind: str, name: str, known: Iterable[str]) -> None:
        self.kind = kind
        self.name = name
        self.known = tuple(sorted(known))
        listed = ", ".join(self.known) or "none"
        noun, of, whose = kind.partition(" of ")
        kinds = f"{noun}s{of}{whose}"
        super().__init__(f"no {kind} named {name!r}; known {kinds}: {listed}")
