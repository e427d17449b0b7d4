"""The shipped AVR datasheets agree with the MCUs they name."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from pytest_embedbench.bench.registry import Registry
from pytest_embedbench.engines.simavr import Simavr
from pytest_embedbench.engines.simavr.avr_program import AvrProgram
from pytest_embedbench.engines.simavr.core.mcus import MCUS
from pytest_embedbench.engines.simavr.diagnosis import explain
from pytest_embedbench.errors import ConfigError
from pytest_embedbench.testing import loopback_image

BOARDS = ["uno", "nano", "mega", "pro-mini", "pro-mini-8mhz", "nano-168", "atmega1284p"]


@pytest.mark.parametrize("name", BOARDS)
def test_every_pin_has_a_port_of_its_own(name: str) -> None:
    spec = Registry().board(name)
    ports = [pin.port for pin in spec.pins.values()]
    assert len(set(ports)) == len(ports)
    digital = {port[1] for port in ports if port.startswith("P")}
    assert digital <= set(MCUS[spec.mcu].ports)


@pytest.mark.parametrize("name", BOARDS)
def test_every_pwm_output_and_adc_channel_has_a_pin(name: str) -> None:
    spec = Registry().board(name)
    mcu = MCUS[spec.mcu]
    ports = {pin.port for pin in spec.pins.values()}
    assert {port for timer in mcu.timers for _, port in timer.outputs} <= ports
    channels = {pin.adc for pin in spec.pins.values()} - {None}
    assert channels <= {source for source in mcu.adc_inputs.values() if source >= 0}


@pytest.mark.parametrize("name", BOARDS)
def test_every_usart_has_a_name_that_ends_in_its_number(name: str) -> None:
    spec = Registry().board(name)
    numbers = [int(uart.name.removeprefix("serial")) for uart in spec.uarts]
    assert numbers == list(MCUS[spec.mcu].uarts)


def test_a_fault_in_a_program_without_symbols_still_has_its_address(
    tmp_path: Path,
) -> None:
    program = AvrProgram(path=tmp_path / "gone.elf", segments=((0, b"\0"),))
    fault = explain(Registry().board("uno"), program, ("opcode", 0x1A4, 16_000, 0, ""))
    assert str(fault) == (
        "uno: at 1.000 ms the firmware crashed: "
        "there is no valid instruction at 0x01a4 (gone.elf has no symbols)"
    )


def test_two_uarts_cannot_be_one_usart(tmp_path: Path) -> None:
    uno = Registry().board("uno")
    (uart,) = uno.uarts
    twice = replace(uno, uarts=(uart, replace(uart, name="console0")))
    image = replace(loopback_image(), elf_path=tmp_path / "none.elf")
    with pytest.raises(ConfigError, match="two of its uarts are one USART"):
        Simavr().boot(twice, image)


@pytest.mark.parametrize(
    ("mcu", "why"),
    [
        ("atmega32u4", "its Serial is USB, and simavr has no host for that"),
        ("attiny85", "a test talks to a UART, which nearly all of these are without"),
    ],
)
def test_a_chip_that_cannot_be_run_says_why(mcu: str, why: str) -> None:
    board = replace(Registry().board("uno"), mcu=mcu)
    with pytest.raises(ConfigError, match=f"set up for \\({why}\\); known: atmega"):
        Simavr().check(board)
