"""What a client is told of a pin: as both of Wokwi's own clients read it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_embedbench.contracts import ShowsDrives
from pytest_embedbench.pins import Level
from pytest_embedbench.wiring.chip_pin import PinDrive

if TYPE_CHECKING:
    from pytest_embedbench.contracts import BoardCircuit
    from pytest_embedbench.wiring.diagram import Endpoint


def pin_state(circuit: BoardCircuit, pin: Endpoint) -> dict[str, Any]:
    """Return level and voltage, and of the board's pins direction and pull-up.

    A net that nothing holds reads as low. The level is 0 or 1: the client in
    TypeScript compares numbers, and to the one in Python 1 is true.

    Raises:
        UnknownName: there is no such part, or no such pin.
    """
    level = circuit.level(pin)
    state: dict[str, Any] = {
        "pin": pin.pin,
        "value": int(level is Level.HIGH),
        "voltage": circuit.voltage_mv(pin) / 1000,
    }
    drive = circuit.pin_drive(pin) if isinstance(circuit, ShowsDrives) else None
    if drive is not None:
        state["direction"] = "out" if drive >= PinDrive.LOW else "in"
        state["pullUp"] = drive is PinDrive.PULLED_UP
        state["pullDown"] = False
    return state
