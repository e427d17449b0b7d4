"""Which pins a chip's USARTs have."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pytest_embedbench.engines.simavr.core.mcus import Mcu

# ATmega640/1280/1281/2560/2561 and ATmega328P/1284P data sheets: alternate functions.
_UART_PINS = {0: ("PD0", "PD1"), 1: ("PD2", "PD3")}
_UART_PINS_BIG = {
    0: ("PE0", "PE1"),
    1: ("PD2", "PD3"),
    2: ("PH0", "PH1"),
    3: ("PJ0", "PJ1"),
}


def uart_pins(mcu: Mcu) -> dict[int, tuple[str, str]]:
    """Return RX and TX by the USART's number."""
    pins = _UART_PINS_BIG if "L" in mcu.ports else _UART_PINS
    return {number: pins[number] for number in mcu.uarts}
