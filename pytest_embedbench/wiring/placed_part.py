"""A part in a circuit: its model, and what its type lets a test do with it."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from pytest_embedbench.errors import ConfigError, NotSupported, UnknownName
from pytest_embedbench.wiring.part_model import (
    Controlled,
    Observed,
    Powered,
    TakesFiles,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_embedbench.wiring.part_model import MakeModel, Reading, Wires
    from pytest_embedbench.wiring.part_type import PartControl, PartType


_SEEN = {bool, int, float, str, bytes}


class PlacedPart:
    """A part by its id; models are asked for nothing that their types do not have.

    Args:
        id: What the diagram calls it.
        kind: Its type.
        make: Makes its model.
        wires: What the model hangs on.
        attrs: Its attributes in the diagram; defaults are added.
    """

    def __init__(
        self,
        id: str,  # noqa: A002 (the diagram's word)
        kind: PartType,
        *,
        make: MakeModel,
        wires: Wires,
        attrs: Mapping[str, str],
    ) -> None:
        self.id = id
        self.kind = kind
        self.wires = wires
        defaults = {name: attr.default for name, attr in kind.attrs.items()}
        self.model = make(wires, {**defaults, **attrs})

    def control(self, at_ticks: int, name: str, value: float) -> None:
        """Set a control.

        Raises:
            UnknownName: the type has no such control.
            ConfigError: the value is out of its range.
            NotSupported: its model does not do what its type says.
        """
        check_control(self.id, self.kind, name, value)
        if not isinstance(self.model, Controlled):
            raise NotSupported(f"no model here can set {name}")
        self.model.control(at_ticks, name, value)

    def put_file(self, path: str, content: bytes) -> None:
        """Put a file on it.

        Raises:
            NotSupported: it is nothing that files can be put on.
            ConfigError: the file cannot be there.
        """
        if not isinstance(self.model, TakesFiles):
            raise NotSupported(f"a {self.kind.name} takes no files")
        self.model.put_file(path, content)

    def power_on(self, at_ticks: int) -> None:
        """Let it begin anew, if it loses anything without power."""
        if isinstance(self.model, Powered):
            self.model.power_on(at_ticks)

    def observe(self, at_ticks: int, name: str) -> Reading:
        """Return an observable as it is now.

        Raises:
            UnknownName: the type has no such observable.
            NotSupported: its model does not do what its type says.
        """
        check_observable(self.kind, name)
        if not isinstance(self.model, Observed):
            raise NotSupported(f"{self.id}: no model here shows {name}")
        seen = self.model.observe(at_ticks, name)
        if not is_reading(seen):
            raise TypeError(f"{name} is {seen!r:.60}, which is no Reading")
        return seen


def is_reading(seen: object) -> bool:
    """Say whether that is what can be seen of a part."""
    if type(seen) is tuple:
        parts = cast("tuple[object, ...]", seen)
        # A picture has few colours in many places: each is looked at once.
        return all(map(is_reading, {id(part): part for part in parts}.values()))
    return type(seen) in _SEEN


def check_control(part: str, kind: PartType, name: str, value: object) -> None:
    """Insist that a part of a type has a control, and the control that value.

    Raises:
        UnknownName: the type has no such control.
        ConfigError: the value is out of its range, or no number.
    """
    lowest, highest, unit, _ = control_named(kind, name)
    limits = f"{lowest:g} to {highest:g} {unit}".rstrip()
    if not isinstance(value, int | float):
        raise ConfigError(f"{part}: {name} cannot be {value!r}: it is {limits}")
    if not lowest <= value <= highest:  # NaN is nowhere
        try:
            shown = f"{value:g}"
        except OverflowError:  # a whole number that no float can be
            shown = "that large"
        raise ConfigError(f"{part}: {name} cannot be {shown}: it is {limits}")


def control_named(kind: PartType, name: str) -> PartControl:
    """Return a control of a type.

    Raises:
        UnknownName: the type has no such control.
    """
    known = kind.controls
    if name not in known:
        raise UnknownName(f"control of {kind.name}", name, known)
    return known[name]


def check_observable(kind: PartType, name: str) -> None:
    """Insist that something of a name is seen of parts of a type.

    Raises:
        UnknownName: it is not.
    """
    if name not in kind.observables:
        raise UnknownName(f"observable of {kind.name}", name, kind.observables)
