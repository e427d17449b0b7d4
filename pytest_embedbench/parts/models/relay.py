"""Relays: a module with one change-over contact, and KS2E-M-DC5 with two.

Songle's datasheet "SRD", the relay of such modules: contacts move 10 ms after the coil
gets current and 5 ms after it loses it, at most; it pulls at 75 % of its voltage and
lets go at 10 %. Those are the numbers here, of KS2E-M-DC5 too, of which no datasheet
was found. COM leaves one side before it is at the other. A coil that does not get its
current long enough moves nothing.

docs.wokwi.com/parts/wokwi-relay-module contradicts itself: its table calls ``npn``
active-high, and what follows has COM at NO while IN is low. Here it is as the table has
it, and as Wokwi's simulation does it (github.com/wokwi/wokwi-features/issues/666): with
``npn`` the coil has current while IN is high, with ``pnp`` while IN is low, and never
while IN is open, which the page says of both.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_embedbench.parts.models.averaging import LineShare
from pytest_embedbench.parts.models.contact import Contact

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pytest_embedbench.wiring.part_model import Reading, Wires

_OPERATE_US, _RELEASE_US = 10_000, 5000
_PULLS_AT, _LETS_GO_AT = 0.75, 0.10


class Relay:
    """An armature with contacts, and a coil: ``drive`` says what share it gets."""

    def __init__(
        self, wires: Wires, poles: tuple[tuple[str, str, str], ...], *, bounce: str
    ) -> None:
        self._wires = wires
        self._wants_on: bool = False
        self._is_on: bool = False
        self._due_ticks = 0
        self._closed_at_rest = [
            Contact(wires, (pole, rest), bounce=bounce, closed=True)
            for pole, rest, _ in poles
        ]
        self._closed_when_on = [
            Contact(wires, (pole, work), bounce=bounce) for pole, _, work in poles
        ]

    def observe(self, _at_ticks: int, _: str) -> Reading:
        """Return whether the contacts are where current in the coil puts them."""
        return self._is_on

    def drive(self, at_ticks: int, share: float) -> None:
        """Give the coil a share of its voltage, from 0 to 1."""
        if _LETS_GO_AT < share < _PULLS_AT:
            return
        wants_on = share >= _PULLS_AT
        if wants_on == self._wants_on:
            return
        self._wants_on = wants_on
        delay_us = _OPERATE_US if wants_on else _RELEASE_US
        self._due_ticks = at_ticks + delay_us * self._wires.ticks_per_us
        self._wires.at(self._due_ticks, self._move)

    def _move(self, at_ticks: int) -> None:
        if at_ticks != self._due_ticks or self._is_on == self._wants_on:
            return
        self._is_on = self._wants_on
        sides = (self._closed_at_rest, self._closed_when_on)
        for contact in sides[not self._is_on]:
            contact.move(at_ticks, closed=False, is_leaving=True)
        for contact in sides[self._is_on]:
            contact.move(at_ticks, closed=True)


def relay_module(wires: Wires, attrs: Mapping[str, str]) -> Relay:
    """Make a module."""
    relay = Relay(wires, (("COM", "NC", "NO"),), bounce="0")
    line = LineShare(wires, "IN")
    is_npn = attrs["transistor"] == "npn"
    line.tell(lambda at_ticks: relay.drive(at_ticks, line.high if is_npn else line.low))
    return relay


def ks2e(wires: Wires, attrs: Mapping[str, str]) -> Relay:
    """Make a KS2E-M-DC5; its coil takes current either way."""
    poles = (("P1", "NC1", "NO1"), ("P2", "NC2", "NO2"))
    relay = Relay(wires, poles, bounce=attrs["bounce"])
    one, other = LineShare(wires, "COIL1"), LineShare(wires, "COIL2")
    one.tell(_coil(relay, one, other))
    other.tell(_coil(relay, one, other))
    return relay


def _coil(relay: Relay, one: LineShare, other: LineShare) -> Callable[[int], None]:
    def on_change(at_ticks: int) -> None:
        share = max(one.high * other.low, one.low * other.high)
        relay.drive(at_ticks, share)

    return on_change
