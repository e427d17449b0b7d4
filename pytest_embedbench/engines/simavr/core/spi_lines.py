"""The pins that an SPI master takes from their port, whatever PORTx says meanwhile.

Source: ATmega328P data sheet, 19.2 and table 19-1: with SPE and MSTR on, MISO is an
input, SCK and MOSI are outputs if DDRx says so, and SS is the port's. SCK rests at CPOL
between bytes (19.4). What MOSI rests at is not said: here it stays as it was.
"""

from __future__ import annotations

from pytest_embedbench.engines.simavr.core.mcus import SPCR

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pytest_embedbench.engines.simavr.core.machine import AvrMachine
    from pytest_embedbench.engines.simavr.core.pins import AvrPort

_SPE_BIT, _MSTR_BIT, _CPOL_BIT = 6, 4, 3
_IS_MASTER = 1 << _SPE_BIT | 1 << _MSTR_BIT


def _nothing() -> None:
    """No byte is under way in bits."""


class SpiLines:
    """Lends SCK, MOSI and MISO to the SPI, and gives them back when it is off.

    All three are of one port in every AVR that is known here.
    """

    def __init__(self, machine: AvrMachine, ports: Mapping[str, AvrPort]) -> None:
        sck, mosi, miso = machine.mcu.spi_pins
        self._data = machine.data
        self._port = ports[sck[1]]
        masks = [1 << int(pin[2]) for pin in (sck, mosi, miso)]
        self._sck, self._mosi, self._miso = masks
        self._is_master = False
        self.on_end: Callable[[], None] = _nothing
        """Called before the pins are the port's again."""
        bits = [(SPCR, bit) for bit in (_SPE_BIT, _MSTR_BIT, _CPOL_BIT)]
        machine.on_bits(bits, self._on_control)
        machine.revive.append(self._on_reset)

    def _on_control(self, _irq: int, _value: int, _param: int) -> None:
        control, port = self._data[SPCR], self._port
        if control & _IS_MASTER == _IS_MASTER:
            high = self._sck if control >> _CPOL_BIT & 1 else 0
            if self._is_master:
                high |= port.lent_high & self._mosi
            else:
                high |= port.output & self._mosi
            self._is_master = True
            port.lend(self._sck | self._mosi, high, self._miso)
        else:
            self._on_reset()

    def _on_reset(self) -> None:
        if self._is_master:
            self._is_master = False
            self.on_end()
            self._port.lend(0, 0, 0)
