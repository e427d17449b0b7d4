"""A part in a circuit: its model, and what its type lets a test do with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_embedbench.errors import ConfigError, NotSupported, UnknownName
from pytest_embedbench.wiring.part_model import Controlled, Observed

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_embedbench.wiring.part_model import MakeModel, Reading, Wires
    from pytest_embedbench.wiring.part_type import PartType


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
        defaults = {name: attr.default for name, attr in kind.attrs.items()}
        self.model = make(wires, {**defaults, **attrs})

    def control(self, at_ticks: int, name: str, value: float) -> None:
        """Set a control.

        Raises:
            UnknownName: the type has no such control.
            ConfigError: the value is out of its range.
            NotSupported: its model does not do what its type says.
        """
        known = self.kind.controls
        if name not in known:
            raise UnknownName(f"control of {self.kind.name}", name, known)
        lowest, highest, unit, _ = known[name]
        if not lowest <= value <= highest:  # NaN is nowhere
            limits = f"{lowest:g} to {highest:g} {unit}".rstrip()
            raise ConfigError(f"{self.id}: {name} cannot be {value:g}: it is {limits}")
        if not isinstance(self.model, Controlled):
            raise NotSupported(f"{self.id}: no model here can set {name}")
        self.model.control(at_ticks, name, value)

    def observe(self, at_ticks: int, name: str) -> Reading:
        """Return an observable as it is now.

        Raises:
            UnknownName: the type has no such observable.
            NotSupported: its model does not do what its type says.
        """
        known = self.kind.observables
        if name not in known:
            raise UnknownName(f"observable of {self.kind.name}", name, known)
        if not isinstance(self.model, Observed):
            raise NotSupported(f"{self.id}: no model here shows {name}")
        return self.model.observe(at_ticks, name)
