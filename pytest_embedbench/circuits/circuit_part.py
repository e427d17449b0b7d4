"""A part of a circuit, as a test handles it and sees it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, cast

from pytest_embedbench.circuits.blinking import Blinks, wait_for_blinks
from pytest_embedbench.contracts.circuit import TakesCardFiles
from pytest_embedbench.errors import (
    ConfigError,
    EmbedbenchError,
    NotSupported,
    UnknownName,
)
from pytest_embedbench.support.validation import whole_ms
from pytest_embedbench.wiring.placed_part import check_control

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pytest_embedbench.circuits.circuit import Circuit
    from pytest_embedbench.model import Level
    from pytest_embedbench.wiring.part_model import Reading
    from pytest_embedbench.wiring.part_type import PartType

_PRESSED = "pressed"
_KEYS = ("123A", "456B", "789C", "*0#D")


class CircuitPart:
    """A part of a circuit, by its id in the diagram.

    What is seen of it are attributes (``circuit["servo1"].angle_deg``); its controls
    are set. The page of parts says what each type has.
    """

    def __init__(
        self,
        circuit: Circuit,
        id: str,  # noqa: A002
        kind: PartType,
        attrs: Mapping[str, str],
    ) -> None:
        self._circuit, self._kind, self._attrs = circuit, kind, attrs
        self.id = id
        """What the diagram calls it."""
        self.controls: dict[str, float] = {}
        """What its controls have been set to."""

    def __repr__(self) -> str:
        try:
            seen = [f"{it}={value!r}" for it, value in self.seen().items()]
        except EmbedbenchError:  # of its board, which is gone
            seen = []
        return f"<{' '.join([self.id, *seen])}>"

    @property
    def type(self) -> str:
        """Its type, such as ``wokwi-led``."""
        return self._kind.name

    def __getattr__(self, name: str) -> Reading:
        if name.startswith("_"):
            raise AttributeError(name)
        if name not in self._kind.observables:
            known = ", ".join(self._kind.observables) or "nothing"
            raise AttributeError(
                f"{self.id} is a {self._kind.name}, of which is seen: {known}; not "
                f"{name!r}"
            )
        return self._circuit.board_circuit.observe(self.id, name)

    def __setattr__(self, name: str, value: object) -> None:
        if not name.startswith("_") and name not in {"id", "controls"}:
            raise AttributeError(
                f"{self.id}: {name} is not assigned: set(...) sets controls, which "
                f"are: {', '.join(self._kind.controls) or 'none'}"
            )
        super().__setattr__(name, value)

    def seen(self) -> Mapping[str, Reading]:
        """Return all that is seen of it, by name."""
        observe = self._circuit.board_circuit.observe
        return {name: observe(self.id, name) for name in self._kind.observables}

    def set(self, /, **controls: float) -> None:
        """Set controls, from where time goes on: ``pot.set(position=0.8)``.

        If one of them cannot be set, none is.

        Raises:
            UnknownName: it has no such control.
            ConfigError: a value is out of its range, or no number.
        """
        for name, value in controls.items():
            check_control(self.id, self._kind, name, value)
        for name, value in controls.items():
            self._circuit.board_circuit.control(self.id, name, value)
            self.controls[name] = value

    def put_file(self, path: str, content: str | bytes) -> None:
        """Put a file on a memory card: ``circuit["sd1"].put_file("SET.TXT", "9")``.

        In place of one of that name; best before the firmware has begun with the card.
        ``files`` has what is there.

        Raises:
            ConfigError: it is no card, or cannot have that file.
            NotSupported: the board's circuit takes no files.
        """
        circuit = self._circuit.board_circuit
        if not isinstance(circuit, TakesCardFiles):
            raise NotSupported(f"{self.id}: files cannot be put on cards of this board")
        data = content.encode() if isinstance(content, str) else content
        if not isinstance(cast("object", data), bytes):
            raise ConfigError(
                f"{self.id}: put_file({path!r}, {content!r:.40}): give text or bytes"
            )
        circuit.put_file(self.id, str(path), data)

    def press(self, key: str = "", *, duration_ms: int = 50) -> None:
        """Press it, let time pass, and let go of it.

        Args:
            key: Which key of a keypad, by its label: ``"5"``.
            duration_ms: How long it is held.

        Raises:
            UnknownName: it is no button, or has no such key.
            ConfigError: it has no keys at all, or that is no duration.
            FirmwareFault: the firmware crashed meanwhile, ...
        """
        lasts_ms = whole_ms("duration_ms", duration_ms)
        self.hold(key)
        self._circuit.bench.run_for(lasts_ms)
        self.release(key)

    def hold(self, key: str = "") -> None:
        """Press it, or a key of it, until ``release``."""
        self.set(**{self._button(key): 1})

    def release(self, key: str = "") -> None:
        """Let go of it."""
        self.set(**{self._button(key): 0})

    def _button(self, key: str) -> str:
        if not isinstance(cast("object", key), str):
            raise ConfigError(
                f"{self.id}: {key!r} is no key, which is text; how long it is held is "
                "press(duration_ms=...)"
            )
        keys = self._keys()
        if not keys and key and key not in self._kind.controls:
            raise ConfigError(
                f"{self.id}: a {self._kind.name} has no keys, so {key!r} is none; "
                "leave it out"
            )
        if not keys:
            return key or _PRESSED
        if key not in keys:
            raise UnknownName(f"key of {self.id}", key, keys)
        return keys[key]

    def _keys(self) -> dict[str, str]:
        """Return the controls of a keypad's keys, by what is printed on them."""
        if "row1column1" not in self._kind.controls:
            return {}
        columns = int(self._kind.attr(self._attrs, "columns"))
        labels = key_labels(self._kind.attr(self._attrs, "keys"), columns)
        return {
            label: f"row{1 + index // columns}column{1 + index % columns}"
            for index, label in enumerate(labels)
        }

    def level(self, pin: str) -> Level:
        """Return what the net of one of its pins shows now."""
        return self._circuit.level(f"{self.id}:{pin}")

    def blinks(self, *, within_ms: int) -> Blinks:
        """Wait until a light has been lit three times; return how it blinks.

        The last whole period counts. A light is lit while its anode is high and its
        cathode low.

        Raises:
            ConfigError: it has no anode ``A`` and cathode ``C``.
            ExpectTimeout: it has not within ``within_ms``.
            FirmwareFault: the firmware crashed, ... before it.
        """
        pins = {pin.name for pin in self._kind.pins}
        if not {"A", "C"} <= pins:
            raise ConfigError(
                f"{self.id} is a {self._kind.name}: no light with A and C"
            )
        return wait_for_blinks(self._circuit, self.id, within_ms)


def key_labels(keys: str, columns: int) -> Sequence[str]:
    """Return what is printed on the keys of a keypad, row by row.

    ``keys`` is the attribute as a diagram has it: a list in JSON, or nothing.
    """
    if not keys:
        return [label for row in _KEYS for label in row[:columns]]
    return [str(label) for label in json.loads(keys)]
