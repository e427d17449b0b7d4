"""What a test does with a circuit: handle its parts, see what they show, wait."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_embedbench.circuits.blinking import Blinks, wait_for_blinks
from pytest_embedbench.errors import (
    BoardLost,
    ConfigError,
    EmbedbenchError,
    ExpectTimeout,
    UnknownName,
)
from pytest_embedbench.support.validation import pin_level, whole_ms, whole_us
from pytest_embedbench.wiring.diagram import Endpoint
from pytest_embedbench.wiring.stops import PinBecomes

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pytest_embedbench.bench.bench import Bench
    from pytest_embedbench.contracts import BoardCircuit
    from pytest_embedbench.model import Level
    from pytest_embedbench.wiring.diagram import Diagram
    from pytest_embedbench.wiring.part_model import Reading
    from pytest_embedbench.wiring.part_type import PartType
    from pytest_embedbench.wiring.waves import Edge

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

    def __repr__(self) -> str:
        try:
            seen = [f"{it}={getattr(self, it)!r}" for it in self._kind.observables]
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

    def set(self, **controls: float) -> None:
        """Set controls, from where time goes on: ``pot.set(position=0.8)``.

        Raises:
            UnknownName: it has no such control.
            ConfigError: a value is out of its range.
        """
        for name, value in controls.items():
            self._circuit.board_circuit.control(self.id, name, value)

    def press(self, key: str = "", *, duration_ms: int = 50) -> None:
        """Press it, let time pass, and let go of it.

        Args:
            key: Which key of a keypad, by its label: ``"5"``.
            duration_ms: How long it is held.

        Raises:
            UnknownName: it is no button, or has no such key.
            FirmwareFault: the firmware crashed meanwhile, ...
        """
        self.hold(key)
        self._circuit.bench.run_for(whole_ms("duration_ms", duration_ms))
        self.release(key)

    def hold(self, key: str = "") -> None:
        """Press it, or a key of it, until ``release``."""
        self.set(**{self._button(key): 1})

    def release(self, key: str = "") -> None:
        """Let go of it."""
        self.set(**{self._button(key): 0})

    def _button(self, key: str) -> str:
        keys = self._keys()
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


class Circuit:
    """The circuit round a board: ``circuit["led1"]`` is a part of it.

    Args:
        bench: Where time passes.
        board_circuit: The circuit of its board.
        diagram: How it is drawn.
        kinds: The types of its parts, by id.
    """

    def __init__(
        self,
        bench: Bench,
        board_circuit: BoardCircuit,
        diagram: Diagram,
        kinds: dict[str, PartType],
    ) -> None:
        self.bench = bench
        self.board_circuit = board_circuit
        self.diagram = diagram
        attrs = {part.id: part.attrs for part in diagram.parts}
        self._parts = {
            id_: CircuitPart(self, id_, kind, attrs[id_]) for id_, kind in kinds.items()
        }

    def __repr__(self) -> str:
        return f"<Circuit {self.diagram.file}: {', '.join(self._parts)}>"

    def __getitem__(self, part: str) -> CircuitPart:
        if part not in self._parts:
            raise UnknownName("part of the circuit", part, self._parts)
        return self._parts[part]

    @property
    def parts(self) -> Sequence[CircuitPart]:
        """All parts, the board among them, as they stand in the diagram."""
        return tuple(self._parts.values())

    def level(self, pin: str) -> Level:
        """Return what the net of ``part:pin`` shows now."""
        return self.board_circuit.level(endpoint(pin))

    def voltage_mv(self, pin: str) -> float:
        """Return the voltage of the net of ``part:pin``, in mV over ground."""
        return self.board_circuit.voltage_mv(endpoint(pin))

    def edges(self, pin: str, *, since_us: int = 0) -> Sequence[Edge]:
        """Return all changes of the net of ``part:pin``: when, in ns, and to what.

        The pulses of PWM are among them, and the bits of SPI and I2C in hardware.
        """
        since_us = whole_us("since_us", since_us)
        record = self.board_circuit.record()
        return record.edges_of(record.netlist.number_of(endpoint(pin)), since_us)

    def wait_pin(self, pin: str, level: Level, *, within_ms: int) -> int:
        """Wait until ``part:pin`` shows a level; return when, in us.

        If it does already, that is now. Time stands still at that moment, to the
        instruction; with a plant connected it goes on to the end of its tick.

        Raises:
            UnknownName: there is no such pin.
            ExpectTimeout: it has not within ``within_ms``.
            FirmwareFault: the firmware crashed, ... before it.
        """
        level = pin_level(pin, level)
        end, uart = endpoint(pin), self.bench.uart
        if self.board_circuit.level(end) is level:
            return uart.now_us
        ends_us = uart.now_us + whole_ms("within_ms", within_ms) * 1000
        has_plant = uart.timebase is not uart.recorder
        self.board_circuit.look_out([PinBecomes(end, level)], stay=has_plant)
        try:
            while uart.now_us < ends_us:
                uart.poll(ends_us)
                met = self.board_circuit.take_met()
                if met is not None and met.at_us <= ends_us:
                    return met.at_us
                uart.recorder.raise_fault()
        finally:
            with suppress(BoardLost):  # which has been told
                self.board_circuit.look_out([])
        shown = self.board_circuit.level(end).name
        what = f"{pin} did not become {level.name}"
        raise self.timeout(what, within_ms, f"it is {shown}", (pin,))

    def write_vcd(self, path: Path | str) -> None:
        """Write what all nets did so far as a VCD, for wave viewers.

        The nets of more than one pin are in it, with the pulses of PWM and the bits of
        SPI and I2C in hardware, in steps of 100 ps.

        Raises:
            BoardLost: the board has been closed.
            OSError: it cannot be written.
        """
        from pytest_embedbench.circuits.vcd import write_vcd  # noqa: PLC0415  # late

        write_vcd(self.board_circuit.record(), Path(path))

    def timeout(
        self, what: str, within_ms: int, seen: str, pins: Sequence[str]
    ) -> ExpectTimeout:
        """Return the failure of a wait in vain, with what nets did in it."""
        from pytest_embedbench.circuits.evidence import waves_text  # noqa: PLC0415

        now_s = self.bench.uart.now_us / 1e6
        told = [f"{what} within {within_ms} ms, up to {now_s:.6f} s: {seen}"]
        told += [waves_text(self, first=pins, lasts_ms=within_ms)]
        told += [self.bench.uart.recorder.evidence()]
        return ExpectTimeout("\n".join(filter(None, told)))


def key_labels(keys: str, columns: int) -> Sequence[str]:
    """Return what is printed on the keys of a keypad, row by row.

    ``keys`` is the attribute as a diagram has it: a list in JSON, or nothing.
    """
    if not keys:
        return [label for row in _KEYS for label in row[:columns]]
    return [str(label) for label in json.loads(keys)]


def endpoint(pin: str) -> Endpoint:
    """Return what ``part:pin`` means.

    Raises:
        ConfigError: it is not written so.
    """
    part, _, name = str(pin).partition(":")
    if not (part and name):
        raise ConfigError(f"{pin!r} is no pin: write part:pin, such as 'uno:13'")
    return Endpoint(part, name)
